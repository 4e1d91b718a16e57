// A result folder: the program writes arrays, result.json and a report page, as the command line
// does. It also links sotto::report.
#include <cstdio>
#include <filesystem>

#include "sotto/report.h"
#include "sotto/sotto.h"

int main() {
  sotto::SymmetricTensor tensor(4, 3);
  tensor.add_rank_one(3, sotto::Vector{{0.6, 0.8, 0, 0}});
  sotto::DecomposeTask task;
  task.power.components = 1;
  const auto result = sotto::run(sotto::public_input(tensor, "made up here"), task);

  sotto::OutputFolder folder("found");
  sotto::ResultDocument document({"decompose", "One component", task.table()});
  sotto::describe(result, document);
  sotto::save(result, folder);
  sotto::write_result(folder, document);

  for (const char* name : {"found/vectors.npy", "found/result.json", "found/report.html"}) {
    std::printf("%s: %s\n", name, std::filesystem::exists(name) ? "written" : "missing");
  }
}

// Prints:
//   found/vectors.npy: written
//   found/result.json: written
//   found/report.html: written
