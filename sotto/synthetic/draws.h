// Draws from the laws that synthetic data is made of.
#pragma once

#include <algorithm>
#include <cmath>

#include "sotto/base/random.h"
#include "sotto/linalg/matrix.h"

namespace sotto {

// The logarithm of a Gamma(shape) variable, since the variable itself may be too small for a
// double. Marsaglia & Tsang 2000; for shapes below 1, G(a) = G(a+1) U^(1/a).
inline double log_gamma_variable(double shape, SeededRandom& random) {
  if (shape < 1) {
    const double u = 1 - random.uniform();  // above 0
    return log_gamma_variable(shape + 1, random) + std::log(u) / shape;
  }
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = random.normal();
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    const double u = 1 - random.uniform();
    if (std::log(u) < 0.5 * x * x + d - d * v + d * std::log(v)) return std::log(d * v);
  }
}

// `values` holds the parameters and receives a draw from the Dirichlet distribution. It is scaled
// by the largest, so that parameters near 0 give one 1 rather than 0/0.
inline void draw_dirichlet(Eigen::Ref<Vector> values, SeededRandom& random) {
  for (double& value : values) value = log_gamma_variable(value, random);
  values = (values.array() - values.maxCoeff()).exp();
  values /= values.sum();
}

// Poisson variables add up, so a large mean is drawn in parts whose exp(-mean) is far from 0.
// O(mean).
inline Index draw_poisson(double mean, SeededRandom& random) {
  constexpr double part = 32;
  Index total = 0;
  while (mean > 0) {
    const double limit = std::exp(-std::min(mean, part));
    double product = 1 - random.uniform();
    while (product > limit) {
      ++total;
      product *= 1 - random.uniform();
    }
    mean -= part;
  }
  return total;
}

}  // namespace sotto
