#include "sotto/complete/private/sums.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/complete/fit/biases.h"
#include "sotto/complete/fit/scores.h"
#include "sotto/complete/fit/testing/small_problem.h"
#include "sotto/complete/private/position_features.h"
#include "sotto/complete/private/sums_design.h"
#include "sotto/complete/private/sums_posterior.h"
#include "sotto/linalg/spectral.h"

namespace sotto {
namespace {

constexpr ValueBounds kSumsBounds{1, 5};

CompletionModel fit(const ObservedEntries& data, double epsilon, LowRank kind = LowRank::cp,
                    Index rank = 3, std::uint64_t seed = 1) {
  const PrivateSumsPlan parts = plan_private_sums(shape_of(data), epsilon, rank);
  RatingPlan plan{{epsilon, kTailDelta}, kSumsBounds, RatingNoise::laplace, parts.values};
  PrivateRun run(rating_statement(plan), NoiseKey::insecure_from_seed(seed));
  ObservedEntries positions = data;
  std::fill(positions.value.begin(), positions.value.end(), std::nan(""));
  RatingSums sums(RatingValues(data.value), plan, run);
  return fit_private_sums(positions, parts, kind, rank, sums).model;
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
    data.value[static_cast<std::size_t>(e)] = std::clamp(x, kSumsBounds.low, kSumsBounds.high);
  }
  return data;
}

double deviation(const ObservedEntries& data) {
  return std::sqrt(squared_error(data, Biases::constant(data)) / static_cast<double>(data.size()));
}

TEST(PrivateSums, finds_a_bias_model_where_the_noise_is_small) {
  const ObservedEntries data = biased_ratings();
  const EntrySplit split = split_entries(data, 0.2, 1);
  const CompletionModel model = fit(split.kept, 200);
  EXPECT_LT(root_mean_square_error(split.held_out, model.predict(split.held_out)), 0.27);
  EXPECT_GT(deviation(data), 0.6);
}

// 1900 ratings of range 4: at epsilon 0.01 even their mean has noise of the size of the range.
TEST(PrivateSums, falls_back_to_the_mean_where_the_noise_is_large) {
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

TEST(PrivateSums, is_the_same_model_as_cp_and_as_tucker) {
  const ObservedEntries data = biased_ratings();
  const std::vector<double> cp = fit(data, 5).predict(data);
  const std::vector<double> tucker = fit(data, 5, LowRank::tucker).predict(data);
  for (std::size_t e = 0; e < cp.size(); ++e) EXPECT_NEAR(cp[e], tucker[e], 1e-12);
}

TEST(PrivateSums, predicts_rows_it_has_not_seen_and_stays_in_the_range) {
  const ObservedEntries data = biased_ratings();
  ObservedEntries test(data.dims);
  test.append(std::vector<std::int32_t>{0, kUnknownRow, kUnknownRow}, 0);
  test.append(std::vector<std::int32_t>{kUnknownRow, kUnknownRow, kUnknownRow}, 0);
  for (const double x : fit(data, 2).predict(test)) {
    EXPECT_GE(x, kSumsBounds.low);
    EXPECT_LE(x, kSumsBounds.high);
  }
}

TEST(PrivateSums, plans_shares_that_sum_to_one_and_depend_on_positions_alone) {
  ObservedEntries data = biased_ratings();
  for (const double epsilon : {0.01, 1.0, 100.0}) {
    double sum = 0;
    for (const double share : plan_private_sums(shape_of(data), epsilon, 4).shares()) sum += share;
    EXPECT_NEAR(sum, 1, 1e-12);
  }
  // Two modes read as three: a mode of one row costs nothing.
  ObservedEntries flat({4, 5, 1});
  flat.append(std::vector<std::int32_t>{1, 2, 0}, 3);
  const PrivateSumsPlan plan = plan_private_sums(shape_of(flat), 1, 2);
  EXPECT_FALSE(plan.asks[2]);
  EXPECT_EQ(plan.shares().size(), 2u);
  EXPECT_NEAR(plan.items + plan.each_context + plan.tastes, 1, 1e-12);
}

// Random places tell nothing, so no tastes are asked for, and their share goes to the rows.
TEST(PrivateSums, ask_for_no_tastes_where_positions_do_not_tell) {
  const ObservedEntries data = biased_ratings();
  RatingShape shape = shape_of(data);
  const PrivateSumsPlan usual = plan_private_sums(shape, 5, 3);
  shape.positions_tell = false;
  const PrivateSumsPlan bare = plan_private_sums(shape, 5, 3);
  EXPECT_EQ(usual.taste_count, 3);
  EXPECT_EQ(bare.taste_count, 0);
  EXPECT_GT(bare.items, usual.items);
  EXPECT_NEAR(bare.items + bare.each_context, 1, 1e-12);
  for (const auto noise : {RatingNoise::laplace, RatingNoise::gaussian}) {
    const RatingPlan plan{{200, 1e-6}, kSumsBounds, noise, bare.values};
    PrivateRun run(rating_statement(plan), NoiseKey::insecure_from_seed(1));
    RatingSums sums(RatingValues(data.value), plan, run);
    const CompletionModel model = fit_private_sums(data, bare, LowRank::cp, 3, sums).model;
    EXPECT_LT(root_mean_square_error(data, model.predict(data)), 0.25);
    EXPECT_EQ(run.certify().releases.size(), 2u);
  }
}

// Few ratings of a user weigh much in the sum of the user, many little; no rating exceeds norm 1.
TEST(PrivateSums, weigh_ratings_by_the_number_that_a_user_has) {
  const PrivateSumsPlan plan = plan_private_sums({{4, 50, 3}, 1000}, 1, 3);
  const Vector ratings{{10, 50, 200, 740}};
  for (const auto noise : {RatingNoise::laplace, RatingNoise::gaussian}) {
    const private_sums::RatingWeights weights =
        private_sums::rating_weights(plan, ratings, 1.4, noise);
    for (Index u = 0; u < 4; ++u) {
      const Vector all{{weights.all, weights.users[u], weights.items[u], weights.contexts[u],
                        weights.tastes[u]}};
      EXPECT_NEAR(noise == RatingNoise::laplace ? all.lpNorm<1>() : all.norm(), 1, 1e-12);
      if (u > 0) {
        EXPECT_LE(weights.users[u], weights.users[u - 1]);
      }
    }
    EXPECT_LT(weights.users[3], 0.5 * weights.users[0]);
  }
}

// Computes the posterior from the same noisy sums by its formula, with all matrices written out.
class DensePosterior {
 public:
  DensePosterior(const ObservedEntries& data, const PrivateSumsPlan& parts, RatingSums& sums)
      : data_(data), parts_(parts), features_(position_features(data)) {
    const private_sums::Design design(data, parts, relative_deviation(sums.plan(), parts.sums),
                                      sums.plan().noise);
    const std::vector<SumQuery> queries = design.queries();
    write_out(queries);
    const Noisy<Vector> found = sums.release_together("sums", queries, parts.sums).value();
    released_ = found.value;
    noise_ = found.variance;
    const std::vector<std::int32_t> all(data_.value.size(), 0);
    const double squares =
        sums.release({"squares", 1, all, nullptr, {}, 2}, parts_.squares).value().value(0, 0);
    mean_ = mean_of(queries);
    const auto n = static_cast<double>(data.size());
    variance_ =
        std::max(squares / n - mean_ * mean_, kSumsBounds.width() * kSumsBounds.width() / 400);
    private_sums::NoisySums noisy{design.answers(released_ - q_.transpose() * means()), noise_,
                                  sums.plan().noise};
    priors_.mean = 0.0001;
    priors_.modes = {0.12, 0.07, 0.01};
    priors_.item_slope = priors_.user_slope = 0.005;
    priors_.tastes = 0.015;
    for (double* share : {&priors_.mean, &priors_.modes[0], &priors_.modes[1], &priors_.modes[2],
                          &priors_.item_slope, &priors_.user_slope, &priors_.tastes}) {
      *share *= variance_;
    }
    priors_ = lowered_by_evidence(priors_, design, noisy, variance_);
  }

  Vector predictions() const {
    const auto [z, prior] = design();
    const double explained = priors_.modes[0] + priors_.modes[1] + priors_.modes[2] +
                             priors_.tastes * static_cast<double>(parts_.taste_count);
    const Index n = data_.size();
    const Matrix cover =
        z * prior.asDiagonal() * z.transpose() + (variance_ - explained) * Matrix::Identity(n, n);
    Matrix system = q_.transpose() * cover * q_;
    system.diagonal().array() += noise_;
    const Vector left = released_ - q_.transpose() * means();
    const Vector theta =
        prior.asDiagonal() * z.transpose() * q_ * solve_positive_definite(system, left);
    return (z * theta).array() + mean_ + kSumsBounds.middle();
  }

 private:
  Vector means() const { return Vector::Constant(data_.size(), mean_); }

  void write_out(const std::vector<SumQuery>& queries) {
    Index numbers = 0;
    for (const SumQuery& query : queries) numbers += query.rows * query.columns();
    q_ = Matrix::Zero(data_.size(), numbers);
    Index at = 0;
    for (const SumQuery& query : queries) {
      const Index columns = query.columns();
      for (Index e = 0; e < data_.size(); ++e) {
        for (Index c = 0; c < columns; ++c) {
          q_(e, at + query.row_of[static_cast<std::size_t>(e)] * columns + c) =
              query.coefficient(static_cast<std::size_t>(e), c);
        }
      }
      at += query.rows * columns;
    }
    EXPECT_LE(q_.rowwise().norm().maxCoeff(), 1 + 1e-12);
  }

  // From all queries but the last, that of the tastes.
  double mean_of(const std::vector<SumQuery>& queries) const {
    const Vector ones = q_.transpose() * Vector::Ones(data_.size());
    double weighted = 0, weights = 16 / (kSumsBounds.width() * kSumsBounds.width());
    Index at = 0;
    for (std::size_t j = 0; j + 1 < queries.size(); at += queries[j].rows, ++j) {
      const double reach = ones.segment(at, queries[j].rows).sum();
      const double weight = reach * reach / (noise_ * static_cast<double>(queries[j].rows));
      weighted += weight * released_.segment(at, queries[j].rows).sum() / reach;
      weights += weight;
    }
    return weighted / weights;
  }

  // Unknowns: the mean, every mode, slopes of items and users, tastes user by user.
  std::pair<Matrix, Vector> design() const {
    const Index k = parts_.taste_count, f = features_.items.cols(), rows = rows_before(3);
    Matrix z = Matrix::Zero(data_.size(), 1 + rows + f + 1 + data_.dims[0] * k);
    Vector prior = Vector::Constant(z.cols(), priors_.tastes);
    prior[0] = priors_.mean;
    for (Index m = 0; m < 3; ++m) {
      const auto mode = static_cast<std::size_t>(m);
      prior.segment(1 + rows_before(m), data_.dims[mode]).setConstant(priors_.modes[mode]);
    }
    prior.segment(1 + rows, f).setConstant(priors_.item_slope);
    prior[1 + rows + f] = priors_.user_slope;
    for (Index e = 0; e < data_.size(); ++e) {
      const Index u = data_.row(0, e), i = data_.row(1, e);
      z(e, 0) = 1;
      for (Index m = 0; m < 3; ++m) z(e, 1 + rows_before(m) + data_.row(m, e)) = 1;
      z.row(e).segment(1 + rows, f) = features_.items.row(i);
      z(e, 1 + rows + f) = features_.users[u];
      z.row(e).segment(2 + rows + f + u * k, k) = features_.items.row(i).head(k);
    }
    return {z, prior};
  }

  Index rows_before(Index mode) const {
    Index rows = 0;
    for (Index m = 0; m < mode; ++m) rows += data_.dims[static_cast<std::size_t>(m)];
    return rows;
  }

  const ObservedEntries& data_;
  PrivateSumsPlan parts_;
  PositionFeatures features_;
  Matrix q_;
  Vector released_;
  private_sums::Priors priors_;
  double noise_ = 0, mean_ = 0, variance_ = 0;
};

TEST(PrivateSums, is_the_posterior_mean_of_its_releases) {
  ObservedEntries data = random_entries({14, 11, 3}, 0.4, 8);
  SeededRandom random(9);
  for (double& x : data.value) x = 2.8 + 0.8 * random.uniform();  // no prediction is cut
  for (const double epsilon : {2.0, 30.0}) {
    const PrivateSumsPlan parts = plan_private_sums(shape_of(data), epsilon, 2);
    const RatingPlan plan{{epsilon, 1e-6}, kSumsBounds, RatingNoise::gaussian, parts.values};
    // The same seed draws the same noise.
    PrivateRun run(rating_statement(plan), NoiseKey::insecure_from_seed(2));
    PrivateRun again(rating_statement(plan), NoiseKey::insecure_from_seed(2));
    RatingSums sums(RatingValues(data.value), plan, run);
    RatingSums same(RatingValues(data.value), plan, again);
    CompletionModel model = fit_private_sums(data, parts, LowRank::cp, 2, sums).model;
    model.range.reset();
    const std::vector<double> found = model.predict(data);
    const Vector expected = DensePosterior(data, parts, same).predictions();
    for (Index e = 0; e < data.size(); ++e) {
      EXPECT_NEAR(found[static_cast<std::size_t>(e)], expected[e], 1e-4);
    }
  }
}

// 200 x 150, half observed at random: effects of this deviation, and an error of 0.5.
ObservedEntries random_places(double effect) {
  ObservedEntries data = random_entries({200, 150, 1}, 0.5, 8);
  SeededRandom random(9);
  Vector user(200), item(150);
  for (Vector* v : {&user, &item}) {
    for (double& x : *v) x = effect * random.normal();
  }
  for (Index e = 0; e < data.size(); ++e) {
    const double x = 3 + user[data.row(0, e)] + item[data.row(1, e)] + 0.5 * random.normal();
    data.value[static_cast<std::size_t>(e)] = std::clamp(x, kSumsBounds.low, kSumsBounds.high);
  }
  return data;
}

// The mean over eight draws of noise of the error over that of the mean.
double over_the_mean(const ObservedEntries& data, double epsilon) {
  const EntrySplit split = split_entries(data, 0.2, 1);
  RatingShape shape = shape_of(split.kept);
  shape.positions_tell = false;
  const PrivateSumsPlan parts = plan_private_sums(shape, epsilon, 3);
  const RatingPlan plan{{epsilon, kTailDelta}, kSumsBounds, RatingNoise::laplace, parts.values};
  const double mean = Biases::constant(split.kept).mean;
  const double alone = root_mean_square_error(
      split.held_out, std::vector<double>(split.held_out.value.size(), mean));
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    PrivateRun run(rating_statement(plan), NoiseKey::insecure_from_seed(seed));
    RatingSums sums(RatingValues(split.kept.value), plan, run);
    const CompletionModel model = fit_private_sums(split.kept, parts, LowRank::cp, 3, sums).model;
    sum += root_mean_square_error(split.held_out, model.predict(split.held_out)) / 8;
  }
  return sum / alone;
}

// No gate: where there is nothing, next to nothing is lost, and effects count before they stand out
// for certain.
TEST(PrivateSums, lose_nothing_without_effects_and_learn_weak_ones_at_random_places) {
  for (const double epsilon : {0.3, 1.0, 5.0}) {
    EXPECT_LT(over_the_mean(random_places(0), epsilon), 1.0008) << epsilon;
  }
  EXPECT_LT(over_the_mean(random_places(0.3), 0.4), 0.995);
  EXPECT_LT(over_the_mean(random_places(0.3), 1), 0.93);
  EXPECT_LT(over_the_mean(random_places(0.1), 5), 0.99);
}

// Little can be learnt from 160 ratings a row at epsilon 0.1: the budget is for the mean.
TEST(PrivateSums, spend_on_the_mean_where_rows_cannot_stand_out) {
  const RatingShape dense{{20, 20, 20}, 3200, false};
  EXPECT_GT(plan_private_sums(dense, 0.1, 3).most_for_mean, 0.9);
  EXPECT_LT(plan_private_sums(dense, 5, 3).most_for_mean, 0.7);
  EXPECT_LT(plan_private_sums({dense.dims, dense.ratings, true}, 0.1, 3).most_for_mean, 0.7);
  const RatingShape many{{400, 300, 1}, 27000, false};
  EXPECT_LT(plan_private_sums(many, 0.2, 3).most_for_mean, 0.7);
  for (const auto noise : {RatingNoise::laplace, RatingNoise::gaussian}) {
    const private_sums::RatingWeights weights = private_sums::rating_weights(
        plan_private_sums(dense, 0.1, 3), Vector::Constant(20, 160), 14, noise);
    EXPECT_GT(weights.all, 0.9);
    const Vector all{{weights.all, weights.users[0], weights.items[0], weights.contexts[0]}};
    EXPECT_NEAR(noise == RatingNoise::laplace ? all.lpNorm<1>() : all.norm(), 1, 1e-12);
  }
}

// Rank 2 around one mean: users and items have no effects of their own. What the sums show then
// lowers the priors, and the noise teaches little.
TEST(PrivateSums, are_hardly_worse_than_the_mean_where_rows_have_no_effects) {
  ObservedEntries data = random_entries({150, 120, 1}, 0.5, 8);
  SeededRandom random(9);
  Matrix user(150, 2), item(120, 2);
  for (double& x : user.reshaped()) x = random.normal();
  for (double& x : item.reshaped()) x = random.normal();
  for (Index e = 0; e < data.size(); ++e) {
    const double x =
        3 + 0.4 * user.row(data.row(0, e)).dot(item.row(data.row(1, e))) + 0.3 * random.normal();
    data.value[static_cast<std::size_t>(e)] = std::clamp(x, kSumsBounds.low, kSumsBounds.high);
  }
  const EntrySplit split = split_entries(data, 0.2, 1);
  const double alone = deviation(split.held_out);
  for (const double epsilon : {1.0, 5.0, 20.0}) {
    double sum = 0;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const CompletionModel model = fit(split.kept, epsilon, LowRank::cp, 3, seed);
      sum += root_mean_square_error(split.held_out, model.predict(split.held_out)) / 5;
    }
    EXPECT_LT(sum, 1.01 * alone) << epsilon;
  }
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
  const Matrix scaled =
      Vector((users.array() + 1).rsqrt()).asDiagonal() * incidence * weight.asDiagonal();
  const Matrix right = leading_eigenpairs(scaled.transpose() * scaled, 3).vectors;
  const PositionFeatures features = position_features(positions);
  for (Index c = 0; c < 3; ++c) {
    Vector expected = weight.cwiseProduct(right.col(c));
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
