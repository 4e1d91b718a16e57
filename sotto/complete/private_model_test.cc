#include "sotto/complete/private_model.h"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <cmath>

#include "sotto/complete/position_features.h"
#include "sotto/complete/scores.h"
#include "sotto/complete/testing/small_problem.h"

namespace sotto {
namespace {

constexpr ValueBounds bounds{1, 5};

CompletionModel fit(const ObservedEntries& data, double epsilon, LowRank kind = LowRank::cp,
                    Index rank = 3, std::uint64_t seed = 1) {
  const PrivateModelPlan parts = plan_private_model(data, epsilon, rank);
  RatingPlan plan{{epsilon, kTailDelta}, bounds, RatingNoise::laplace, parts.values};
  Ledger ledger(rating_statement(plan));
  ObservedEntries positions = data;
  std::fill(positions.value.begin(), positions.value.end(), std::nan(""));
  RatingSums sums(RatingValues(data.value), plan, NoiseKey::insecure_from_seed(seed), ledger);
  return fit_private_model(positions, parts, kind, rank, sums).model;
}

// Ratings that follow a bias model, 60 x 40 x 6.
ObservedEntries biased_ratings() {
  ObservedEntries data = random_entries({60, 40, 6}, 0.2, 8);
  SeededRandom random(9);
  Vector user(60), item(40);
  for (double& x : user) x = 0.5 * random.normal();
  for (double& x : item) x = 0.5 * random.normal();
  for (Index e = 0; e < data.size(); ++e) {
    const double x = 3.2 + user[data.row(0, e)] + item[data.row(1, e)] + 0.2 * random.normal();
    data.value[static_cast<std::size_t>(e)] = std::clamp(x, bounds.low, bounds.high);
  }
  return data;
}

double deviation(const ObservedEntries& data) {
  return std::sqrt(squared_error(data, Biases::constant(data)) / static_cast<double>(data.size()));
}

TEST(PrivateModel, finds_a_bias_model_where_the_noise_is_small) {
  const ObservedEntries data = biased_ratings();
  const EntrySplit split = split_entries(data, 0.2, 1);
  const CompletionModel model = fit(split.kept, 1e4);
  EXPECT_LT(root_mean_square_error(split.held_out, model.predict(split.held_out)), 0.27);
  EXPECT_GT(deviation(data), 0.6);
}

// 1900 ratings of range 4: at epsilon 0.01 even their mean has noise of the size of the range.
TEST(PrivateModel, falls_back_to_the_mean_where_the_noise_is_large) {
  const EntrySplit split = split_entries(biased_ratings(), 0.2, 1);
  const double alone = deviation(split.held_out);
  for (const auto& [epsilon, times] : {std::pair(0.01, 2.5), {0.1, 1.5}, {1.0, 1.05}, {3.0, 1.0}}) {
    double sum = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const CompletionModel model = fit(split.kept, epsilon, LowRank::cp, 3, seed);
      sum += root_mean_square_error(split.held_out, model.predict(split.held_out)) / 10;
    }
    EXPECT_LT(sum, times * alone) << epsilon;
  }
}

TEST(PrivateModel, is_the_same_model_as_cp_and_as_tucker) {
  const ObservedEntries data = biased_ratings();
  const std::vector<double> cp = fit(data, 5).predict(data);
  const std::vector<double> tucker = fit(data, 5, LowRank::tucker).predict(data);
  for (std::size_t e = 0; e < cp.size(); ++e) EXPECT_NEAR(cp[e], tucker[e], 1e-12);
}

TEST(PrivateModel, predicts_rows_it_has_not_seen_and_stays_in_the_range) {
  const ObservedEntries data = biased_ratings();
  ObservedEntries test(data.dims);
  test.append(std::vector<std::int32_t>{0, unknown_row, unknown_row}, 0);
  test.append(std::vector<std::int32_t>{unknown_row, unknown_row, unknown_row}, 0);
  for (const double x : fit(data, 2).predict(test)) {
    EXPECT_GE(x, bounds.low);
    EXPECT_LE(x, bounds.high);
  }
}

TEST(PrivateModel, plans_shares_that_sum_to_one_and_depend_on_positions_alone) {
  ObservedEntries data = biased_ratings();
  for (const double epsilon : {0.01, 1.0, 100.0}) {
    double sum = 0;
    for (const double share : plan_private_model(data, epsilon, 4).shares()) sum += share;
    EXPECT_NEAR(sum, 1, 1e-12);
  }
  // Two modes read as three: nothing is spent on a mode of one row.
  ObservedEntries flat({4, 5, 1});
  flat.append(std::vector<std::int32_t>{1, 2, 0}, 3);
  const PrivateModelPlan plan = plan_private_model(flat, 1, 2);
  EXPECT_EQ(plan.modes[2], 0);
  EXPECT_EQ(plan.shares().size(), 4u);
}

// The leading right singular vectors of the normalised incidence matrix, by a dense decomposition.
TEST(PositionFeatures, are_the_singular_vectors_of_the_incidence_matrix) {
  const ObservedEntries positions = random_entries({30, 25, 1}, 0.3, 6);
  Matrix incidence = Matrix::Zero(30, 25);
  Vector users = Vector::Zero(30), items = Vector::Zero(25);
  for (Index e = 0; e < positions.size(); ++e) {
    incidence(positions.row(0, e), positions.row(1, e)) += 1;
    users[positions.row(0, e)] += 1;
    items[positions.row(1, e)] += 1;
  }
  const Vector weight = (items.array() + 5).rsqrt();
  const Eigen::JacobiSVD<Matrix> svd(
      Vector((users.array() + 1).rsqrt()).asDiagonal() * incidence * weight.asDiagonal(),
      Eigen::ComputeThinV);
  const PositionFeatures features = position_features(positions);
  for (Index c = 0; c < 3; ++c) {
    Vector expected = weight.cwiseProduct(svd.matrixV().col(c));
    expected /= std::sqrt(expected.cwiseAbs2().dot(items) / items.sum());
    expected = expected.cwiseMax(-2.5).cwiseMin(2.5);
    expected.array() -= expected.dot(items) / items.sum();
    const Vector found = features.items.col(1 + c);
    EXPECT_LT(std::min((found - expected).norm(), (found + expected).norm()), 1e-3);
  }
}

TEST(PositionFeatures, have_mean_zero_over_the_entries_and_do_not_look_at_values) {
  ObservedEntries positions = random_entries({30, 25, 2}, 0.2, 6);
  const PositionFeatures features = position_features(positions);
  std::fill(positions.value.begin(), positions.value.end(), std::nan(""));
  EXPECT_EQ(position_features(positions).items, features.items);
  Vector sum = Vector::Zero(features.items.cols());
  for (Index e = 0; e < positions.size(); ++e) sum += features.items.row(positions.row(1, e));
  EXPECT_LT(sum.cwiseAbs().maxCoeff(), 1e-9);
}

}  // namespace
}  // namespace sotto
