#include "sotto/release/private_run.h"

#include <limits>

#include "sotto/base/error.h"
#include "sotto/ledger/reservation.h"
#include "sotto/release/privacy_options.h"

namespace sotto {
namespace {

ReleaseRecord repeated(ReleaseRecord one, std::int64_t count) {
  one.count = count;
  return one;
}

std::optional<Budget> budget_of(const Plan& plan) {
  if (!plan.held_by_budget) return std::nullopt;
  return Budget::gaussian(plan.target.epsilon, plan.target.delta, plan.pure_epsilon);
}

// One, and what the rounding of a sum of shares may add to it.
constexpr double kWholeBudget = 1 + 0x1p-40;

// Disjoint releases together cost as much as the most expensive one.
void require_shares(const Plan& plan) {
  double sum = 0, largest_disjoint = 0;
  for (const PlannedRelease& release : plan.releases) {
    if (release.disjoint) {
      largest_disjoint = std::max(largest_disjoint, release.share);
    } else {
      sum += release.share;
    }
  }
  sum += largest_disjoint;
  SOTTO_REQUIRE(sum <= kWholeBudget, "the shares of a plan sum to {}", sum);
}

}  // namespace

PrivateRun::PrivateRun(const Plan& plan, NoiseKey key)
    : PrivateRun(plan.statement, std::move(key), budget_of(plan)) {
  require_shares(plan);
  planned_.emplace();
  for (const PlannedRelease& release : plan.releases) {
    Allowed& allowed = (*planned_)[release.what];
    allowed.count += release.count;
    allowed.values = std::max(allowed.values, release.values);
    allowed.share = std::max(allowed.share, release.share / static_cast<double>(release.count));
  }
}

PrivateRun::PrivateRun(const Plan& plan, const TargetOptions& options)
    : PrivateRun(plan, options.key()) {
  observer_ = options.observer;
  if (options.ledger.empty()) return;
  SOTTO_REQUIRE(options.reservation && !denied_,
                "a run that a ledger counts needs a place in it, and secure noise");
  options.reservation->begin({plan.target.epsilon, plan.target.delta}, plan.statement);
  reservation_ = options.reservation;
}

PrivateRun::PrivateRun(const PrivacyStatement& statement, NoiseKey key)
    : PrivateRun(statement, std::move(key), std::optional<Budget>()) {}

PrivateRun::PrivateRun(const PrivacyStatement& statement, NoiseKey key, Budget budget)
    : PrivateRun(statement, std::move(key), std::optional(std::move(budget))) {}

PrivateRun::PrivateRun(const PrivacyStatement& statement, NoiseKey key,
                       std::optional<Budget> budget)
    : key_(std::move(key)), budget_(std::move(budget)), ledger_(statement) {
  const std::optional<PrivacyClaim>& promise = statement.budget;
  SOTTO_REQUIRE(!promise || (budget_ && budget_->epsilon() <= promise->epsilon &&
                             budget_->delta() <= promise->delta),
                "the certificate would promise a budget that does not hold this run");
  if (!key_.secure()) {
    deny("the noise was drawn from an insecure seed: whoever knows it can subtract the noise");
  }
}

void PrivateRun::require_planned(const ReleaseRecord& release) {
  if (!planned_) return;
  const auto found = planned_->find(release.what);
  SOTTO_REQUIRE(found != planned_->end() && found->second.count >= release.count,
                "'{}' is not in the plan of this run, or not so often", release.what);
  Allowed& allowed = found->second;
  SOTTO_REQUIRE(allowed.values == 0 || release.values <= allowed.values,
                "'{}' has {} numbers, the plan has {}", release.what, release.values,
                allowed.values);
  allowed.count -= release.count;
}

void PrivateRun::require_share(const std::string& what, double share) const {
  SOTTO_REQUIRE(share > 0 && share <= kWholeBudget, "{} is no share of a budget", share);
  if (!planned_) return;
  const auto found = planned_->find(what);
  SOTTO_REQUIRE(found != planned_->end() && share <= found->second.share * kWholeBudget,
                "'{}' has no share of {} in the plan of this run", what, share);
}

void PrivateRun::charge(const ReleaseRecord& release) {
  require_planned(release);
  if (budget_) budget_->charge(Spend{release.cost, release.count});
}

NoiseStream PrivateRun::begin_drawing() {
  SOTTO_REQUIRE(!unfinished_,
                "a release of this run failed while it was drawn; nothing follows it");
  unfinished_ = true;
  return key_.open_stream();
}

void PrivateRun::record(const ReleaseRecord& release, DisjointGroup group) {
  if (group.number == 0) {
    ledger_.add(release);
  } else {
    ledger_.add_to_group(group.number, release);
  }
}

void PrivateRun::replay(const ReleaseRecord& release, DisjointGroup group) {
  charge(release);
  key_.open_stream();
  record(release, group);
}

void PrivateRun::deny(const std::string& reason) {
  SOTTO_REQUIRE(!reservation_, "a run without a guarantee cannot be counted in a ledger: {}",
                reason);
  denied_ = true;
  ledger_.deny(reason);
}

ReleaseRecord record_without_noise(const std::string& what, std::int64_t values) {
  return {what, "none",          0,     0, 1, PureCost{std::numeric_limits<double>::infinity()},
          {},   "without noise", values};
}

void PrivateRun::leave_without_noise(const std::string& what, std::int64_t values) {
  const ReleaseRecord bare = record_without_noise(what, values);
  require_planned(bare);
  record(bare, {});
}

NoiseStream PrivateRun::noise_without_proof() {
  SOTTO_REQUIRE(denied_, "noise that no mechanism draws is only for runs without a guarantee");
  return key_.open_stream();
}

void PrivateRun::require_budget() const {
  SOTTO_REQUIRE(budget_, "releases that are chosen during the run need a budget");
}

double PrivateRun::mu_left() const {
  require_budget();
  return budget_->gaussian_left();
}

Certificate PrivateRun::certify() const {
  SOTTO_REQUIRE(!unfinished_, "a release of this run failed while it was drawn: no certificate");
  Certificate certificate = ledger_.certify();
  if (reservation_) reservation_->settle(certificate);
  if (observer_) observer_->certified(certificate);
  return certificate;
}

PlannedReleases::PlannedReleases(PrivateRun& run, const ReleaseRecord& all)
    : run_(run), left_(all.count) {
  run.charge(all);
  run.record(all, {});
}

PlannedReleases::PlannedReleases(PrivateRun& run, ReleaseRecord one, std::int64_t count)
    : PlannedReleases(run, repeated(std::move(one), count)) {}

void PlannedReleases::take() {
  SOTTO_REQUIRE(left_ > 0, "all releases that were planned have been made");
  --left_;
}

}  // namespace sotto
