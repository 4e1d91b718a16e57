#include "sotto/release/private_users.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sotto/base/clip.h"
#include "sotto/base/error.h"
#include "sotto/privacy/gaussian.h"
#include "sotto/release/access.h"
#include "sotto/release/packed_matrix.h"
#include "sotto/release/rounding.h"

namespace sotto {
namespace {

// private_users.md, 2 and 3.

double sensitivity_for(double numbers) { return kSafeLong + std::sqrt(numbers) * kUserUnit / 2; }

// Bounded, so that no square overflows or vanishes.
void require_constant(double constant) {
  SOTTO_REQUIRE(constant >= 1e-60 && constant <= 1e6,
                "the constant must lie between 1e-60 and 1e6, got {}", constant);
}

// A block of numbers to which a user contributes a norm of at most one.
GaussianMechanism block_mechanism(const char* what, std::int64_t count, double mu) {
  const auto numbers = static_cast<double>(count);
  const double sensitivity = sensitivity_for(numbers);
  return GaussianMechanism(what, sensitivity, deviation_for({sensitivity, std::sqrt(numbers)}, mu),
                           count);
}

// Converts whole numbers of units to doubles, column by column.
Matrix matrix_of(const std::vector<std::int64_t>& units, Index columns) {
  Matrix result(std::ssize(units) / columns, columns);
  for (Index n = 0; n < result.size(); ++n) {
    result.data()[n] = static_cast<double>(units[static_cast<std::size_t>(n)]) * kUserUnit;
  }
  return result;
}

}  // namespace

PrivacyStatement user_statement(const UserPlan& plan) {
  PrivacyStatement statement;
  statement.unit = "all ratings of one user, including which items were rated";
  statement.neighbours = "one user with all ratings added or removed";
  statement.adds_or_removes = true;
  statement.public_facts = {
      fmt::format("the list of items, {} of them (ratings of other items are not used)",
                  plan.items),
      fmt::format("the range of the values, {:g} to {:g} (others are clipped to it)",
                  plan.bounds.low, plan.bounds.high),
      "all options"};
  if (plan.times > 0) {
    statement.public_facts.push_back(fmt::format("the list of times, {} of them", plan.times));
  }
  if (plan.users > 0) {
    statement.public_facts.push_back(
        fmt::format("a guess of the number of users, {}, by which delta is judged", plan.users));
    statement.units = {plan.users, "users, by a public guess"};
  }
  statement.delta = plan.target.delta;
  statement.budget = {plan.target.epsilon, plan.target.delta};
  return statement;
}

PlannedRelease planned_block(const char* what, std::int64_t numbers, double mu, double share) {
  return planned(block_mechanism(what, numbers, mu).record(), share);
}

PrivateUsers::PrivateUsers(Sensitive<ObservedEntries> ratings, const UserPlan& plan,
                           PrivateRun& run)
    : PrivateUsers(held_users(std::move(ratings), plan.rules()), plan, run) {}

PrivateUsers::PrivateUsers(Sensitive<Users> users, const UserPlan& plan, PrivateRun& run)
    : plan_(plan), users_(std::move(users)), run_(run) {
  plan.rules().check();
  run.require_budget();
}

// Bounded, so that no square overflows.
void PrivateUsers::require_centre(const UserCentre& centre) const {
  constexpr double most = 1e6;
  SOTTO_REQUIRE(
      centre.times.size() == 0 || (centre.times.size() == plan_.times && centre.times.allFinite() &&
                                   centre.times.cwiseAbs().maxCoeff() <= most),
      "a centre has a finite effect for each of {} times, or none", plan_.times);
  SOTTO_REQUIRE(centre.effects.size() == plan_.items && centre.effects.allFinite() &&
                    centre.effects.cwiseAbs().maxCoeff() <= most && std::abs(centre.mean) <= most &&
                    centre.shrink > 0,
                "a centre has a finite effect for each of {} items", plan_.items);
}

std::vector<std::int64_t> PrivateUsers::sums(const UserQuestion& question) {
  return ReleaseAccess::view(users_)->sums(question);
}

template <class Block>
Released<Noisy<Block>> PrivateUsers::release(const char* what, double mu, Block sums) {
  const std::int64_t numbers = sums.size();
  return run_.publish(block_mechanism(what, numbers, mu), std::move(sums));
}

Released<Noisy<Vector>> PrivateUsers::levels(double mu) {
  const Matrix sum = matrix_of(sums({UserSum::levels, {}, 0, {}}), 1);
  const Noisy<Vector> halves = release(kUserLevels, mu, Vector(sum.col(0))).value();
  return ReleaseAccess::released(Noisy<Vector>{halves.value * 2, halves.deviation * 2});
}

Released<Noisy<Matrix>> PrivateUsers::item_sums(const UserCentre& centre, double constant,
                                                double mu) {
  require_centre(centre);
  require_constant(constant);
  return release(kItemSums, mu, matrix_of(sums({UserSum::items, centre, constant, {}}), 2));
}

Released<Noisy<Matrix>> PrivateUsers::time_sums(const UserCentre& centre, double constant,
                                                double mu) {
  require_centre(centre);
  require_constant(constant);
  SOTTO_REQUIRE(plan_.times > 0, "no times were declared");
  return release(kTimeSums, mu, matrix_of(sums({UserSum::times, centre, constant, {}}), 2));
}

Released<Noisy<Matrix>> PrivateUsers::pair_moment(const UserCentre& centre,
                                                  std::span<const std::int32_t> core, double mu) {
  require_centre(centre);
  const Index d = std::ssize(core);
  const auto sum = sums({UserSum::pairs, centre, 0, {core.begin(), core.end()}});
  PackedMatrix moment(d, [&](Index i, Index j) {
    return static_cast<double>(sum[static_cast<std::size_t>(packed_place(d, i, j))]) * kUserUnit;
  });
  const auto side = static_cast<double>(d);
  const double sensitivity = sensitivity_for(side * side);
  const SymmetricGaussianMechanism mechanism(
      kPairMoment, sensitivity, deviation_for({sensitivity, side, std::numbers::sqrt2}, mu), d, 2);
  return ReleaseAccess::released(unpacked(run_.publish(mechanism, std::move(moment)).value()));
}

}  // namespace sotto
