// Topics of documents: a file of public documents, one per line, is read and two topics are found.
#include <cstdio>
#include <fstream>

#include "sotto/sotto.h"

int main() {
  std::ofstream file("documents.txt");
  for (int n = 0; n < 200; ++n) {
    file << (n % 4 == 0 ? "rain sun wind rain cloud\n" : "oven flour oven bread yeast\n");
  }
  file.close();

  sotto::TopicsTask task;
  task.topics.topics = 2;
  task.topics.model = sotto::DocumentModel::single;
  task.top = 1;
  const auto result = sotto::run(sotto::documents_input("documents.txt", task.file, false), task);

  for (std::size_t t = 0; t < 2; ++t) {
    std::printf("%.2f: %s\n", result.model.alpha[static_cast<sotto::Index>(t)],
                result.word(result.top_words[t][0]).c_str());
  }
}

// Prints:
//   0.25: rain
//   0.75: oven
