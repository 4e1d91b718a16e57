// Matrices of normal numbers for tests.
#pragma once

#include <cstdint>

#include "sotto/base/random.h"
#include "sotto/linalg/matrix.h"

namespace sotto {

inline Matrix random_matrix(Index rows, Index cols, std::uint64_t seed, double scale = 1) {
  SeededRandom random(seed);
  Matrix m(rows, cols);
  for (double& x : m.reshaped()) x = scale * random.normal();
  return m;
}

}  // namespace sotto
