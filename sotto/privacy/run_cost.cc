#include "sotto/privacy/run_cost.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/privacy/checks.h"
#include "sotto/privacy/gdp.h"
#include "sotto/privacy/numbers.h"
#include "sotto/privacy/spends.h"

namespace sotto {
namespace {

// Shares of the limit, fixed before the first run (run_cost.md).
constexpr double kPlainDelta = 0.5;       // plain sum: deltas of the claims
constexpr double kClaimsEpsilon = 0.5;    // Gaussian count: claims, pure costs, rounding
constexpr double kClaimsDelta = 0.25;     // Gaussian count: their deltas
constexpr double kGaussianEpsilon = 0.5;  // Gaussian count: the rest, for mu^2
constexpr double kGaussianDelta = 0.25;

// Twenty runs of 0.2 are 4, whatever 0.2 is rounded to.
constexpr long double kTolerance = 1 + 1e-12L;

// Covers the roundings of a sum of squares of a run.
constexpr long double kSumUp = 1 + 0x1p-44L;

}  // namespace

double most_mu_squared(const PrivacyClaim& claim) {
  const double mu = gdp_mu(claim.epsilon, claim.delta);
  return mu * mu * (1 - kUnit);
}

PrivacyClaim whole_claim(const PrivacyClaim& asked, const std::string& unit) {
  if (unit != "rating") return asked;
  const double up = std::exp(asked.epsilon) * (1 + 4 * kUnit);
  return {2 * asked.epsilon, (1 + up) * asked.delta * (1 + 4 * kUnit)};
}

std::optional<RunCost> cost_of_releases(const Certificate& certificate, const std::string& unit) {
  const bool withdraws = unit == "rating" && certificate.statement.adds_or_removes;
  if (!certificate.proved || withdraws) return std::nullopt;
  long double pure = 0, mu_squared = 0, rounding = 0, delta = 0;
  for (const auto& [record, parallel] : certificate.releases) {
    if (parallel > 0 || std::holds_alternative<SubsampledGaussianCost>(record.cost)) {
      return std::nullopt;
    }
    const auto count = static_cast<long double>(record.count);
    if (const auto* gaussian = std::get_if<GaussianCost>(&record.cost)) {
      const long double mu = gaussian->mu;
      mu_squared += count * mu * mu;
    }
    pure += count * pure_epsilon(record.cost);
    rounding += count * record.precision.epsilon;
    delta += count * record.precision.delta;
  }
  const auto up = [](long double sum) { return static_cast<double>(sum * kSumUp); };
  return RunCost{up(pure), up(mu_squared), up(rounding), up(delta)};
}

RunCount::RunCount(const PrivacyClaim& limit) : limit_(limit) {
  require_epsilon(limit.epsilon);
  require_delta(limit.delta);
  gaussian_share_ =
      most_mu_squared({kGaussianEpsilon * limit.epsilon, kGaussianDelta * limit.delta});
}

void RunCount::Amounts::add(const RunCost& cost) {
  pure += cost.pure;
  mu_squared += cost.mu_squared;
  rounding += cost.rounding;
  delta += cost.delta;
}

void RunCount::add(const CountedRun& run) {
  const RunCost claimed{run.claim.epsilon, 0, 0, run.claim.delta};
  plain_.add(claimed);
  RunCost held = run.cost.value_or(claimed);
  settled_.add(held);
  if (!run.cost) held.mu_squared = run.held;
  gaussian_.add(held);
}

// What the factor exp(rounding) adds to a delta that is below the limit's: exp(x) - 1 is at most
// x exp(share) for x up to the share of epsilon that pays for x.
double RunCount::delta_of_rounding(long double rounding) const {
  return static_cast<double>(rounding * limit_.delta * std::exp(kClaimsEpsilon * limit_.epsilon));
}

bool RunCount::plain_covers(const PrivacyClaim& claim) const {
  return plain_.pure + claim.epsilon <= limit_.epsilon * kTolerance &&
         plain_.delta + claim.delta <= kPlainDelta * limit_.delta * kTolerance;
}

bool RunCount::gaussian_covers(const PrivacyClaim& claim) const {
  const long double delta = gaussian_.delta + delta_of_rounding(gaussian_.rounding) + claim.delta;
  return gaussian_.pure + gaussian_.rounding + claim.epsilon <=
             kClaimsEpsilon * limit_.epsilon * kTolerance &&
         delta <= kClaimsDelta * limit_.delta * kTolerance &&
         gaussian_.mu_squared <= gaussian_share_ * kTolerance;
}

bool RunCount::admits(const PrivacyClaim& claim) const {
  return plain_covers(claim) || gaussian_covers(claim);
}

bool RunCount::has_gaussian_room(double mu_squared) const {
  return gaussian_.mu_squared + mu_squared <= gaussian_share_ * kTolerance;
}

bool RunCount::settles(const CountedRun& run, const RunCost& cost) const {
  return run.held > 0 && cost.pure + cost.rounding <= run.claim.epsilon &&
         cost.mu_squared <= run.held * kTolerance &&
         cost.delta + delta_of_rounding(cost.rounding) <= run.claim.delta;
}

PrivacyClaim RunCount::left() const {
  const auto above_zero = [](long double x) { return static_cast<double>(std::fmax(x, 0.0L)); };
  const long double plain = limit_.epsilon - plain_.pure;
  const long double claims = kClaimsEpsilon * limit_.epsilon - gaussian_.pure - gaussian_.rounding;
  const long double plain_delta = kPlainDelta * limit_.delta - plain_.delta;
  const long double claims_delta =
      kClaimsDelta * limit_.delta - gaussian_.delta - delta_of_rounding(gaussian_.rounding);
  // A count without room for the least claim has room for nothing.
  const PrivacyClaim least{kUnit * limit_.epsilon, kUnit * limit_.delta};
  PrivacyClaim left{0, 0};
  if (plain_covers(least)) left = {above_zero(plain), above_zero(plain_delta)};
  if (gaussian_covers(least)) {
    left.epsilon = std::max(left.epsilon, above_zero(claims));
    left.delta = std::max(left.delta, above_zero(claims_delta));
  }
  return left;
}

double RunCount::composed_epsilon() const {
  const auto base = static_cast<double>(settled_.pure + settled_.rounding);
  const auto left =
      static_cast<double>((limit_.delta - settled_.delta) * std::exp(-settled_.rounding));
  if (settled_.mu_squared == 0) return left >= 0 ? base : kInfinity;
  if (!(left > 0)) return kInfinity;
  return base + gdp_epsilon(std::sqrt(static_cast<double>(settled_.mu_squared)), left);
}

PrivacyClaim RunCount::plain_sum() const {
  return {static_cast<double>(plain_.pure), static_cast<double>(plain_.delta)};
}

}  // namespace sotto
