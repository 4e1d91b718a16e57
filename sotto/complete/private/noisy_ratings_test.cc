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

std::vector<double> with_laplace(const ObservedEntries& data, double epsilon, std::uint64_t seed) {
  SeededRandom random(seed, 9);
  std::vector<double> noisy = data.value;
  for (double& x : noisy) {
    const double size = -kNoisyBounds.width() / epsilon * std::log(1 - random.uniform());
    x += random.uniform() < 0.5 ? size : -size;
  }
  return noisy;
}

CompletionModel posterior_of(const ObservedEntries& data, double epsilon,
                             LowRank kind = LowRank::cp, std::uint64_t seed = 1) {
  RatingPlan plan{{epsilon, kTailDelta}, kNoisyBounds};
  plan.ratings = data.size();
  ObservedEntries positions = data;
  std::fill(positions.value.begin(), positions.value.end(), std::nan(""));
  return fit_noisy_ratings(positions, with_laplace(data, epsilon, seed), plan, kind, 3);
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
    noisy.value = with_laplace(split.kept, epsilon, 1);
    CompletionOptions options;
    options.rank = 3;
    const CompletionFit solver =
        fit_completion(noisy, options, std::pair(kNoisyBounds.low, kNoisyBounds.high));
    EXPECT_LT(error_at(split.held_out, posterior_of(split.kept, epsilon)),
              0.97 * error_at(split.held_out, solver.model))
        << epsilon;
  }
}

// Over three draws of noise. Nothing but the mean is there to be found.
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
