#include "sotto/privacy/sampled_gaussian.h"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <limits>

#include "sotto/base/error.h"
#include "sotto/privacy/checks.h"
#include "sotto/privacy/numbers.h"

namespace sotto {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kInvSqrt2Pi = 0.39894228040143267794;

// The boundary between f >= level (at `inside`) and f < level (towards `outside`).
template <class F>
double level_crossing(double inside, double outside, double level, F f) {
  if (f(outside) >= level) return outside;
  const double start = inside;
  for (int i = 0; i < 80 && std::abs(outside - inside) > 0.02 * std::abs(outside - start); ++i) {
    const double middle = (inside + outside) / 2;
    (f(middle) >= level ? inside : outside) = middle;
  }
  return outside;
}

// The Gauss-Legendre rule of N points on [z, z + 2w]; boost stores the non-negative half.
template <int N, class Node>
void gauss_panel(double z, double w, Node node) {
  using Rule = boost::math::quadrature::gauss<double, N>;
  const auto& x = Rule::abscissa();
  const auto& c = Rule::weights();
  for (std::size_t i = 0; i < x.size(); ++i) {
    node(z + w * (1 + x[i]), w * c[i]);
    if (x[i] != 0) node(z + w * (1 - x[i]), w * c[i]);
  }
}

}  // namespace

SampledGaussian::SampledGaussian(double noise_multiplier, double sampling_rate, double cap)
    : m_(1 / noise_multiplier), q_(sampling_rate), cap_(cap) {
  require_noise(noise_multiplier);
  require_rate(sampling_rate);
  SOTTO_REQUIRE(noise_multiplier >= kLeastNoise, "noise-multiplier must be at least {}, got {}",
                kLeastNoise, noise_multiplier);
  corner_ = m_ / 2 + (q_ < 1 ? std::log((1 - q_) / q_) / m_ : -1e300);
}

double SampledGaussian::cap_for(double noise_multiplier, double sampling_rate, double mass) {
  const auto beyond = [](double log_mass) { return std::sqrt(std::fmax(0.0, -2 * log_mass)); };
  return std::fmax(beyond(std::log(mass)),
                   1 / noise_multiplier + beyond(std::log(mass) - std::log(sampling_rate)));
}

double SampledGaussian::log_ratio(double z) const {
  const double y = m_ * (z - m_ / 2);
  return y <= 0 ? std::log1p(q_ * std::expm1(y)) : y + std::log1p((1 - q_) * std::expm1(-y));
}

double SampledGaussian::where(double l) const {
  const double y = l <= 1 ? std::log1p(std::fmax(std::expm1(l) / q_, -1.0))
                          : l - std::log(q_) + std::log1p(-(1 - q_) * std::exp(-l));
  return y / m_ + m_ / 2;
}

double SampledGaussian::log_density(double z, double s) const {
  return -z * z / 2 + s * log_ratio(z);
}

double SampledGaussian::weight_of_p(double z) const {
  const double y = m_ * (z - m_ / 2);
  return q_ / (q_ + (1 - q_) * std::exp(-y));
}

double SampledGaussian::slope(double z, double s) const { return -z + s * m_ * weight_of_p(z); }

// Modes solve z = s m w(z) with w increasing from 0 to 1. For s < 0 there is one; for s > 0 the
// iteration climbs to the lowest from 0 and descends to the highest from s m, both monotonically (a
// cap below a mode takes its place), and between the two log_density first falls, then rises.
SampledGaussian::Support SampledGaussian::support(double s, double depth) const {
  const auto f = [&](double z) { return log_density(z, s); };
  const double far = s * m_;
  double low = std::fmin(0.0, far), high = std::fmin(std::fmax(0.0, far), cap_);
  if (s < 0) {
    for (int i = 0; i < 60; ++i) {
      const double middle = (low + high) / 2;
      (slope(middle, s) > 0 ? low : high) = middle;
    }
    low = high;
  } else {
    for (int i = 0; i < 400; ++i) {
      low = std::fmin(far * weight_of_p(low), cap_);
      high = std::fmin(far * weight_of_p(high), cap_);
    }
  }
  const double peak = std::fmax(f(low), f(high));
  const double level = peak - depth, reach = 2 * std::sqrt(depth);
  const double left = level_crossing(low, std::fmin(low, 0.0) - reach, level, f);
  const double right =
      level_crossing(high, std::fmin(std::fmax(high, far) + reach, cap_), level, f);
  double a = low, b = high;  // the valley between the modes
  for (int i = 0; i < 60 && b - a > 1e-3; ++i) {
    const double third = (b - a) / 3;
    if (f(a + third) < f(b - third)) {
      b -= third;
    } else {
      a += third;
    }
  }
  if (f(a) >= level) return {{{left, right}}, peak};
  Support result{{}, peak};
  if (f(low) >= level) result.intervals.push_back({left, level_crossing(low, a, level, f)});
  if (f(high) >= level) result.intervals.push_back({level_crossing(high, b, level, f), right});
  return result;
}

// Half a panel: over it the exponent changes by about 1, its curvature by less, and the
// singularities of l stay five half-widths away; then eight points leave a relative error near u.
double SampledGaussian::panel_scale(double z, double s) const {
  const double w = weight_of_p(z);
  const double bend = 1 + std::abs(s) * m_ * m_ * w * (1 - w);
  const double clear = std::hypot(z - corner_, kPi / m_);
  return std::fmin(1 / (1 + std::abs(slope(z, s))), std::fmin(0.5 / std::sqrt(bend), clear / 5));
}

double SampledGaussian::border_after(double z, const Cells& cells) const {
  const double l = log_ratio(z);
  const double step = l < cells.edge ? cells.step : cells.tail_step;
  double border = std::numeric_limits<double>::infinity();
  if (step > 0) {
    const double cell = std::floor(l / step) + 1;
    border = where(cell * step);
    if (border <= z) border = where((cell + 1) * step);  // z was that border, up to rounding
  }
  const double edge = where(cells.edge);
  if (z < edge) border = std::fmin(border, edge);
  return border <= z ? std::numeric_limits<double>::infinity() : border;
}

void SampledGaussian::integrate(double s, const Support& over, const Cells& cells,
                                const Visit& visit) const {
  const auto node = [&](double z, double weight) {
    const double l = log_ratio(z);
    visit(l, weight * kInvSqrt2Pi * std::exp(s * l - z * z / 2 - over.peak));
  };
  for (const Interval& interval : over.intervals) {
    for (double z = interval.low; z < interval.high;) {
      const double scale = panel_scale(z, s);
      const double end = std::fmin(std::fmin(z + 2 * scale, border_after(z, cells)), interval.high);
      const double half = (end - z) / 2;
      // Error of n points on an exponential: 6e-5 c^6 (n = 3) and 2e-18 c^16 (n = 8), c =
      // half/scale.
      if (half < 0.02 * scale) {
        gauss_panel<3>(z, half, node);
      } else if (half < 0.1 * scale) {
        gauss_panel<4>(z, half, node);
      } else {
        gauss_panel<8>(z, half, node);
      }
      z = end;
    }
  }
}

double SampledGaussian::relative_error(double s) const {
  // The nodes' own error, and the rounding of an exponent that is a difference of terms of this
  // size.
  return 64 * kUnit * (1 + std::abs(s) * m_ * m_ * (1 + std::abs(s)));
}

double SampledGaussian::log_moment(double s) const {
  const Support over = support(s, 60);
  double sum = 0;
  integrate(s, over, {}, [&](double, double weight) { sum += weight; });
  return over.peak + std::log(sum) + relative_error(s);
}

}  // namespace sotto
