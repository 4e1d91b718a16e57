#include "sotto/ledger/forecast.h"

#include <fmt/format.h>

#include <cmath>

#include "sotto/base/error.h"
#include "sotto/base/rounded_up.h"

namespace sotto {
namespace {

std::string refusal_of(const LedgerAccount& account, const RunLedger::Request& request) {
  try {
    require_admitted("the ledger", account, request);
    return "";
  } catch (const Error& error) {
    return error.message();
  }
}

double composed_with(RunCount count, const CountedRun& run) {
  count.add(run);
  return count.composed_epsilon();
}

Json number_or_null(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

}  // namespace

LedgerForecast::LedgerForecast(const LedgerAccount& account, const RunLedger::Request& request)
    : name_(account.data.name),
      asked_(request.asked),
      limit_(account.limits.back()),
      refusal_(refusal_of(account, request)) {
  const RunCount count = account.count();
  const PrivacyClaim claim = whole_claim(asked_, request.unit);
  composed_ = count.composed_epsilon();
  const double mu_squared = most_mu_squared(claim);
  after_claim_ = composed_with(count, {claim, 0, {}});
  after_gaussian_ = account.has_gaussian_room(mu_squared)
                        ? composed_with(count, {claim, mu_squared, RunCost{0, mu_squared, 0, 0}})
                        : after_claim_;
  gaussian_runs_ = runs_that_fit(account, claim, true, kMostRuns);
  claimed_runs_ = runs_that_fit(account, claim, false, kMostRuns);
}

std::string LedgerForecast::to_text() const {
  const auto runs = [](std::int64_t number) {
    return fmt::format("{}{}", number, number == kMostRuns ? " or more" : "");
  };
  if (!refusal_.empty()) return fmt::format("this run would be refused: {}\n", refusal_);
  return fmt::format(
      "{}: composed epsilon {} of {:g} at delta {:g} so far; after a run of epsilon {:g} and delta "
      "{:g} at most {} if its releases are Gaussian, {} if it counts in full\nsuch runs that fit: "
      "{} if their releases are Gaussian, {} if they count in full\n",
      name_, rounded_up(composed_, 4), limit_.epsilon, limit_.delta, asked_.epsilon, asked_.delta,
      rounded_up(after_gaussian_, 4), rounded_up(after_claim_, 4), runs(gaussian_runs_),
      runs(claimed_runs_));
}

Json LedgerForecast::to_json() const {
  return {{"data", name_},
          {"admitted", refusal_.empty()},
          {"refusal", refusal_},
          {"limit", {{"epsilon", limit_.epsilon}, {"delta", limit_.delta}}},
          {"composed", number_or_null(composed_)},
          {"composed_after_gaussian", number_or_null(after_gaussian_)},
          {"composed_after_claim", number_or_null(after_claim_)},
          {"runs_that_fit_gaussian", gaussian_runs_},
          {"runs_that_fit_claimed", claimed_runs_}};
}

}  // namespace sotto
