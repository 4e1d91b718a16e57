#include "sotto/privacy/gdp.h"

#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <limits>

#include "sotto/base/error.h"
#include "sotto/privacy/checks.h"
#include "sotto/privacy/numbers.h"
#include "sotto/privacy/search.h"

namespace sotto {
namespace {

constexpr double kHalfLog2Pi = 0.91893853320467274178;
constexpr double kSqrtHalfPi = 1.25331413731550025121;

// Mills' ratio R(x) = (1 - Phi(x)) / phi(x) and H(x) = -R'(x) = 1 - x R(x).
struct Mills {
  double r;
  double h;
};

// With I_n = int_0^inf t^n/n! e^{-t^2/2 - xt} dt, R = I_0, H = I_1 and the ratios r_n = I_n/I_{n-1}
// (I_{-1} = 1) obey r_n = 1/(x + (n+1) r_{n+1}): a continued fraction of positive terms, so neither
// R nor H loses digits. The truncation error at depth N is about exp(-2 x sqrt(2N)).
Mills mills(double x) {
  if (x < 1) {
    const double r = kSqrtHalfPi * std::exp(x * x / 2) * std::erfc(x / std::sqrt(2.0));
    return {r, 1 - x * r};
  }
  const int depth = x < 4 ? 240 : 40;
  double ratio = 1 / x;
  for (int n = depth; n >= 1; --n) ratio = 1 / (x + (n + 1) * ratio);
  const double r = 1 / (x + ratio);
  return {r, r * ratio};
}

// log (1 - Phi(x)).
double log_upper_tail(double x) {
  if (x < 1) return std::log(std::erfc(x / std::sqrt(2.0)) / 2);
  return -x * x / 2 - kHalfLog2Pi + std::log(mills(x).r);
}

// log(Phi(-a) - e^epsilon Phi(-b)), where b = a + mu and phi(a) = e^epsilon phi(b), so that it
// equals log phi(a) + log(R(a) - R(b)).
double log_difference(double a, double mu) {
  const double ra = mills(a).r;  // infinite below a = -38, where the second term vanishes
  const double rb = mills(a + mu).r;
  if (!(rb > ra / 2)) return log_upper_tail(a) + std::log1p(-rb / ra);
  // Close values would cancel: R(a) - R(b) = int_0^mu H(a + t) dt, and H is positive and smooth.
  using Rule = boost::math::quadrature::gauss<double, 20>;
  const double difference = Rule::integrate([a](double t) { return mills(a + t).h; }, 0.0, mu);
  return -a * a / 2 - kHalfLog2Pi + std::log(difference);
}

bool meets(double epsilon, double mu, double log_delta) {
  return gdp_log_delta(epsilon, mu) <= log_delta;
}

}  // namespace

double gdp_log_delta(double epsilon, double mu) {
  SOTTO_REQUIRE(epsilon >= 0 && std::isfinite(epsilon), "epsilon must be finite and >= 0, got {}",
                epsilon);
  SOTTO_REQUIRE(mu >= 0 && std::isfinite(mu), "mu must be finite and >= 0, got {}", mu);
  const double ratio = epsilon / mu;
  if (mu == 0 || ratio > 1e150) return -std::numeric_limits<double>::infinity();
  const double a = ratio - mu / 2;
  // a carries an absolute error of 2u(ratio + mu/2), and d/da log(phi(a) int_0^mu H(a + t) dt) is
  // at most |a| + max |H'/H| <= 2|a| + 2 in size; all else is a relative error of a few u.
  const double value = log_difference(a, mu);
  if (!std::isfinite(value)) return value;
  const double margin = 8 * kUnit * (2 + std::abs(value) + (std::abs(a) + 1) * (ratio + mu / 2));
  return std::fmin(value + margin, 0.0);
}

double gdp_delta(double epsilon, double mu) {
  return std::exp(gdp_log_delta(epsilon, mu)) * (1 + 4 * kUnit);
}

double gdp_epsilon(double mu, double delta) {
  require_delta(delta);
  SOTTO_REQUIRE(mu >= 0 && std::isfinite(mu), "mu must be finite and >= 0, got {}", mu);
  const double log_delta = std::log(delta);
  // Gaussian tail: epsilon = mu^2/2 + mu sqrt(2 log(1/delta)) always suffices.
  const double enough = mu * mu / 2 + mu * std::sqrt(-2 * log_delta);
  return first_true(0, 1.001 * enough + std::numeric_limits<double>::min(),
                    [&](double epsilon) { return meets(epsilon, mu, log_delta); });
}

double gdp_mu(double epsilon, double delta) {
  require_epsilon(epsilon);
  require_delta(delta);
  const double log_delta = std::log(delta);
  const double too_much =
      first_true(1e-300, 1e160, [&](double mu) { return !meets(epsilon, mu, log_delta); });
  return std::nextafter(too_much, 0.0);
}

double gdp_noise_multiplier(double epsilon, double delta, std::int64_t count) {
  require_count(count);
  // Eight roundings up leave room for those of whoever squares and adds the releases again.
  return std::sqrt(static_cast<double>(count)) / gdp_mu(epsilon, delta) * (1 + 8 * kUnit);
}

}  // namespace sotto
