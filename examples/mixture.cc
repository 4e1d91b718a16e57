// A Gaussian mixture: points that are public, from three Gaussians of one spherical variance.
#include <cstdio>
#include <random>

#include "sotto/sotto.h"

// Of ten points one around (4, 0, 0), three around (0, 4, 0) and six around (0, 0, 4).
sotto::RowMatrix points() {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise;
  sotto::RowMatrix rows(30000, 3);
  for (int n = 0; n < rows.rows(); ++n) {
    for (int i = 0; i < 3; ++i) rows(n, i) = noise(random);
    rows(n, n % 10 == 0 ? 0 : n % 10 < 4 ? 1 : 2) += 4;
  }
  return rows;
}

int main() {
  sotto::MixtureTask task;
  task.mixture.components = 3;
  const auto result =
      sotto::run(sotto::public_input(sotto::points_in_memory(points()), "made up here"), task);
  for (int j = 0; j < 3; ++j) {
    const sotto::Vector mean = result.mixture.means.col(j);
    std::printf("%.1f around (%.1f, %.1f, %.1f)\n", result.mixture.weights[j], mean[0], mean[1],
                mean[2]);
  }
}

// Prints:
//   ...
