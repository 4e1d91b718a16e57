#include "sotto/complete/private/als.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sotto/base/random.h"
#include "sotto/complete/fit/biases.h"
#include "sotto/complete/fit/scores.h"

namespace sotto {
namespace {

constexpr ValueBounds kAlsBounds{0, 7};

// 200 x 150, rank 1 over biases; everybody rates at random, so positions say nothing.
ObservedEntries low_rank_ratings() {
  SeededRandom random(3);
  Vector user(200), item(150), taste(200), kind(150);
  for (Vector* v : {&user, &item}) {
    for (double& x : *v) x = 0.3 * random.normal();
  }
  for (Vector* v : {&taste, &kind}) {
    for (double& x : *v) x = random.normal();
  }
  ObservedEntries data({200, 150, 1});
  for (std::int32_t u = 0; u < 200; ++u) {
    for (std::int32_t i = 0; i < 150; ++i) {
      if (random.uniform() > 0.6) continue;
      const double x = 3.5 + user[u] + item[i] + 0.7 * taste[u] * kind[i] + 0.3 * random.normal();
      data.append(std::vector<std::int32_t>{u, i, 0},
                  std::clamp(x, kAlsBounds.low, kAlsBounds.high));
    }
  }
  return data;
}

struct Outcome {
  CompletionModel model;
  Certificate certificate;
};

Outcome fit(const ObservedEntries& data, const PrivacyTarget& target, LowRank kind = LowRank::cp,
            NoiseKey key = NoiseKey::from_system()) {
  const PrivateAlsPlan parts = plan_private_als(shape_of(data), target.epsilon, 2);
  RatingPlan plan{target, kAlsBounds, choose_noise(target, parts.parts()), parts.values};
  PrivateRun run(rating_statement(plan), std::move(key));
  ObservedEntries positions = data;
  std::fill(positions.value.begin(), positions.value.end(), std::nan(""));
  RatingSums sums(RatingValues(data.value), plan, run);
  CompletionModel model = fit_private_als(positions, parts, kind, 2, sums);
  return {std::move(model), run.certify()};
}

double error_of(const ObservedEntries& test, const CompletionModel& model) {
  return root_mean_square_error(test, model.predict(test));
}

TEST(PrivateAls, finds_a_low_rank_part_that_positions_do_not_tell_of) {
  const EntrySplit split = split_entries(low_rank_ratings(), 0.1, 1);
  const PrivateSumsPlan parts = plan_private_sums(shape_of(split.kept), 50, 2);
  const RatingPlan plan{{50, kTailDelta}, kAlsBounds, RatingNoise::laplace, parts.values};
  PrivateRun run(rating_statement(plan), NoiseKey::from_system());
  RatingSums sums(RatingValues(split.kept.value), plan, run);
  const double by_positions =
      error_of(split.held_out, fit_private_sums(split.kept, parts, LowRank::cp, 2, sums).model);
  EXPECT_GT(by_positions, 0.6);
  EXPECT_LT(error_of(split.held_out, fit(split.kept, {50, kTailDelta}).model), 0.45);
  EXPECT_LT(error_of(split.held_out, fit(split.kept, {50, 1e-6}).model), 0.45);
  EXPECT_LT(error_of(split.held_out, fit(split.kept, {50, 1e-6}, LowRank::tucker).model), 0.45);
}

TEST(PrivateAls, stays_within_epsilon_and_falls_back_to_biases) {
  const EntrySplit split = split_entries(low_rank_ratings(), 0.1, 1);
  const double alone = std::sqrt(squared_error(split.held_out, Biases::constant(split.kept)) /
                                 static_cast<double>(split.held_out.size()));
  for (const double epsilon : {0.3, 1.0, 5.0}) {
    const Outcome run = fit(split.kept, {epsilon, kTailDelta});
    EXPECT_TRUE(run.certificate.proved) << run.certificate.why;
    EXPECT_LE(run.certificate.epsilon, epsilon);
    EXPECT_GT(run.certificate.epsilon, 0.999 * epsilon);  // all of it is spent, whatever comes out
    double mean = 0;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      mean += error_of(split.held_out, fit(split.kept, {epsilon, kTailDelta}, LowRank::cp,
                                           NoiseKey::insecure_from_seed(seed))
                                           .model) /
              5;
    }
    EXPECT_LT(mean, 1.05 * alone) << epsilon;
  }
}

TEST(PrivateAls, plans_shares_that_sum_to_one) {
  const PrivateAlsPlan plan = plan_private_als(shape_of(low_rank_ratings()), 1, 4);
  double sum = 0;
  for (const double share : plan.shares()) sum += share;
  EXPECT_NEAR(sum, 1, 1e-12);
}

}  // namespace
}  // namespace sotto
