// A Gaussian mixture: public points come from three Gaussians with one spherical variance.
#include <cstdio>
#include <random>

#include "sotto/sotto.h"

// One point in ten is around (4, 0, 0), three are around (0, 4, 0) and six around (0, 0, 4).
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
    sotto::Index axis = 0;
    const double distance = result.mixture.means.col(j).maxCoeff(&axis);
    std::printf("%.1f of the points around %.1f on axis %d\n", result.mixture.weights[j], distance,
                static_cast<int>(axis) + 1);
  }
}

// Prints:
//   0.6 of the points around 4.0 on axis 3
//   0.3 of the points around 4.0 on axis 2
//   0.1 of the points around 4.0 on axis 1
