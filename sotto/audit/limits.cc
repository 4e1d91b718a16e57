#include "sotto/audit/limits.h"

#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <limits>

#include "sotto/base/error.h"

namespace sotto::audit {
namespace {

constexpr double kRounding = 1e-9;  // of a limit, many times over

// In double throughout. As long double Boost prepares tables before main() begins, and ends the
// program where a long double is less than it seems, as under valgrind.
using InDouble = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

// Clopper and Pearson: the tail from `hits` on has the probability alpha there.
double lower_limit(std::int64_t hits, std::int64_t n, double alpha) {
  if (hits == 0) return 0;
  const double limit = boost::math::ibeta_inv(static_cast<double>(hits),
                                              static_cast<double>(n - hits + 1), alpha, InDouble());
  return limit * (1 - kRounding);
}

}  // namespace

double binomial_tail(std::int64_t k, std::int64_t n, double p) {
  if (k <= 0) return 1;
  if (k > n) return 0;
  return boost::math::ibeta(static_cast<double>(k), static_cast<double>(n - k + 1), p, InDouble());
}

BinomialLimits::BinomialLimits(std::int64_t n, double alpha) : n_(n) {
  SOTTO_REQUIRE(n >= 1 && alpha > 0 && alpha < 1, "limits need runs and a level");
  for (std::int64_t hits = 0; hits <= n; ++hits) lower_.push_back(lower_limit(hits, n, alpha));
}

double proved_epsilon(double p, double q, double delta) {
  return p > delta && q > 0 ? std::log((p - delta) / q) : -std::numeric_limits<double>::infinity();
}

}  // namespace sotto::audit
