// exp(digamma(x)): the geometric mean of a Gamma or Dirichlet proportion, up to its total.
#pragma once

#include "sotto/linalg/matrix.h"

namespace sotto {

// digamma(x) - log(x + 6). With y = x + 6, digamma(x) = digamma(y) - sum of 1/(x + i), i = 0 .. 5,
// whose terms i and 5 - i add up to (2x + 5) / (x (x + 5) + i (5 - i)). For y >= 6 the asymptotic
// series in 1/y^2 has an error below 1e-10. There are no branches, so the compiler vectorises it.
inline double digamma_less_log(double x) {
  const double a = x * (x + 5), b = a + 4, c = a + 6;
  const double inverse = 1 / (x + 6), r = inverse * inverse;
  const double lowered = (2 * x + 5) * (b * c + a * (b + c)) / (a * b * c);
  const double series =
      r * (1.0 / 12 - r * (1.0 / 120 - r * (1.0 / 252 - r * (1.0 / 240 - r / 132))));
  return -0.5 * inverse - series - lowered;
}

// result = exp(digamma(x)), k numbers each.
inline void exp_digamma(const double* x, Index k, double* result) {
  for (Index t = 0; t < k; ++t) result[t] = digamma_less_log(x[t]);
  Eigen::Map<Eigen::ArrayXd> values(result, k);
  values = values.exp();
  for (Index t = 0; t < k; ++t) result[t] *= x[t] + 6;
}

}  // namespace sotto
