// Components of a tensor: a public symmetric tensor made of two components is decomposed.
#include <cstdio>

#include "sotto/sotto.h"

int main() {
  sotto::SymmetricTensor tensor(/*dim=*/2, /*order=*/3);  // 3 a(x)a(x)a + 2 b(x)b(x)b
  tensor.add_rank_one(3, sotto::Vector{{0.6, 0.8}});
  tensor.add_rank_one(2, sotto::Vector{{0.8, -0.6}});

  sotto::DecomposeTask task;
  task.power.components = 2;
  const auto result = sotto::run(sotto::public_input(tensor, "made up here"), task);

  for (int j = 0; j < 2; ++j) {
    const sotto::Vector v = result.found.vectors().col(j);
    std::printf("%.1f (%.1f, %.1f)\n", result.found.weights[j], v[0], v[1]);
  }
}

// Prints:
//   3.0 (0.6, 0.8)
//   2.0 (0.8, -0.6)
