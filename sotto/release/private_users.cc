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
constexpr double kUnit = 0x1p-21;
constexpr Index kMostItems = Index{1} << 22, kMostTimes = Index{1} << 16;
constexpr double kShortestUser = 0x1p-10;

std::int64_t in_units(double x) { return std::llrint(x / kUnit); }

double sensitivity_for(double numbers) { return kSafeLong + std::sqrt(numbers) * kUnit / 2; }

// The order in which a user's ratings are taken under a cap: a fixed shuffle of the items.
std::uint64_t place_of(std::int32_t item) {
  auto x = static_cast<std::uint64_t>(item) + 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

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

struct UserEntry {
  std::int32_t user;
  Index entry;
};

// The entries with a listed item, in the order of the users, and each user's in the order of the
// file. The cost depends on the number of entries, not on how users are numbered.
std::vector<UserEntry> listed_by_user(const ObservedEntries& entries) {
  std::vector<UserEntry> listed;
  for (Index e = 0; e < entries.size(); ++e) {
    if (entries.row(1, e) != kUnknownRow) listed.push_back({entries.row(0, e), e});
  }
  const auto earlier = [](const UserEntry& a, const UserEntry& b) {
    return a.user != b.user ? a.user < b.user : a.entry < b.entry;
  };
  if (!std::is_sorted(listed.begin(), listed.end(), earlier)) {
    std::sort(listed.begin(), listed.end(), earlier);
  }
  return listed;
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
    : plan_(plan), run_(run) {
  plan.bounds.check();
  SOTTO_REQUIRE(plan.items >= 1 && plan.items <= kMostItems, "1 to {} items are allowed, got {}",
                kMostItems, plan.items);
  SOTTO_REQUIRE(plan.times >= 0 && plan.times <= kMostTimes, "at most {} times are allowed, got {}",
                kMostTimes, plan.times);
  run.require_budget();
  take(ReleaseAccess::view(ratings));
}

// User by user: listed items only, each once, at most per_user of them.
void PrivateUsers::take(const ObservedEntries& entries) {
  refuse_nan(entries.value);
  const std::vector<UserEntry> listed = listed_by_user(entries);
  begin_.push_back(0);
  std::vector<Rating> own;
  for (auto next = listed.begin(); next != listed.end();) {
    own.clear();
    for (const std::int32_t user = next->user; next != listed.end() && next->user == user; ++next) {
      const std::int32_t time = plan_.times > 0 ? entries.row(2, next->entry) : kUnknownRow;
      const double z = plan_.bounds.centred(entries.at(next->entry)) / plan_.bounds.half();
      own.push_back({entries.row(1, next->entry), time, clipped(z, -1, 1)});
    }
    const auto earlier = [](const Rating& a, const Rating& b) {
      return place_of(a.item) < place_of(b.item);
    };
    const auto same = [](const Rating& a, const Rating& b) { return a.item == b.item; };
    std::stable_sort(own.begin(), own.end(), earlier);
    own.erase(std::unique(own.begin(), own.end(), same), own.end());
    if (plan_.per_user > 0 && std::ssize(own) > plan_.per_user) {
      own.resize(static_cast<std::size_t>(plan_.per_user));
    }
    ratings_.insert(ratings_.end(), own.begin(), own.end());
    begin_.push_back(ratings_.size());
  }
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

void PrivateUsers::left_of(std::size_t user, const UserCentre& centre,
                           std::vector<double>& left) const {
  const auto own = of(user);
  left.clear();
  double sum = 0;
  for (const Rating& rating : own) {
    left.push_back(rating.z - centre.mean - centre.effects[rating.item]);
    if (centre.times.size() > 0 && rating.time != kUnknownRow) {
      left.back() -= centre.times[rating.time];
    }
    sum += left.back();
  }
  const double level = sum / (static_cast<double>(own.size()) + centre.shrink);
  for (double& x : left) x -= level;
}

template <class Block>
Released<Noisy<Block>> PrivateUsers::release(const char* what, double mu, Block sums) {
  const std::int64_t numbers = sums.size();
  return run_.publish(block_mechanism(what, numbers, mu), std::move(sums));
}

Released<Noisy<Vector>> PrivateUsers::levels(double mu) {
  std::int64_t sum[4] = {};
  for (std::size_t u = 0; u < users(); ++u) {
    const auto own = of(u);
    if (own.empty()) continue;
    const auto n = static_cast<double>(own.size());
    double first = 0, second = 0;
    for (const Rating& rating : own) {
      first += rating.z;
      second += rating.z * rating.z;
    }
    // In [-1, 1], whatever was rounded on the way.
    sum[level_mean] += in_units(clipped(first / n, -1, 1) / 2);
    sum[level_square] += in_units(clipped(second / n, 0, 1) / 2);
    sum[level_users] += in_units(0.5);
    sum[level_root] +=
        in_units(std::min(std::sqrt(std::sqrt(n / static_cast<double>(plan_.items))), 1.0) / 2);
  }
  Vector result(4);
  for (Index c = 0; c < 4; ++c) result[c] = static_cast<double>(sum[c]) * kUnit;
  const Noisy<Vector> halves = release(kUserLevels, mu, std::move(result)).value();
  return ReleaseAccess::released(Noisy<Vector>{halves.value * 2, halves.deviation * 2});
}

Released<Noisy<Matrix>> PrivateUsers::item_sums(const UserCentre& centre, double constant,
                                                double mu) {
  require_centre(centre);
  require_constant(constant);
  std::vector<std::int64_t> sum(static_cast<std::size_t>(2 * plan_.items), 0);
  std::vector<double> left;
  for (std::size_t u = 0; u < users(); ++u) {
    const auto own = of(u);
    if (own.empty()) continue;
    left_of(u, centre, left);
    double square = 0;
    for (const double x : left) square += x * x + constant * constant;
    const double weight = 1 / std::sqrt(square);
    for (std::size_t n = 0; n < own.size(); ++n) {
      const auto item = static_cast<std::size_t>(own[n].item);
      sum[item] += in_units(left[n] * weight);
      sum[item + static_cast<std::size_t>(plan_.items)] += in_units(constant * weight);
    }
  }
  Matrix result(plan_.items, 2);
  for (Index n = 0; n < result.size(); ++n) {
    result.data()[n] = static_cast<double>(sum[static_cast<std::size_t>(n)]) * kUnit;
  }
  return release(kItemSums, mu, std::move(result));
}

Released<Noisy<Matrix>> PrivateUsers::time_sums(const UserCentre& centre, double constant,
                                                double mu) {
  require_centre(centre);
  require_constant(constant);
  SOTTO_REQUIRE(plan_.times > 0, "no times were declared");
  std::vector<std::int64_t> sum(static_cast<std::size_t>(2 * plan_.times), 0);
  std::vector<double> left;
  Matrix own_sums(plan_.times, 2);
  for (std::size_t u = 0; u < users(); ++u) {
    const auto own = of(u);
    left_of(u, centre, left);
    own_sums.setZero();
    for (std::size_t n = 0; n < own.size(); ++n) {
      if (own[n].time == kUnknownRow) continue;
      own_sums(own[n].time, 0) += left[n];
      own_sums(own[n].time, 1) += constant;
    }
    const double norm = own_sums.norm();
    if (!(norm > 0)) continue;
    for (Index n = 0; n < own_sums.size(); ++n) {
      sum[static_cast<std::size_t>(n)] += in_units(own_sums.data()[n] / norm);
    }
  }
  Matrix result(plan_.times, 2);
  for (Index n = 0; n < result.size(); ++n) {
    result.data()[n] = static_cast<double>(sum[static_cast<std::size_t>(n)]) * kUnit;
  }
  return release(kTimeSums, mu, std::move(result));
}

Released<Noisy<Matrix>> PrivateUsers::pair_moment(const UserCentre& centre,
                                                  std::span<const std::int32_t> core, double mu) {
  require_centre(centre);
  const Index d = std::ssize(core);
  std::vector<std::int32_t> place(static_cast<std::size_t>(plan_.items), -1);
  for (Index c = 0; c < d; ++c) place.at(static_cast<std::size_t>(core[c])) = static_cast<int>(c);
  const auto row_start = [d](Index i) { return i * d - i * (i - 1) / 2 - i; };  // plus j >= i

  std::vector<std::int64_t> sum(static_cast<std::size_t>(d * (d + 1) / 2), 0);
  std::vector<double> left;
  std::vector<std::pair<Index, double>> on_core;
  for (std::size_t u = 0; u < users(); ++u) {
    const auto own = of(u);
    left_of(u, centre, left);
    on_core.clear();
    double square = 0;
    for (std::size_t n = 0; n < own.size(); ++n) {
      const std::int32_t c = place[static_cast<std::size_t>(own[n].item)];
      if (c < 0) continue;
      on_core.emplace_back(c, left[n]);
      square += left[n] * left[n];
    }
    std::sort(on_core.begin(), on_core.end());
    const double weight = 1 / std::max(std::sqrt(square), kShortestUser);
    for (auto& [c, x] : on_core) x *= weight;
    for (std::size_t a = 0; a < on_core.size(); ++a) {
      std::int64_t* row = sum.data() + row_start(on_core[a].first);
      for (std::size_t b = a; b < on_core.size(); ++b) {
        row[on_core[b].first] += in_units(on_core[a].second * on_core[b].second);
      }
    }
  }

  PackedMatrix moment(d, [&](Index i, Index j) {
    return static_cast<double>(sum[static_cast<std::size_t>(row_start(i) + j)]) * kUnit;
  });
  const auto side = static_cast<double>(d);
  const double sensitivity = sensitivity_for(side * side);
  const SymmetricGaussianMechanism mechanism(
      kPairMoment, sensitivity, deviation_for({sensitivity, side, std::numbers::sqrt2}, mu), d, 2);
  return ReleaseAccess::released(unpacked(run_.publish(mechanism, std::move(moment)).value()));
}

}  // namespace sotto
