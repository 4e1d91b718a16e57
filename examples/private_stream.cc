// Private components of records: there are two hundred thousand sensitive records around three
// directions, each clipped to norm one. One record is protected, with epsilon 1.
#include <cmath>
#include <cstdio>
#include <random>

#include "sotto/sotto.h"

// Records near the first three axes, most of them near the first.
sotto::RowMatrix records() {
  std::mt19937_64 random(7);
  std::normal_distribution<double> noise(0, 0.05);
  std::discrete_distribution<int> axis({5, 3, 2});
  sotto::RowMatrix rows(200000, 8);
  for (int n = 0; n < rows.rows(); ++n) {
    for (int i = 0; i < rows.cols(); ++i) rows(n, i) = noise(random);
    rows(n, axis(random)) += 0.8;
  }
  return rows;
}

int main() {
  sotto::StreamTask task;
  task.stream.components = 3;
  task.privacy.epsilon = 1;
  task.privacy.delta = 1e-7;
  task.privacy.max_norm = 1;

  auto points = sotto::sensitive_input(sotto::points_in_memory(records()));
  const auto result = sotto::run(std::move(points), task);

  for (int j = 0; j < 3; ++j) {
    std::printf("component %d along axis %d: %s\n", j + 1, j + 1,
                std::abs(result.found.vectors()(j, j)) > 0.9 ? "yes" : "no");
  }
  std::printf("%s, epsilon %.3f\n", result.certificate->proved ? "proved" : "not proved",
              result.certificate->epsilon);
}

// Prints:
//   component 1 along axis 1: yes
//   component 2 along axis 2: yes
//   component 3 along axis 3: yes
//   proved, epsilon 1.000
