// Private topics: there are twenty thousand sensitive documents over a public vocabulary. One
// document is protected, with epsilon 1.
#include <cstdio>
#include <random>
#include <string>

#include "sotto/sotto.h"

// Documents of ten words: a fifth of the documents uses the even words, the others the odd ones.
sotto::Corpus documents() {
  constexpr int kWords = 20;
  sotto::Corpus corpus;
  corpus.vocabulary_size = kWords;
  corpus.vocabulary_is_declared = true;
  for (int w = 0; w < kWords; ++w) {
    corpus.vocabulary.push_back(w % 2 == 0 ? "even" : "odd");
  }
  std::mt19937_64 random(3);
  std::uniform_int_distribution<int> drawn(0, kWords / 2 - 1);
  for (int n = 0; n < 20000; ++n) {
    int counts[kWords] = {};
    for (int i = 0; i < 10; ++i) ++counts[2 * drawn(random) + (n % 5 == 0 ? 0 : 1)];
    for (int w = 0; w < kWords; ++w) {
      if (counts[w] == 0) continue;
      corpus.word.push_back(w);
      corpus.count.push_back(counts[w]);
    }
    corpus.begin.push_back(static_cast<std::int64_t>(corpus.word.size()));
  }
  return corpus;
}

int main() {
  sotto::TopicsTask task;
  task.topics.topics = 2;
  task.topics.model = sotto::DocumentModel::single;
  task.top = 1;
  task.privacy.epsilon = 1;
  task.privacy.delta = 1e-6;
  const auto result = sotto::run(sotto::sensitive_input(documents()), task);

  const sotto::Vector& weights = result.model.alpha;
  for (const int t : {weights[0] > weights[1] ? 0 : 1, weights[0] > weights[1] ? 1 : 0}) {
    const sotto::Index word = result.top_words[static_cast<std::size_t>(t)][0];
    std::printf("%.1f: %s\n", weights[t], result.word(word).c_str());
  }
  std::printf("%s\n", result.released->certificate.to_text().c_str());
}

// Prints:
//   0.8: odd
//   0.2: even
//   This result is differentially private with epsilon 1 and delta 1e-06. ...
