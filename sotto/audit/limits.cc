#include "sotto/audit/limits.h"

#include <cmath>
#include <limits>

#include "sotto/base/error.h"

namespace sotto::audit {
namespace {

constexpr double kSafe = 1e-9;  // the rounding of a limit, many times over

// The continued fraction of the incomplete beta function, by Lentz' method; x < (a+1)/(a+b+2).
double beta_fraction(double a, double b, double x) {
  constexpr int kMostTerms = 100000;
  constexpr double kTiny = 1e-300;
  const auto away = [](double v) { return std::abs(v) < kTiny ? kTiny : v; };
  double c = 1, d = 1 / away(1 - (a + b) * x / (a + 1));
  double value = d;
  for (int m = 1; m < kMostTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away(1 + even * d);
    c = away(1 + even / c);
    value *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away(1 + odd * d);
    c = away(1 + odd / c);
    const double factor = d * c;
    value *= factor;
    if (std::abs(factor - 1) < 1e-15) break;
  }
  return value;
}

// The regularised incomplete beta function.
double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  int sign = 0;
  const double log_front = lgamma_r(a + b, &sign) - lgamma_r(a, &sign) - lgamma_r(b, &sign) +
                           a * std::log(x) + b * std::log1p(-x);
  if (x < (a + 1) / (a + b + 2)) return std::exp(log_front) * beta_fraction(a, b, x) / a;
  return 1 - std::exp(log_front) * beta_fraction(b, a, 1 - x) / b;
}

double lower_limit(std::int64_t hits, std::int64_t n, double alpha) {
  if (hits == 0) return 0;
  double low = 0, high = 1;
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (binomial_tail(hits, n, middle) <= alpha ? low : high) = middle;
  }
  return low * (1 - kSafe);
}

}  // namespace

double binomial_tail(std::int64_t k, std::int64_t n, double p) {
  if (k <= 0) return 1;
  if (k > n) return 0;
  return incomplete_beta(static_cast<double>(k), static_cast<double>(n - k + 1), p);
}

BinomialLimits::BinomialLimits(std::int64_t n, double alpha) : n_(n) {
  SOTTO_REQUIRE(n >= 1 && alpha > 0 && alpha < 1, "limits need runs and a level");
  for (std::int64_t hits = 0; hits <= n; ++hits) lower_.push_back(lower_limit(hits, n, alpha));
}

double proved_epsilon(double p, double q, double delta) {
  return p > delta && q > 0 ? std::log((p - delta) / q) : -std::numeric_limits<double>::infinity();
}

}  // namespace sotto::audit
