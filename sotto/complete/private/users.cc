#include "sotto/complete/private/users.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sotto/base/error.h"
#include "sotto/linalg/spectral.h"

namespace sotto {
namespace {

// Tuned on MovieLens latest-small and on generated ratings (docs/completion.md).
// Shares of mu squared; the item sums get the rest.
constexpr double kShareLevels = 0.05, kShareTimes = 0.05, kSharePairs = 0.5;
constexpr double kConstantShare = 0.7;  // of the deviation of a rating
// In units of the variance of a rating.
constexpr double kLevelShare = 0.2, kErrorShare = 0.75, kEffectShare = 0.15, kLeftShare = 0.8,
                 kTimeShare = 0.02;
constexpr double kUsualVariance = 0.2, kVarianceReach = 0.1;  // of ratings in [-1, 1]
constexpr Index kLeastCore = 30, kMostCore = 800;
constexpr double kSignalShare = 0.012;  // of the users: what a factor adds to the pair moment
constexpr double kPopular = 3;          // deviations of the noise: weight of an item of the core
constexpr double kAboveEdge = 1.05;
constexpr int kDiagonalRounds = 6;
// Item sums are asked for where this share of the effect of an item that half of the users rated
// would be learnt.
constexpr double kWorthAsking = 0.5, kPopularShare = 0.5;
constexpr double kNearlyAll = 1 - 0x1p-44;
constexpr double kManyRatings = 80;  // of a user, unless there are fewer items

// What the releases tell about users at large, ratings in [-1, 1].
struct Levels {
  double users, mean, variance;
  double ratings;  // of a typical user
};

Levels read_levels(const Noisy<Vector>& noisy, Index items) {
  Levels found{};
  const double deviation = noisy.deviation;
  found.users = std::max(noisy.value[level_users], 1.0);
  // The mean is pulled to the middle where noise could have moved it by a quarter of the range.
  const double trust = 1 / (1 + 4 * deviation * deviation / (found.users * found.users));
  found.mean = std::clamp(noisy.value[level_mean] / found.users * trust, -1.0, 1.0);
  // The variance is pulled to that of ratings whose range is four deviations and a bit.
  const double error = deviation / (found.users * kVarianceReach);
  const double square = std::clamp(noisy.value[level_square] / found.users, 0.0, 1.0);
  const double seen = std::clamp(square - found.mean * found.mean, 0.002, 0.5);
  found.variance = (seen + error * error * kUsualVariance) / (1 + error * error);
  const double root = std::clamp(noisy.value[level_root] / found.users, 0.0, 1.0);
  const auto all = static_cast<double>(items);
  found.ratings = std::clamp(all * root * root * root * root, 2.0, all);
  return found;
}

// The most items that the pair moment may have so that factors rise above its noise.
Index affordable_core(double users, double deviation, Index items) {
  const double reach = kSignalShare * users / deviation;
  return std::min({items, kMostCore, static_cast<Index>(std::min(reach * reach / 2, 1e6))});
}

// The weight of one rating in the item sums.
double typical_weight(double ratings, double variance) {
  const double constant = kConstantShare * kConstantShare * variance;
  return 1 / std::sqrt((kErrorShare * variance + constant) * ratings);
}

// The share of the effect of a popular item that item sums with this mu would tell.
double learnt_share(double users, double ratings, double variance, double mu) {
  const double typical = typical_weight(ratings, variance);
  const double weight = kPopularShare * users * typical;
  const double signal = kEffectShare * variance * weight * weight;
  return signal / (signal + kErrorShare * variance * typical * weight + 1 / (mu * mu));
}

double usual_ratings(const UserPlan& plan) {
  return std::min(kManyRatings, static_cast<double>(plan.items));
}

// Whether a public guess at the number of users rules the items out. Everything then goes to the
// levels.
bool levels_alone(const UserPlan& plan, double mu) {
  return plan.users > 0 && learnt_share(static_cast<double>(plan.users), usual_ratings(plan),
                                        kUsualVariance, mu) < kWorthAsking;
}

struct Items {
  Vector weights;  // noisy sums of the weights of the users who rated it
  Vector effects;
  double deviation = 0;  // of the noise in a weight
};

// The posterior mean of an effect under a normal prior. The weight of an item is lowered by one
// deviation of its noise, so that an item that few rated has no effect, and is at most that of an
// item that all users rated.
Items read_items(const Noisy<Matrix>& sums, double constant, const Levels& levels) {
  Items items;
  items.deviation = sums.deviation / constant;
  items.weights = sums.value.col(1) / constant;
  const double prior = kEffectShare * levels.variance, error = kErrorShare * levels.variance;
  const double typical = typical_weight(levels.ratings, levels.variance);
  const auto weight =
      (items.weights.array() - items.deviation).max(0.0).min(levels.users * typical);
  items.effects =
      prior * weight * sums.value.col(0).array() /
      (prior * weight.square() + error * typical * weight + sums.deviation * sums.deviation);
  items.effects = items.effects.cwiseMax(-1).cwiseMin(1);
  return items;
}

// The same for times; a user contributes one weight, whatever the number of ratings.
Vector read_times(const Noisy<Matrix>& sums, double constant, const Levels& levels) {
  const double prior = kTimeShare * levels.variance, error = kErrorShare * levels.variance;
  const double typical = 1 / (constant * levels.ratings);
  const auto weight = (sums.value.col(1).array() / constant).max(0.0);
  const Vector effects =
      prior * weight * sums.value.col(0).array() /
      (prior * weight.square() + error * typical * weight + sums.deviation * sums.deviation);
  return effects.cwiseMax(-1).cwiseMin(1);
}

std::vector<std::int32_t> core_of(const Items& items, Index most) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(items.weights.size()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return items.weights[a] > items.weights[b];
  });
  Index kept = 0;
  while (kept < most &&
         items.weights[order[static_cast<std::size_t>(kept)]] > kPopular * items.deviation) {
    ++kept;
  }
  order.resize(static_cast<std::size_t>(kept));
  return order;
}

// L with L L^T near the moment off its diagonal. The diagonal holds errors and says nothing about
// factors: it is filled in from L itself. Columns that do not rise above the noise are 0.
Matrix leading_part(const Noisy<Matrix>& moment, Index rank) {
  const Index d = moment.value.rows();
  const double variance = moment.deviation * moment.deviation / 2;  // of an entry
  const double edge = kAboveEdge * 2 * std::sqrt(variance * static_cast<double>(d));
  Matrix filled = moment.value;
  filled.diagonal().setZero();
  Matrix part = Matrix::Zero(d, rank);
  for (int round = 0; round < kDiagonalRounds; ++round) {
    const Eigenpairs pairs = ascending_eigenpairs(filled);
    Vector noise = Vector::Zero(rank);  // of an entry of a column, variance
    part.setZero();
    for (Index r = 0; r < std::min(rank, d); ++r) {
      const double value = pairs.values[d - 1 - r];
      if (value <= edge) break;
      noise[r] = variance / value;
      part.col(r) = pairs.vectors.col(d - 1 - r) *
                    std::sqrt(value - variance * static_cast<double>(d) / value);
    }
    filled.diagonal() = part.rowwise().squaredNorm();
    if (round + 1 < kDiagonalRounds) continue;
    for (Index i = 0; i < d; ++i) {
      const double square = part.row(i).squaredNorm();
      if (square > 0) part.row(i) *= std::max(0.0, 1 - noise.sum() / square);
    }
  }
  return part;
}

// The scale c of the pair moment: the moment of two items is c w_i w_j times the covariance of what
// is left of their ratings. Here w are the weights of the item sums, and users are taken to rate
// independently.
double pair_scale(const Noisy<Matrix>& moment, double weights, const Levels& levels,
                  double constant) {
  const double left = kLeftShare * levels.variance;
  const double typical = 1 / std::sqrt((left + constant * constant) * levels.ratings);
  const double ratio = std::max(moment.value.trace(), 1.0) / (left * weights);
  return ratio / (typical * levels.users);
}

// The mean, and nothing about items and times.
UserModel levels_model(const UserPlan& plan, const Levels& levels, Index rank) {
  const double half = plan.bounds.width() / 2;
  UserModel model;
  model.bounds = plan.bounds;
  model.mean = plan.bounds.middle() + half * levels.mean;
  model.level_variance = kLevelShare * levels.variance * half * half;
  model.error_variance = kErrorShare * levels.variance * half * half;
  model.effects = Vector::Zero(plan.items);
  if (plan.times > 1) model.times = Vector::Zero(plan.times);
  model.factors = Matrix::Zero(plan.items, rank);
  return model;
}

}  // namespace

Forecast item_forecast(const UserPlan& plan) {
  const double mu = affordable_mu(plan.target, 1, most_user_values(plan));
  const auto learnt = [&](double users) {
    return learnt_share(users, usual_ratings(plan), kUsualVariance, mu);
  };
  double needed = 1;
  while (learnt(needed) < kWorthAsking && needed < 1e9) needed *= 1.05;
  const std::string from =
      fmt::format("item effects are learnt from about {:.0f} users on, who rate {:.0f} items each",
                  needed, usual_ratings(plan));
  if (plan.users == 0) return {"users_for_items", needed, from};
  if (levels_alone(plan, mu)) {
    return {"users_for_items", needed,
            fmt::format("{}: with {} users the mean alone is released, and predictions are a "
                        "user's own level",
                        from, plan.users)};
  }
  return {"users_for_items", needed,
          fmt::format("{}; with {} users about {:.0f}% of the effect of an item that half of them "
                      "rated",
                      from, plan.users, 100 * learnt(static_cast<double>(plan.users)))};
}

std::int64_t most_user_values(const UserPlan& plan) {
  const Index core = std::min(plan.items, kMostCore);
  return 4 + 2 * (plan.items + plan.times) + core * (core + 1) / 2;
}

std::vector<PlannedRelease> planned_releases(const UserPlan& plan) {
  const double mu = affordable_mu(plan.target, 1, most_user_values(plan));
  if (levels_alone(plan, mu)) return {planned_block(kUserLevels, 4, mu * kNearlyAll, 1)};
  const double times_share = plan.times > 1 ? kShareTimes : 0;
  const double item_share = 1 - kShareLevels - kSharePairs - times_share;
  std::vector<PlannedRelease> releases{
      planned_block(kUserLevels, 4, mu * std::sqrt(kShareLevels), kShareLevels),
      {kItemSums, "gaussian", 2 * plan.items, 1, item_share, {}, {}}};
  if (plan.times > 1) {
    const double time_mu = mu * std::sqrt(kShareTimes) * (1 - 0x1p-44);
    releases.push_back(planned_block(kTimeSums, 2 * plan.times, time_mu, kShareTimes));
  }
  releases.push_back({kPairMoment, "gaussian", 0, 1, kSharePairs, {}, {}});
  return releases;
}

Forecast core_forecast(const UserPlan& plan) {
  const double mu = affordable_mu(plan.target, 1, most_user_values(plan));
  const Index core = affordable_core(static_cast<double>(plan.users),
                                     1 / (mu * std::sqrt(kSharePairs)), plan.items);
  const bool with_pairs = core >= std::min(kLeastCore, plan.items);
  return {"core_items", with_pairs ? static_cast<double>(core) : 0,
          with_pairs
              ? fmt::format("with {} users the pair moment has at most {} items", plan.users, core)
              : fmt::format(
                    "with {} users there is no pair moment{}", plan.users,
                    levels_alone(plan, mu) ? "" : ", and its share goes to the sums of the items")};
}

UserModel fit_private_users(PrivateUsers& users, Index rank) {
  const UserPlan& plan = users.plan();
  const double mu = affordable_mu(plan.target, 1, most_user_values(plan));
  const bool alone = levels_alone(plan, mu);
  const double level_mu = mu * (alone ? kNearlyAll : std::sqrt(kShareLevels));
  const Levels levels = read_levels(users.levels(level_mu).value(), plan.items);
  if (alone) return levels_model(plan, levels, rank);
  const double pair_mu = mu * std::sqrt(kSharePairs);
  const Index core_size = affordable_core(levels.users, 1 / pair_mu, plan.items);
  const bool with_pairs = core_size >= std::min(kLeastCore, plan.items);
  const bool with_times = plan.times > 1;
  const double item_share =
      1 - kShareLevels - (with_pairs ? kSharePairs : 0) - (with_times ? kShareTimes : 0);

  const double item_mu = mu * std::sqrt(item_share) * (1 - 0x1p-44);
  if (plan.users == 0 &&
      learnt_share(levels.users, levels.ratings, levels.variance, item_mu) < kWorthAsking) {
    return levels_model(plan, levels, rank);
  }
  UserCentre centre{levels.mean, kErrorShare / kLevelShare, Vector::Zero(plan.items), {}};
  const double constant = kConstantShare * std::sqrt(levels.variance);
  const Items items =
      read_items(users.item_sums(centre, constant, item_mu).value(), constant, levels);
  centre.effects = items.effects;
  if (with_times) {
    const double time_mu = mu * std::sqrt(kShareTimes) * (1 - 0x1p-44);
    centre.times = read_times(users.time_sums(centre, constant, time_mu).value(), constant, levels);
  }

  const double half = plan.bounds.width() / 2;
  UserModel model = levels_model(plan, levels, rank);
  model.effects = half * items.effects;
  model.times = half * centre.times;
  if (!with_pairs) return model;
  const std::vector<std::int32_t> core = core_of(items, core_size);
  if (core.size() < 2) return model;
  const Noisy<Matrix> moment = users.pair_moment(centre, core, pair_mu * (1 - 0x1p-44)).value();
  const Matrix part = leading_part(moment, rank);
  double weights = 0;
  for (const std::int32_t i : core) weights += items.weights[i];
  const double scale = half / std::sqrt(pair_scale(moment, weights, levels, constant));
  for (Index c = 0; c < std::ssize(core); ++c) {
    const std::int32_t i = core[static_cast<std::size_t>(c)];
    model.factors.row(i) = scale / items.weights[i] * part.row(c);
  }
  return model;
}

}  // namespace sotto
