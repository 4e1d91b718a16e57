#include "sotto/complete/private/sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/complete/private/matrix_model.h"
#include "sotto/complete/private/position_features.h"
#include "sotto/complete/private/sums_design.h"
#include "sotto/complete/private/sums_posterior.h"

namespace sotto {
namespace {

using private_sums::Answers;
using private_sums::Design;
using private_sums::NoisySums;
using private_sums::Priors;
using private_sums::Unknowns;

// Chosen on the users of even number of MovieLens latest-small and on generated ratings
// (docs/completion.md).
constexpr double kSquareShare = 0.02;
constexpr double kMostForTastes = 0.45, kContextPart = 0.1;  // of what levels leave
constexpr double kMostForMean = 0.6, kLeastForLevels = 0.15, kMostForLevels = 0.8;
// In widths of the range: where rows are expected to have effects, and where they may have none.
constexpr double kMeanError = 0.004, kMeanErrorAlone = 0.0015;
constexpr double kLevelError = 0.3;  // in deviations of levels
// Of a rating, in widths of the range: where positions tell, as of stars, and where they do not.
constexpr double kUsualDeviation = 0.25, kUsualDeviationAlone = 1.0 / 6;
// Deviations by which effects of which nothing is expected stand out where half of what could be
// learnt of them is.
constexpr double kBelieved = 2;
// There the mean may get more of the weight of a rating, up to this part.
constexpr double kMostForMeanAlone = 0.98, kStepForMean = 0.05;
constexpr int kPartsForMean = 8;      // down to what it may get elsewhere
constexpr double kUsualWeight = 0.3;  // of a rating, in the sum of its user
constexpr Index kMostTastes = 5;
constexpr double kUsualCount = 60;  // ratings of a user
// Prior variances, in variances of a rating.
constexpr double kUserVariance = 0.12, kItemVariance = 0.07, kContextVariance = 0.01;
constexpr double kTasteVariance = 0.015, kSlopeVariance = 0.005, kMeanVariance = 0.0001;
constexpr double kLeastError = 0.3;
constexpr double kLeastCoefficient = 1e-9;

Priors priors_of(const PrivateSumsPlan& plan, double rating) {
  Priors priors;
  priors.mean = kMeanVariance * rating;
  for (std::size_t m = 0; m < plan.asks.size(); ++m) {
    const double of_mode = m == 0 ? kUserVariance : m == 1 ? kItemVariance : kContextVariance;
    priors.modes.push_back(plan.asks[m] ? of_mode * rating : 0);
  }
  priors.item_slope = priors.user_slope = kSlopeVariance * rating;
  priors.tastes = kTasteVariance * rating;
  return priors;
}

double error_variance(const Priors& priors, const PrivateSumsPlan& plan, double rating) {
  double explained = priors.tastes * static_cast<double>(plan.taste_count);
  for (const double variance : priors.modes) explained += variance;
  return std::max(kLeastError * rating, rating - explained);
}

// The model in the form of its kind: tastes times features.
CompletionModel as_model(const Unknowns& theta, const Design& design,
                         const ObservedEntries& positions, LowRank kind, Index rank) {
  CompletionModel model = matrix_model(kind, rank, positions.dims);
  const Index tastes = theta.tastes.cols();
  model.factors[0].leftCols(tastes) = theta.tastes;
  model.factors[1].leftCols(tastes) = design.taste_features();
  model.unknown_factors.assign(model.factors.size(), Vector::Zero(model.stride()));
  model.unknown_factors[1].head(tastes) = design.features().new_item.head(tastes);
  for (std::size_t m = 2; m < model.factors.size(); ++m) {
    model.unknown_factors[m].head(kind == LowRank::cp ? rank : 1).setOnes();
  }
  model.biases.mean = theta.mean;
  model.biases.rows = theta.modes;
  model.biases.rows[0] += theta.user_slope * design.features().users;
  model.biases.rows[1] += design.features().items * theta.item_slope;
  model.biases.unknown.assign(positions.dims.size(), 0);
  model.biases.unknown[0] = theta.user_slope * design.features().new_user;
  model.biases.unknown[1] = design.features().new_item.dot(theta.item_slope);
  return model;
}

// Names of the releases in plans and certificates.
constexpr const char* kRatingSums = "weighted sums of the ratings of each row";
constexpr const char* kSquareSum = "sum of squares";

// The mean of all values, less the middle of the range. The sums of all and of every mode are about
// the mean times public numbers; they are weighted by their noise, against a prior of a quarter of
// the range.
double overall_mean(const NoisySums& found, const Answers& ones, double width) {
  double weighted = 0, weights = 16 / (width * width);
  const auto add = [&](double sum, double reach, Index numbers) {
    if (!(reach > 0)) return;
    const double weight = reach * reach / (found.variance * static_cast<double>(numbers));
    weighted += weight * sum / reach;
    weights += weight;
  };
  add(found.sums.all, ones.all, 1);
  for (std::size_t m = 0; m < ones.modes.size(); ++m) {
    add(found.sums.modes[m].sum(), ones.modes[m].sum(), ones.modes[m].size());
  }
  return std::clamp(weighted / weights, -width / 2, width / 2);
}

std::int64_t numbers_in_sums(const PrivateSumsPlan& plan, const std::vector<Index>& dims) {
  std::int64_t numbers = 1 + dims[0] * plan.taste_count;
  for (std::size_t m = 0; m < dims.size(); ++m) numbers += plan.asks[m] ? dims[m] : 0;
  return numbers;
}

// The error to expect, in variances of a rating, with noise of this deviation in widths of the
// range. Every row of a mode counts as one with the mean number of ratings. Tastes and slopes are
// left out: positions may tell nothing.
double expected_error(const PrivateSumsPlan& plan, const RatingShape& shape, double deviation,
                      RatingNoise noise) {
  const auto ratings = static_cast<double>(shape.ratings);
  const auto& dims = shape.dims;
  const double of_rating =
      deviation / (plan.positions_tell ? kUsualDeviation : kUsualDeviationAlone);
  const private_sums::RatingWeights weights = private_sums::rating_weights(
      plan, Vector::Constant(dims[0], ratings / static_cast<double>(dims[0])), deviation, noise);
  // What is learnt of effects of this variance.
  const auto learnt = [&](double variance, std::size_t mode, double weight) {
    if (!plan.asks[mode] || !(weight > 0)) return 0.0;
    const auto rows = static_cast<double>(dims[mode]);
    const double of_row = of_rating / (weight * ratings / rows);
    const double rest = of_row * of_row + rows / ratings;
    const double found = variance * variance / (variance + rest);
    if (plan.positions_tell) return found;
    const double stands_out = variance / rest * std::sqrt(rows / 2) / kBelieved;
    return found * stands_out * stands_out / (1 + stands_out * stands_out);
  };
  const double of_mean = of_rating / (weights.all * ratings);
  double error = 1 + std::min(of_mean * of_mean, 1.0);
  error -= learnt(kUserVariance, 0, weights.users[0]);
  error -= learnt(kItemVariance, 1, weights.items[0]);
  for (std::size_t m = 2; m < dims.size(); ++m) {
    error -= learnt(kContextVariance, m, weights.contexts[0]);
  }
  return error;
}

// The error that the noise may leave in the mean: the better a user is known, the smaller.
double mean_error_alone(const RatingShape& shape, double epsilon) {
  const double ratings = static_cast<double>(shape.ratings) / static_cast<double>(shape.dims[0]);
  const double noise = std::sqrt(2.0) / (epsilon * kUsualWeight * ratings * kUsualDeviationAlone);
  const double known = kUserVariance / (noise * noise + 1 / ratings);
  return kMeanErrorAlone / std::sqrt(1 + known);
}

// Where rows have so few ratings, for this epsilon, that less is expected from their effects than
// the noise of the mean costs, the mean gets nearly everything.
void give_more_to_the_mean(PrivateSumsPlan& plan, const RatingShape& shape, double epsilon) {
  const double deviation = std::sqrt(2.0) / (epsilon * plan.sums);
  const auto error = [&](const PrivateSumsPlan& tried) {
    return expected_error(tried, shape, deviation, RatingNoise::laplace);
  };
  double least = error(plan);
  PrivateSumsPlan tried = plan;
  tried.mean_error = 0;  // it gets the most it may
  for (int step = 0; step < kPartsForMean; ++step) {
    tried.most_for_mean = kMostForMeanAlone - step * kStepForMean;
    if (const double left = error(tried); left < least) {
      least = left;
      plan = tried;
    }
  }
}

}  // namespace

void ask_for_something(Matrix& table, std::span<const std::int32_t> used) {
  const bool has_some = std::any_of(used.begin(), used.end(), [&](std::int32_t r) {
    return table.row(r).cwiseAbs().maxCoeff() > kLeastCoefficient;
  });
  if (!has_some) table.col(0).setOnes();
}

std::vector<double> PrivateSumsPlan::shares() const { return {squares, sums}; }

std::vector<double> PrivateSumsPlan::parts() const {
  std::vector<double> result{squares, sums * most_for_levels / 2};
  const double left = sums * (1 - most_for_levels / 2);
  for (std::size_t m = 1; m < asks.size(); ++m) {
    if (asks[m]) result.push_back(left * (m == 1 ? items : each_context));
  }
  if (taste_count > 0) result.push_back(left * tastes);
  return result;
}

PrivateSumsPlan plan_private_sums(const RatingShape& shape, double epsilon, Index rank) {
  SOTTO_REQUIRE(shape.ratings > 0, "there are no entries to learn from");
  const auto& dims = shape.dims;
  PrivateSumsPlan plan;
  plan.squares = kSquareShare;
  plan.sums = 1 - kSquareShare;
  plan.most_for_mean = kMostForMean;
  plan.least_for_levels = kLeastForLevels;
  plan.most_for_levels = kMostForLevels;
  plan.positions_tell = shape.positions_tell.value_or(true);
  plan.mean_error = plan.positions_tell ? kMeanError : mean_error_alone(shape, epsilon);
  plan.level_error = kLevelError * std::sqrt(kUserVariance) * kUsualDeviation;
  const Index features = 1 + std::min({kMaxPositionVectors, dims[0], dims[1]});
  plan.taste_count = plan.positions_tell ? std::min({rank, features, kMostTastes}) : 0;
  const double strength = epsilon * std::sqrt(static_cast<double>(shape.ratings) /
                                              (kUsualCount * static_cast<double>(dims[0])));
  plan.tastes = plan.taste_count > 0 ? kMostForTastes * strength / (1 + strength) : 0;
  for (std::size_t m = 0; m < dims.size(); ++m) plan.asks.push_back(m == 0 || dims[m] > 1);
  const auto contexts =
      static_cast<double>(std::count(plan.asks.begin() + 2, plan.asks.end(), true));
  plan.each_context = contexts > 0 ? kContextPart * (1 - plan.tastes) / contexts : 0;
  plan.items = 1 - plan.tastes - contexts * plan.each_context;
  plan.values = 1 + numbers_in_sums(plan, dims);
  if (!plan.positions_tell) give_more_to_the_mean(plan, shape, epsilon);
  return plan;
}

std::vector<PlannedRelease> planned_releases(const PrivateSumsPlan& plan,
                                             const RatingPlan& settings, const RatingShape& shape) {
  PlannedSum weighted{kRatingSums, numbers_in_sums(plan, shape.dims), plan.sums};
  weighted.has_coefficients = true;
  PlannedRelease sums = planned_sum(weighted, settings);
  sums.noise_unit = "depends on the positions";
  return {std::move(sums), planned_sum({kSquareSum, 1, plan.squares, 1, 2}, settings)};
}

Forecast error_forecast(const PrivateSumsPlan& plan, const RatingPlan& settings,
                        const RatingShape& shape) {
  const double deviation = relative_deviation(settings, plan.sums);
  const double error = std::sqrt(expected_error(plan, shape, deviation, settings.noise));
  return {"error_over_deviation", error,
          fmt::format("the error of a prediction is expected to be about {:.2f} of the standard "
                      "deviation of the ratings, less where positions tell of tastes",
                      error)};
}

PrivateSumsFit fit_private_sums(const ObservedEntries& positions, const PrivateSumsPlan& plan,
                                LowRank kind, Index rank, RatingSums& sums) {
  const RatingPlan& settings = sums.plan();
  const Design design(positions, plan, relative_deviation(settings, plan.sums), settings.noise);
  const Noisy<Vector> numbers =
      sums.release_together(kRatingSums, design.queries(), plan.sums).value();
  NoisySums found{design.answers(numbers.value), numbers.variance, settings.noise};
  const std::vector<std::int32_t> first_row(positions.value.size(), 0);
  const double squares =
      sums.release({kSquareSum, 1, first_row, nullptr, {}, 2}, plan.squares).value().value(0, 0);

  // The mean has hardly any noise; the rest is learnt around it.
  const auto n = static_cast<double>(positions.size());
  const double width = settings.bounds.width();
  const Answers ones = design.answers_of(Vector::Ones(positions.size()));
  const double mean = overall_mean(found, ones, width);
  const double rating =
      std::clamp(squares / n - mean * mean, width * width / 400, width * width / 4);
  found.sums.combine(1, -mean, ones);

  Priors priors = lowered_by_evidence(priors_of(plan, rating), design, found, rating);
  priors.error = error_variance(priors, plan, rating);
  Unknowns theta = posterior_mean(design, priors, found, rating);
  theta.mean += mean + settings.bounds.middle();
  CompletionModel model = as_model(theta, design, positions, kind, rank);
  model.range = std::pair(settings.bounds.low, settings.bounds.high);
  return {std::move(model), rating};
}

}  // namespace sotto
