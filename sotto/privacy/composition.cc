#include "sotto/privacy/composition.h"

#include <cmath>
#include <limits>

#include "sotto/privacy/checks.h"
#include "sotto/privacy/gdp.h"
#include "sotto/privacy/spends.h"

namespace sotto {
namespace {

constexpr double kRound = 1 + 16 * std::numeric_limits<double>::epsilon();

struct Single {
  double delta;
  double operator()(const GaussianCost& c) const { return gdp_epsilon(c.mu, delta); }
  double operator()(const LaplaceCost& c) const { return c.epsilon; }
  double operator()(const PureCost& c) const { return c.epsilon; }
  double operator()(const SubsampledGaussianCost& c) const {
    if (delta >= c.sampling_rate) return 0;
    const double whole = gdp_epsilon(1 / c.noise_multiplier, delta / c.sampling_rate);
    const double epsilon = whole < 30 ? std::log1p(c.sampling_rate * std::expm1(whole))
                                      : whole + std::log(c.sampling_rate) + 1e-12;
    return epsilon * kRound;
  }
};

bool is_pure(const Cost& cost) {
  return std::holds_alternative<LaplaceCost>(cost) || std::holds_alternative<PureCost>(cost);
}

// delta divided among the releases that need some; 0 if none does.
double share_of(std::span<const Spend> spends, double delta) {
  double releases = 0;
  for (const Spend& spend : spends) {
    if (!is_pure(spend.cost)) releases += static_cast<double>(spend.count);
  }
  return releases > 0 ? delta / releases : 0;
}

}  // namespace

double single_epsilon(const Cost& cost, double delta) { return std::visit(Single{delta}, cost); }

double basic_epsilon(std::span<const Spend> spends, double delta) {
  require_spends(spends);
  if (const double sum = basic_pure_epsilon(spends); !std::isnan(sum)) return sum;
  const double share = share_of(spends, delta);
  double sum = 0;
  for (const Spend& spend : spends) {
    sum += static_cast<double>(spend.count) * single_epsilon(spend.cost, share);
  }
  return sum * kRound;
}

double advanced_epsilon(std::span<const Spend> spends, double delta) {
  require_spends(spends);
  require_delta(delta);
  const double share = share_of(spends, delta / 2);
  double squares = 0, drift = 0;
  for (const Spend& spend : spends) {
    const double epsilon = single_epsilon(spend.cost, share);
    squares += static_cast<double>(spend.count) * epsilon * epsilon;
    drift += static_cast<double>(spend.count) * epsilon * std::expm1(epsilon);
  }
  const double slack = share > 0 ? delta / 2 : delta;
  return (std::sqrt(-2 * std::log(slack) * squares) + drift) * kRound;
}

}  // namespace sotto
