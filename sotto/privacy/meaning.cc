#include "sotto/privacy/meaning.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sotto/base/error.h"
#include "sotto/base/json.h"
#include "sotto/privacy/accountant.h"
#include "sotto/privacy/gdp.h"
#include "sotto/privacy/spends.h"

namespace sotto {
namespace {

constexpr double kRaised = 1 + 1e-9;
constexpr double kWiderOdds = 1.1;      // for these the exception is delta / (1 - 1 / kWiderOdds)
constexpr double kMostExcepted = 1000;  // deltas: beyond this the wider odds say more

// The loss of a record: pure + rounding + N(mu^2/2, mu^2), up to an event of probability `lost`.
struct PlainLoss {
  double mu = 0, pure = 0, rounding = 0, lost = 0;
};

std::optional<PlainLoss> plain_loss(const RecordBill& bill) {
  if (any_sampled(bill.spends)) return std::nullopt;
  PlainLoss loss{0, 0, bill.precision.epsilon, bill.precision.delta};
  double mu_squared = 0;
  for (const auto& [cost, count] : bill.spends) {
    const auto n = static_cast<double>(count);
    if (const auto* gaussian = std::get_if<GaussianCost>(&cost)) {
      mu_squared += n * gaussian->mu * gaussian->mu;
    }
    loss.pure += n * pure_epsilon(cost);
  }
  loss.mu = std::sqrt(mu_squared) * kRaised;
  return loss;
}

// The losses of all bills; none where one of them is not plain.
std::vector<PlainLoss> plain_losses(const Promise& promise) {
  std::vector<PlainLoss> losses;
  for (const RecordBill& bill : promise.bills) {
    std::optional<PlainLoss> loss = plain_loss(bill);
    if (!loss || (promise.chosen && loss->pure > 0)) return {};
    if (promise.chosen) loss->mu = gdp_mu(promise.claim.epsilon, promise.claim.delta);
    losses.push_back(*loss);
  }
  return losses;
}

double normal_tail(double x) { return std::erfc(x / std::sqrt(2.0)) / 2 * kRaised; }

// Pr[loss > epsilon]; above 1 where nothing is known.
double probability_above(const PlainLoss& loss, double epsilon) {
  const double margin = epsilon - loss.pure - loss.rounding;
  if (loss.mu == 0) return margin >= -1e-12 * epsilon ? loss.lost : 2;
  if (!(margin > 0)) return 2;
  return std::exp(loss.rounding) * normal_tail(margin / loss.mu - loss.mu / 2) + loss.lost;
}

Odds wider_odds(const PrivacyClaim& claim) {
  if (claim.delta == 0) return {std::exp(claim.epsilon) * kRaised, 0};
  return {kWiderOdds * std::exp(claim.epsilon) * kRaised,
          std::min(1.0, claim.delta / (1 - 1 / kWiderOdds) * kRaised)};
}

Odds odds_of(const PrivacyClaim& claim, const std::vector<PlainLoss>& losses) {
  double except = losses.empty() ? 2 : 0;
  for (const PlainLoss& loss : losses) {
    except = std::max(except, probability_above(loss, claim.epsilon));
  }
  if (except > kMostExcepted * claim.delta) return wider_odds(claim);
  return {std::exp(claim.epsilon) * kRaised, except};
}

double power_at(const PrivacyClaim& claim) {
  const double power =
      std::min(std::exp(claim.epsilon) * kFalseAlarms + claim.delta,
               1 - std::exp(-claim.epsilon) * std::max(0.0, 1 - claim.delta - kFalseAlarms));
  return std::min(1.0, power * kRaised);
}

double power_under(const PlainLoss& loss) {
  const double base = loss.pure + loss.rounding;
  double least = 1;
  constexpr int kSteps = 64, kStepsOfADeviation = 16;
  for (int n = 0; n <= kSteps; ++n) {
    const double epsilon = loss.mu * n / kStepsOfADeviation;
    const double delta = loss.mu > 0 ? gdp_delta(epsilon, loss.mu) : 0;
    const double excess = std::exp(loss.rounding) * delta + loss.lost;
    least = std::min(least, power_at({base + epsilon, excess}));
  }
  return least;
}

double power_under(const RecordBill& bill) {
  double least = 1;
  for (const double delta : {0.003, 0.03, 0.1}) {
    const double epsilon = account(bill.spends, delta) + bill.precision.epsilon;
    const double excess = std::exp(bill.precision.epsilon) * delta + bill.precision.delta;
    least = std::min(least, power_at({epsilon, excess}));
  }
  return least;
}

double power_of(const Promise& promise, const std::vector<PlainLoss>& losses) {
  double worst = 0;
  for (const PlainLoss& loss : losses) worst = std::max(worst, power_under(loss));
  if (losses.empty() && promise.chosen) worst = 1;
  if (losses.empty() && !promise.chosen) {
    for (const RecordBill& bill : promise.bills) worst = std::max(worst, power_under(bill));
  }
  return std::min(worst, power_at(promise.claim));
}

PrivacyClaim group_of(const PrivacyClaim& claim, const std::vector<PlainLoss>& losses) {
  constexpr double k = kGroup;
  if (losses.size() == 1) {
    const PlainLoss& loss = losses.front();
    const double base = k * loss.pure + loss.rounding;
    if (loss.mu == 0) return {base * kRaised, claim.delta};
    const double left = (claim.delta - loss.lost) * std::exp(-loss.rounding);
    if (left > 0) return {(base + gdp_epsilon(k * loss.mu, left)) * kRaised, claim.delta};
  }
  const double steps = std::expm1(k * claim.epsilon) / std::expm1(claim.epsilon);
  return {k * claim.epsilon * kRaised, std::min(1.0, claim.delta * steps * kRaised)};
}

}  // namespace

Meaning meaning_of(const Promise& promise) {
  const PrivacyClaim& claim = promise.claim;
  SOTTO_REQUIRE(claim.epsilon > 0 && claim.epsilon <= kMostTelling,
                "an epsilon of {} has no meaning in odds", claim.epsilon);
  const std::vector<PlainLoss> losses = plain_losses(promise);
  Meaning meaning;
  meaning.one = odds_of(claim, losses);
  meaning.power = power_of(promise, losses);
  meaning.group = group_of(claim, losses);
  meaning.several = wider_odds(meaning.group);
  return meaning;
}

Promise promise_of(const Certificate& certificate) {
  return {{certificate.epsilon, certificate.statement.delta},
          certificate.bills(),
          certificate.statement.budget.has_value()};
}

Json Meaning::to_json() const {
  Json json{{"odds", one.odds},
            {"except_with_probability", one.except},
            {"false_alarms", kFalseAlarms},
            {"largest_power", power},
            {"group", kGroup},
            {"group_epsilon", group.epsilon},
            {"group_delta", group.delta}};
  if (group.epsilon <= kMostTelling && several.except < 1) {
    json["group_odds"] = several.odds;
    json["group_except_with_probability"] = several.except;
  }
  return json;
}

}  // namespace sotto
