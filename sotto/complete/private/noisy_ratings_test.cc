#include "sotto/complete/private/noisy_ratings.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/base/random.h"
#include "sotto/complete/fit/biases.h"
#include "sotto/complete/fit/fit.h"
#include "sotto/complete/fit/scores.h"
#include "sotto/complete/private/position_features.h"

namespace sotto {
namespace {

constexpr ValueBounds kNoisyBounds{0, 6};

// 200 x 150, 40% observed at random, rank 2 around a mean; effects of deviation `effect`.
ObservedEntries effects_and_tastes(double effect, double taste, std::uint64_t seed = 3) {
  SeededRandom random(seed);
  Matrix user(200, 2), item(150, 2);
  for (double& x : user.reshaped()) x = random.normal();
  for (double& x : item.reshaped()) x = random.normal();
  Vector level(200), quality(150);
  for (Vector* v : {&level, &quality}) {
    for (double& x : *v) x = effect * random.normal();
  }
  ObservedEntries data({200, 150, 1});
  for (std::int32_t u = 0; u < 200; ++u) {
    for (std::int32_t i = 0; i < 150; ++i) {
      if (random.uniform() > 0.4) continue;
      const double x =
          3 + level[u] + quality[i] + taste * user.row(u).dot(item.row(i)) + 0.5 * random.normal();
      data.append(std::vector<std::int32_t>{u, i, 0},
                  std::clamp(x, kNoisyBounds.low, kNoisyBounds.high));
    }
  }
  return data;
}

// Released with noise from a seed; the values in `positions` are no numbers.
NoisyRatings released(const ObservedEntries& data, double epsilon, std::uint64_t seed,
                      Certificate* certificate = nullptr) {
  const NoisyRatingsPlan parts = plan_noisy_ratings(shape_of(data), epsilon);
  const RatingPlan plan{
      {epsilon, kTailDelta}, kNoisyBounds, RatingNoise::laplace, parts.values, data.size()};
  PrivateRun run(rating_statement(plan), NoiseKey::insecure_from_seed(seed));
  RatingSums sums(RatingValues(data.value), plan, run);
  NoisyRatings found = release_noisy_ratings(parts, sums);
  if (certificate != nullptr) *certificate = run.certify();
  return found;
}

CompletionModel posterior_of(const ObservedEntries& data, double epsilon,
                             LowRank kind = LowRank::cp, std::uint64_t seed = 1) {
  ObservedEntries positions = data;
  std::fill(positions.value.begin(), positions.value.end(), std::nan(""));
  return fit_noisy_ratings(positions, released(data, epsilon, seed), kNoisyBounds, kind, 3);
}

double error_at(const ObservedEntries& test, const CompletionModel& model) {
  return root_mean_square_error(test, model.predict(test));
}

double error_with_mean(const EntrySplit& split) {
  const std::vector<double> mean(split.held_out.value.size(), Biases::constant(split.kept).mean);
  return root_mean_square_error(split.held_out, mean);
}

TEST(NoisyRatings, find_effects_and_a_low_rank_part_and_come_near_their_error) {
  const EntrySplit split = split_entries(effects_and_tastes(0.4, 0.4), 0.2, 1);
  EXPECT_GT(error_with_mean(split), 0.85);
  EXPECT_LT(error_at(split.held_out, posterior_of(split.kept, 6)), 0.72);
  EXPECT_LT(error_at(split.held_out, posterior_of(split.kept, 100)), 0.55);
}

// Knowing the law of the noise, and how large everything is, beats the solver of public data on
// the same noisy ratings.
TEST(NoisyRatings, are_worth_more_to_the_posterior_than_to_a_solver_of_exact_ratings) {
  const EntrySplit split = split_entries(effects_and_tastes(0.4, 0.4), 0.2, 1);
  for (const double epsilon : {3.0, 6.0}) {
    ObservedEntries noisy = split.kept;
    noisy.value = released(split.kept, epsilon, 1).value;
    CompletionOptions options;
    options.rank = 3;
    const CompletionFit solver =
        fit_completion(noisy, options, std::pair(kNoisyBounds.low, kNoisyBounds.high));
    EXPECT_LT(error_at(split.held_out, posterior_of(split.kept, epsilon)),
              0.97 * error_at(split.held_out, solver.model))
        << epsilon;
  }
}

// Over three draws of noise. Nothing but the mean is there to be found. From the noisy ratings
// alone it would have an error of 1% at epsilon 1, and the prediction would lose more than that.
TEST(NoisyRatings, leave_the_mean_where_there_is_nothing_else) {
  const EntrySplit split = split_entries(effects_and_tastes(0, 0), 0.2, 1);
  for (const double epsilon : {1.0, 5.0, 50.0}) {
    double sum = 0;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      sum += error_at(split.held_out, posterior_of(split.kept, epsilon, LowRank::cp, seed)) / 3;
    }
    EXPECT_LT(sum, (epsilon < 2    ? 1.03
                    : epsilon < 10 ? 1.015
                                   : 1.003) *
                       error_with_mean(split))
        << epsilon;
  }
}

// 3,200 ratings of deviation 0.3 with noise of deviation 1.9 each, which leaves an error of 0.03 in
// their mean; the noise of the sum of all leaves one of 0.004. 0.025 is six of the latter, beyond
// which ten draws of Laplace noise come once in 500 times.
TEST(NoisyRatings, know_the_mean_from_the_sum_of_all) {
  SeededRandom random(7);
  ObservedEntries data({20, 20, 20});
  for (std::int32_t e = 0; e < 8000; ++e) {
    if (random.uniform() > 0.4) continue;
    data.append(std::vector<std::int32_t>{e % 20, e / 20 % 20, e / 400}, 3 + 0.3 * random.normal());
  }
  double mean = 0;
  for (const double x : data.value) mean += x / static_cast<double>(data.size());
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const std::vector<double> found = posterior_of(data, 5, LowRank::cp, seed).predict(data);
    double sum = 0;
    for (const double x : found) sum += x / static_cast<double>(found.size());
    EXPECT_NEAR(sum, mean, 0.025) << seed;
  }
}

// A rating moves the sum and its own number, each by the width of the range: within what is charged
// and close to it. Together that costs what was asked for.
TEST(NoisyRatings, neighbours_move_the_sum_and_one_rating_within_what_is_charged) {
  ObservedEntries low = effects_and_tastes(0.4, 0.4), high = low;
  const std::size_t e = 17;
  low.value[e] = kNoisyBounds.low;
  high.value[e] = kNoisyBounds.high;
  Certificate certificate;
  const NoisyRatings below = released(low, 3, 1), above = released(high, 3, 1, &certificate);
  ASSERT_EQ(certificate.releases.size(), 2u);
  const auto n = static_cast<double>(low.size());
  const double of_sum = (above.mean - below.mean) * n;
  EXPECT_LE(of_sum, certificate.releases[0].record.sensitivity);
  EXPECT_GT(of_sum, 0.99 * certificate.releases[0].record.sensitivity);
  for (std::size_t i = 0; i < low.value.size(); ++i) {
    const double moved = above.value[i] - below.value[i];
    EXPECT_LE(moved, certificate.releases[1].record.sensitivity);
    EXPECT_NEAR(moved, i == e ? kNoisyBounds.width() : 0, 1e-6);
  }
  EXPECT_LE(certificate.epsilon, 3);
  EXPECT_GT(certificate.epsilon, 2.99);
}

TEST(NoisyRatings, plan_what_they_release) {
  const RatingShape shape{{400, 300, 1}, 27000, false};
  for (const double epsilon : {0.01, 1.0, 100.0}) {
    const NoisyRatingsPlan plan = plan_noisy_ratings(shape, epsilon);
    EXPECT_NEAR(plan.sum + plan.ratings, 1, 1e-12);
    EXPECT_GT(plan.sum, 0);
    EXPECT_LT(plan.sum, 0.2);
    const RatingPlan settings{
        {epsilon, kTailDelta}, kNoisyBounds, RatingNoise::laplace, plan.values, shape.ratings};
    const std::vector<PlannedRelease> releases = planned_releases(plan, settings, shape);
    ASSERT_EQ(releases.size(), 2u);
    EXPECT_EQ(releases[0].values + releases[1].values, plan.values);
    EXPECT_TRUE(releases[0].noise && releases[1].noise);
  }
}

TEST(NoisyRatings, are_the_same_model_as_cp_and_as_tucker) {
  const ObservedEntries data = effects_and_tastes(0.4, 0.4);
  const std::vector<double> cp = posterior_of(data, 10).predict(data);
  const std::vector<double> tucker = posterior_of(data, 10, LowRank::tucker).predict(data);
  for (std::size_t e = 0; e < cp.size(); ++e) EXPECT_NEAR(cp[e], tucker[e], 1e-9);
}

TEST(NoisyRatings, have_effects_of_contexts_and_of_few_rows) {
  ObservedEntries data({3, 2, 2});
  for (std::int32_t u = 0; u < 3; ++u) {
    for (std::int32_t i = 0; i < 2; ++i) {
      for (std::int32_t t = 0; t < 2; ++t) {
        data.append(std::vector<std::int32_t>{u, i, t}, t == 0 ? 1.0 : 5.0);
      }
    }
  }
  const std::vector<double> found = posterior_of(data, 200).predict(data);
  for (std::size_t e = 0; e < found.size(); ++e) EXPECT_NEAR(found[e], data.value[e], 0.6);
}

TEST(NoisyRatings, are_preferred_by_public_numbers) {
  const RatingShape random{{400, 300, 1}, 27000, false};
  EXPECT_FALSE(prefers_noisy_ratings(random, 1));
  EXPECT_TRUE(prefers_noisy_ratings(random, 5));
  EXPECT_FALSE(prefers_noisy_ratings({random.dims, random.ratings, true}, 5));
  EXPECT_TRUE(prefers_noisy_ratings({random.dims, random.ratings, true}, 20));
  EXPECT_FALSE(prefers_noisy_ratings({random.dims, random.ratings, {}}, 5));
  EXPECT_FALSE(prefers_noisy_ratings({random.dims, 2700, false}, 5));
  // With contexts it takes two and a half times as much.
  EXPECT_FALSE(prefers_noisy_ratings({{400, 300, 12}, 27000, false}, 5));
  EXPECT_TRUE(prefers_noisy_ratings({{400, 300, 12}, 81000, false}, 5));
}

// Two groups of people, each with its own items, against random places.
TEST(PositionFeatures, tell_of_tastes_where_people_choose) {
  SeededRandom random(4);
  ObservedEntries chosen({100, 80, 1}), free({100, 80, 1});
  for (std::int32_t u = 0; u < 100; ++u) {
    for (std::int32_t i = 0; i < 80; ++i) {
      const std::vector<std::int32_t> place{u, i, 0};
      const double share = random.uniform();
      if (share < (u % 2 == i % 2 ? 0.35 : 0.05)) chosen.append(place, std::nan(""));
      if (share < 0.2 * (i < 20 ? 3 : 1)) free.append(place, std::nan(""));  // some are popular
    }
  }
  EXPECT_TRUE(positions_tell(chosen));
  EXPECT_FALSE(positions_tell(free));
}

}  // namespace
}  // namespace sotto
