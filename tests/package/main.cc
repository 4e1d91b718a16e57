// A program of another project, built against the installed library without its special flags.
#include <cstdio>

#include "sotto/sotto.h"

int main() {
  sotto::SymmetricTensor tensor(4, 3);
  sotto::Vector v = sotto::Vector::Zero(4);
  v[2] = 1;
  tensor.add_rank_one(2.5, v);
  sotto::DecomposeTask task;
  task.power.components = 1;
  const auto result = sotto::run(sotto::public_input(tensor, "made up here"), task);
  std::printf("%.6f %.6f\n", result.found.weights[0], result.found.vectors()(2, 0));
  // An error is thrown in the library and caught here.
  try {
    sotto::run(sotto::sensitive_input(tensor), task);
  } catch (const sotto::Error& error) {
    std::printf("%s\n", error.place().c_str());
  }
  return 0;
}
