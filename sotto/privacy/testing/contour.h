// An independent and slow reference for compositions: no grid of losses, no convolution.
//
// With M(z) = E_P e^{zL} of the whole list, delta(epsilon) is the integral of
//   M(z) e^{-z epsilon} / (z (z + 1)) / (2 pi i)
// along any vertical line to the right of 0, taken here by the trapezoid rule; the M of sampled
// releases is a trapezoid sum over the output. Only for lists with a Gaussian part, which makes M
// fall off fast enough. Accurate to about 1e-9 relative.
#pragma once

#include <cmath>
#include <complex>
#include <span>

#include "sotto/privacy/release_record.h"

namespace sotto::testing {

using Complex = std::complex<double>;

struct ComplexMoment {
  Complex z;
  bool removing;

  Complex operator()(const GaussianCost& c) const {
    return std::exp(z * (1.0 + z) * c.mu * c.mu / 2.0);
  }
  Complex operator()(const LaplaceCost& c) const {
    return ((1.0 + z) * std::exp(z * c.epsilon) + z * std::exp(-(1.0 + z) * c.epsilon)) /
           (1.0 + 2.0 * z);
  }
  Complex operator()(const PureCost& c) const {
    return (std::exp((1.0 + z) * c.epsilon) + std::exp(-z * c.epsilon)) / (1 + std::exp(c.epsilon));
  }
  Complex operator()(const SubsampledGaussianCost& c) const {
    const double m = 1 / c.noise_multiplier, q = c.sampling_rate;
    const double dx = 0.05 / (1 + std::abs(z.imag()) * m / 10);
    const Complex s = removing ? 1.0 + z : -z;
    const double reach = 12 + std::abs(s.real()) * m;
    Complex sum = 0;
    for (double x = -reach; x <= reach; x += dx) {
      const double l = std::log(1 - q + q * std::exp(m * x - m * m / 2));
      sum += std::exp(s * l - x * x / 2);
    }
    return sum * dx / std::sqrt(2 * M_PI);
  }
};

inline Complex contour_integrand(std::span<const Spend> spends, double epsilon, Complex z,
                                 bool removing) {
  Complex log_value = -z * epsilon - std::log(z * (z + 1.0));
  for (const Spend& spend : spends) {
    log_value += double(spend.count) * std::log(std::visit(ComplexMoment{z, removing}, spend.cost));
  }
  return log_value;
}

// The line runs somewhat to the left of the saddle point, where the integrand on the real axis is
// smallest: to the right of it, losses too large for dt dominate the moments of sampled releases.
inline double contour_delta(std::span<const Spend> spends, double epsilon, bool removing) {
  double theta = 1, best = INFINITY;
  for (double t = 1e-3; t < 1e4; t *= 1.3) {
    const double value = contour_integrand(spends, epsilon, t, removing).real();
    if (value < best) best = value, theta = t;
  }
  theta *= 0.7;
  best = contour_integrand(spends, epsilon, theta, removing).real();
  const double dt = std::fmin(theta, 1.0) / 12;
  double sum = 0;
  for (double t = 0;; t += dt) {
    const Complex value = std::exp(contour_integrand(spends, epsilon, {theta, t}, removing) - best);
    sum += (t == 0 ? 0.5 : 1.0) * value.real();
    if (std::abs(value) < 1e-14) return sum * dt / M_PI * std::exp(best);
  }
}

}  // namespace sotto::testing
