#include "sotto/privacy/renyi.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sotto/privacy/checks.h"
#include "sotto/privacy/numbers.h"
#include "sotto/privacy/sampled_gaussian.h"
#include "sotto/privacy/search.h"

namespace sotto {
namespace {

double log_add(double a, double b) {
  return std::fmax(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

// e^x - 1 - x without cancellation.
double exp_minus_line(double x) {
  if (std::abs(x) > 0.5) return std::expm1(x) - x;
  double term = x * x / 2, sum = term;
  for (int n = 3; std::abs(term) > kUnit * std::abs(sum) / 4; ++n) sum += term *= x / n;
  return sum;
}

struct LogMoment {
  double theta;
  Direction direction;

  double operator()(const GaussianCost& c) const {
    return theta * (1 + theta) * c.mu * c.mu / 2 * (1 + 4 * kUnit);
  }

  // E e^{theta L} = ((1+theta) e^{theta e} + theta e^{-(1+theta) e}) / (1 + 2 theta).
  double operator()(const LaplaceCost& c) const {
    const double up = theta * c.epsilon, down = -(1 + theta) * c.epsilon;
    if (up < 1) {
      const double excess =
          ((1 + theta) * exp_minus_line(up) + theta * exp_minus_line(down)) / (1 + 2 * theta);
      return std::log1p(excess) * (1 + 16 * kUnit);
    }
    const double weight = std::log1p(theta / (1 + theta) * std::exp(down - up));
    return up * (1 + 8 * kUnit) + std::log((1 + theta) / (1 + 2 * theta)) + weight + 8 * kUnit;
  }

  // Randomised response: E e^{theta L} - 1 = (1 - e^{-theta e})(e^{(1+theta) e} - 1) / (1 + e^e).
  double operator()(const PureCost& c) const {
    const double up = theta * c.epsilon, all = (1 + theta) * c.epsilon;
    const double share = -std::log1p(std::exp(-c.epsilon));  // log e^e / (1 + e^e)
    if (all < 30) {
      const double excess = -std::expm1(-up) * std::expm1(all) / (1 + std::exp(c.epsilon));
      return std::log1p(excess) * (1 + 16 * kUnit);
    }
    return log_add(up + share, -all + share) + 8 * kUnit * (1 + up);
  }

  double operator()(const SubsampledGaussianCost& c) const {
    const double s = direction == Direction::remove ? 1 + theta : -theta;
    const double mu = 1 / c.noise_multiplier;
    // A sample hides a record no worse than the whole: where the integral is out of reach use that.
    const double whole = LogMoment{theta, direction}(GaussianCost{mu});
    if (c.noise_multiplier < SampledGaussian::kLeastNoise || std::abs(s) * mu > 1e4) return whole;
    return std::fmin(whole, SampledGaussian(c.noise_multiplier, c.sampling_rate).log_moment(s));
  }
};

// Minimises f over the real line, for f that falls and then rises.
template <class F>
double minimise(double start, F f) {
  double low = start - 1, high = start + 1, step = 1;
  double at_low = f(low), at_start = f(start), at_high = f(high);
  while (at_low < at_start && low > -80) {
    high = start, start = low, at_start = at_low, step *= 2;
    at_low = f(low = start - step);
  }
  step = 1;
  while (at_high < at_start && high < 80) {
    low = start, start = high, at_start = at_high, step *= 2;
    at_high = f(high = start + step);
  }
  const double golden = 0.61803398874989484820;
  double a = high - golden * (high - low), b = low + golden * (high - low);
  double at_a = f(a), at_b = f(b);
  while (high - low > 1e-7) {
    if (at_a < at_b) {
      high = b, b = a, at_b = at_a;
      at_a = f(a = high - golden * (high - low));
    } else {
      low = a, a = b, at_a = at_b;
      at_b = f(b = low + golden * (high - low));
    }
  }
  return at_a < at_b ? a : b;
}

}  // namespace

double renyi_log_moment(const Cost& cost, double theta, Direction direction) {
  return std::visit(LogMoment{theta, direction}, cost);
}

double renyi_log_moment(std::span<const Spend> spends, double theta, Direction direction) {
  double sum = 0;
  for (const Spend& spend : spends) {
    sum += static_cast<double>(spend.count) * renyi_log_moment(spend.cost, theta, direction);
  }
  return sum * (1 + kUnit * static_cast<double>(spends.size() + 1));
}

double log_hockey_factor(double theta) {
  // theta log theta - (1+theta) log(1+theta), rearranged so that large theta does not cancel.
  return -theta * std::log1p(1 / theta) - std::log1p(theta);
}

RenyiBound renyi_epsilon(const std::function<double(double)>& log_moment, double delta) {
  require_delta(delta);
  const double log_delta = std::log(delta);
  const auto epsilon_at = [&](double log_theta) {
    const double theta = std::exp(log_theta);
    const double moment = log_moment(theta);
    if (!std::isfinite(moment)) return kInfinity;
    return (moment - log_delta + log_hockey_factor(theta)) / theta * (1 + 8 * kUnit) + 8 * kUnit;
  };
  const double best = minimise(1.0, epsilon_at);
  return {std::fmax(epsilon_at(best), 0.0), std::exp(best)};
}

double saddle_theta(const std::function<double(double)>& log_moment, double delta) {
  // delta(epsilon) = (1/2 pi i) int e^{F}, F(z) = Lambda(z) - z epsilon - log z - log(1 + z). On
  // the saddle F' = 0, and delta is about e^F / sqrt(2 pi F''); epsilon is eliminated.
  const auto log_delta_at = [&](double theta) {
    const double h = 1e-3 * theta;
    const double at = log_moment(theta), below = log_moment(theta - h),
                 above = log_moment(theta + h);
    const double slope = (above - below) / (2 * h) - 1 / theta - 1 / (1 + theta);
    const double bend = std::fmax((above - 2 * at + below) / (h * h), 0.0) + 1 / (theta * theta) +
                        1 / ((1 + theta) * (1 + theta));
    return at - theta * slope - std::log(theta) - std::log1p(theta) - std::log(6.28 * bend) / 2;
  };
  double low = -40, high = 40;  // log theta
  for (int i = 0; i < 17; ++i) {
    const double middle = (low + high) / 2;
    (log_delta_at(std::exp(middle)) > std::log(delta) ? low : high) = middle;
  }
  return std::exp(low);
}

double rdp_epsilon(std::span<const Spend> spends, double delta) {
  double worst = 0;
  for (const Direction direction : {Direction::remove, Direction::add}) {
    const auto moment = [&](double theta) { return renyi_log_moment(spends, theta, direction); };
    worst = std::fmax(worst, renyi_epsilon(moment, delta).epsilon);
  }
  return worst;
}

double zcdp_epsilon(double rho, double delta) {
  SOTTO_REQUIRE(rho >= 0 && std::isfinite(rho), "rho must be finite and >= 0, got {}", rho);
  if (rho == 0) return 0;
  return renyi_epsilon([rho](double theta) { return theta * (1 + theta) * rho; }, delta).epsilon;
}

double zcdp_rho(double epsilon, double delta) {
  require_epsilon(epsilon);
  require_delta(delta);
  const double too_much = first_true(
      0, 2 * epsilon + 1e6, [&](double rho) { return zcdp_epsilon(rho, delta) > epsilon; });
  return std::nextafter(too_much, 0.0);
}

double zcdp_rho_of(const Cost& cost) {
  struct Rho {
    double operator()(const GaussianCost& c) const { return c.mu * c.mu / 2; }
    double operator()(const LaplaceCost& c) const { return c.epsilon * c.epsilon / 2; }
    double operator()(const PureCost& c) const { return c.epsilon * c.epsilon / 2; }
    double operator()(const SubsampledGaussianCost&) const {
      return std::numeric_limits<double>::quiet_NaN();
    }
  };
  return std::visit(Rho{}, cost);
}

}  // namespace sotto
