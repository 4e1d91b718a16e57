#include "sotto/audit/power.h"

#include <algorithm>
#include <cmath>

#include "sotto/privacy/gdp.h"
#include "sotto/privacy/numbers.h"

namespace sotto::audit {
namespace {

double normal_above(double x) { return std::erfc(x / std::sqrt(2.0)) / 2; }

// With probability 1 - missed at least, a count is not below (above) these.
constexpr double kMissed = 0.1;

std::int64_t usual_hits(std::int64_t n, double p) {
  std::int64_t low = 0, high = n;  // the largest k with P[count < k] <= missed
  while (low < high) {
    const std::int64_t middle = (low + high + 1) / 2;
    if (1 - binomial_tail(middle, n, p) <= kMissed) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

// Whether events of these probabilities are found to exceed the claim, 8 times of 10 at least.
bool is_found(const Claims& claims, std::size_t count, const BinomialLimits& limits, double p,
              double q) {
  const std::int64_t hits = usual_hits(limits.n(), p);
  const std::int64_t misses = limits.n() - usual_hits(limits.n(), 1 - q);
  return largest_excess(claims, count, limits.lower(hits), limits.upper(misses)).beyond() > 0;
}

// The best event against Gaussian noise is a half space; any threshold may be taken.
bool gaussian_is_found(const Claims& claims, std::size_t count, const BinomialLimits& limits,
                       double mu) {
  constexpr int kThresholds = 40;
  for (int n = 0; n <= kThresholds; ++n) {
    const double at = mu / 2 + 6.0 * (n - kThresholds / 2.0) / kThresholds;
    if (is_found(claims, count, limits, normal_above(at - mu), normal_above(at))) return true;
  }
  return false;
}

double laplace_above(double x) { return x < 0 ? 1 - std::exp(x) / 2 : std::exp(-x) / 2; }

bool laplace_is_found(const Claims& claims, std::size_t count, const BinomialLimits& limits,
                      double epsilon) {
  constexpr int kThresholds = 40;
  for (int n = 0; n <= kThresholds; ++n) {
    const double at = (2.0 * n / kThresholds - 0.5) * epsilon;
    if (is_found(claims, count, limits, laplace_above(at - epsilon), laplace_above(at)))
      return true;
  }
  return false;
}

// Randomised response is the worst of all pure mechanisms.
bool pure_is_found(const Claims& claims, std::size_t count, const BinomialLimits& limits,
                   double epsilon) {
  const double p = 1 / (1 + std::exp(-epsilon));
  return is_found(claims, count, limits, p, 1 - p);
}

// Sampled noise has no closed form. At every delta the accountant bounds p by delta + e^epsilon q:
// the best event of each q lies on the lowest of these lines.
bool sampled_is_found(const Claims& claims, std::size_t count, const BinomialLimits& limits,
                      double factor) {
  constexpr int kPoints = 40;
  const std::vector<double> epsilons = claims.epsilons_with(1 / factor, count);
  for (int n = 1; n < kPoints; ++n) {
    const double q = std::pow(10.0, -4.0 * n / kPoints);
    double p = 1;
    for (std::size_t d = 0; d < epsilons.size(); ++d) {
      p = std::min(p, claims.deltas()[d] + std::exp(epsilons[d]) * q);
    }
    if (is_found(claims, count, limits, p, q)) return true;
  }
  return false;
}

template <class Found>
double least_factor(double most, int steps, Found found) {
  if (!found(most)) return kInfinity;
  double low = 1, high = most;
  for (int step = 0; step < steps; ++step) {
    const double middle = std::sqrt(low * high);
    (found(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace

Excess largest_excess(const Claims& claims, std::size_t count, double p, double q) {
  const std::vector<double>& claimed = claims.epsilons(count);
  Excess largest{-kInfinity, claims.deltas().front(), claimed.front()};
  for (std::size_t d = 0; d < claimed.size(); ++d) {
    const double delta = claims.deltas()[d], epsilon = proved_epsilon(p, q, delta);
    const Excess excess{epsilon, delta, claimed[d]};
    if (excess.beyond() > largest.beyond()) largest = excess;
  }
  return largest;
}

Power power_of(const Claims& claims, std::size_t count, const BinomialLimits& limits) {
  Power power;
  const double delta = claims.whole().delta;
  power.most = proved_epsilon(limits.lower(limits.n()), limits.upper(0), delta);
  const double claimed = claims.epsilons(count).front();
  const NoiseKind noise = claims.noise(count);
  const double mu = noise == NoiseKind::gaussian ? gdp_mu(claimed, delta) : 0;
  const bool is_quick = noise != NoiseKind::sampled;  // no accountant is asked at each step
  const double factor = least_factor(is_quick ? 64 : 8, is_quick ? 30 : 8, [&](double f) {
    if (noise == NoiseKind::sampled) return sampled_is_found(claims, count, limits, f);
    if (noise == NoiseKind::gaussian) return gaussian_is_found(claims, count, limits, f * mu);
    if (noise == NoiseKind::laplace) return laplace_is_found(claims, count, limits, f * claimed);
    return pure_is_found(claims, count, limits, f * claimed);
  });
  power.noise = 1 / factor;
  power.epsilon = factor * claimed;
  if (noise == NoiseKind::gaussian && std::isfinite(factor)) {
    power.epsilon = gdp_epsilon(factor * mu, delta);
  } else if (noise == NoiseKind::sampled && std::isfinite(factor)) {
    power.epsilon = claims.epsilons_with(1 / factor, count).front();
  }
  return power;
}

}  // namespace sotto::audit
