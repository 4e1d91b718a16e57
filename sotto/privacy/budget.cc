#include "sotto/privacy/budget.h"

#include <cmath>
#include <limits>

#include "sotto/base/error.h"
#include "sotto/privacy/checks.h"
#include "sotto/privacy/gdp.h"
#include "sotto/privacy/renyi.h"
#include "sotto/privacy/spends.h"

namespace sotto {
namespace {

// Covers a few roundings of 2^-64 each.
constexpr long double kUp = 1 + 0x1p-60L;

}  // namespace

Budget::Budget(Rule rule, double epsilon, double delta, Amount limit)
    : rule_(rule), epsilon_(epsilon), delta_(delta), limit_(limit) {}

Budget::Budget(Budget&& other) noexcept
    : rule_(other.rule_),
      epsilon_(other.epsilon_),
      delta_(other.delta_),
      limit_(other.limit_),
      spent_square_(other.spent_square_),
      spent_pure_(other.spent_pure_) {
  other.limit_ = {};  // nothing can be charged to what was moved from
}

void Budget::Total::add(long double amount) {
  const long double next = sum + amount;
  rest += sum >= amount ? (sum - next) + amount : (amount - next) + sum;
  sum = next;
}

long double Budget::Total::up() const { return (sum + rest) * kUp; }

Budget Budget::gaussian(double epsilon, double delta, double pure_epsilon) {
  SOTTO_REQUIRE(pure_epsilon >= 0 && pure_epsilon < epsilon,
                "the pure part of a budget must lie in [0, epsilon), got {} of {}", pure_epsilon,
                epsilon);
  const long double mu = gdp_mu(std::nextafter(epsilon - pure_epsilon, 0.0), delta);
  return {Rule::gaussian, epsilon, delta, {mu * mu, pure_epsilon}};
}

Budget Budget::concentrated(double epsilon, double delta) {
  const long double rho = zcdp_rho(epsilon, delta);
  return {Rule::concentrated, epsilon, delta, {2 * rho, 0}};
}

Budget Budget::pure(double epsilon) {
  require_epsilon(epsilon);
  return {Rule::pure, epsilon, 0, {0, epsilon}};
}

Budget::Amount Budget::price(std::span<const Spend> spends) const {
  require_spends(spends);
  Amount amount;
  for (const Spend& spend : spends) {
    const auto count = static_cast<long double>(spend.count);
    SOTTO_REQUIRE(!std::holds_alternative<SubsampledGaussianCost>(spend.cost),
                  "sampled releases cannot be charged to an adaptive budget: fix their number and "
                  "noise in advance and account for them as a list");
    const long double pure = pure_epsilon(spend.cost);
    if (const auto* gaussian = std::get_if<GaussianCost>(&spend.cost)) {
      amount.square += count * gaussian->mu * gaussian->mu * kUp;
    } else if (rule_ == Rule::concentrated) {
      amount.square += count * pure * pure * kUp;
    } else {
      amount.pure += count * pure;
    }
  }
  return amount;
}

bool Budget::covers(const Amount& amount) const {
  return spent_square_.up() + amount.square <= limit_.square &&
         spent_pure_.up() + amount.pure <= limit_.pure;
}

void Budget::pay(const Amount& amount) {
  spent_square_.add(amount.square);
  spent_pure_.add(amount.pure);
}

bool Budget::affords(std::span<const Spend> spends) const { return covers(price(spends)); }

void Budget::charge(std::span<const Spend> spends) {
  const Amount amount = price(spends);
  SOTTO_REQUIRE(covers(amount),
                "the privacy budget does not cover this release: mu {:.6g} and epsilon {:.6g} are "
                "asked for, mu {:.6g} and epsilon {:.6g} are left",
                std::sqrt(static_cast<double>(amount.square)), static_cast<double>(amount.pure),
                gaussian_left(), pure_left());
  pay(amount);
}

std::vector<Budget> Budget::split(std::span<const double> shares) {
  double sum = 0;
  for (const double share : shares) {
    SOTTO_REQUIRE(share > 0 && share <= 1, "a share of a budget must lie in (0, 1], got {}", share);
    sum += share;
  }
  SOTTO_REQUIRE(sum <= 1 + 1e-12, "the shares of a budget must sum to at most 1, got {}", sum);
  const Amount left{std::fmax(limit_.square - spent_square_.up(), 0.0L),
                    std::fmax(limit_.pure - spent_pure_.up(), 0.0L)};
  std::vector<Budget> parts;
  for (const double share : shares) {
    const long double fraction = share / std::fmax(sum, 1.0);
    const Amount part{left.square * fraction / kUp, left.pure * fraction / kUp};
    parts.push_back(Budget(rule_, epsilon_, delta_, part));
    pay(part);
  }
  return parts;
}

double Budget::gaussian_left() const {
  return static_cast<double>(std::sqrt(std::fmax(limit_.square - spent_square_.up(), 0.0L)));
}

double Budget::pure_left() const {
  if (rule_ == Rule::concentrated) return gaussian_left();
  return static_cast<double>(std::fmax(limit_.pure - spent_pure_.up(), 0.0L));
}

double Budget::noise_multiplier(std::int64_t count) const {
  require_count(count);
  const double mu = gaussian_left();
  SOTTO_REQUIRE(mu > 0, "nothing is left of the privacy budget for Gaussian releases");
  return std::sqrt(static_cast<double>(count)) / mu *
         (1 + 8 * std::numeric_limits<double>::epsilon());
}

}  // namespace sotto
