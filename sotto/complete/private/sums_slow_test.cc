// The price of privacy on ratings like those of MovieLens 100K: 943 users, 1682 items, 12 months,
// 100000 ratings of which a tenth is held out. As in real data, people rate more of what they like,
// so positions tell something about tastes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "sotto/base/random.h"
#include "sotto/complete/fit/biases.h"
#include "sotto/complete/fit/fit.h"
#include "sotto/complete/fit/scores.h"
#include "sotto/complete/private/published.h"
#include "sotto/complete/private/sums.h"

namespace sotto {
namespace {

constexpr ValueBounds kStars{1, 5};
constexpr Index kUsers = 943, kItems = 1682, kMonths = 12, kTastes = 3;

Matrix normal(Index rows, Index columns, double deviation, SeededRandom& random) {
  Matrix result(rows, columns);
  for (double& x : result.reshaped()) x = deviation * random.normal();
  return result;
}

// The numbers of ratings of users and the popularity of items fall off like powers. One star more
// doubles the probability that a user takes an item.
ObservedEntries informative_ratings(std::uint64_t seed) {
  SeededRandom random(seed);
  const Matrix taste = normal(kUsers, kTastes, 1, random),
               kind = normal(kItems, kTastes, 1, random);
  const Matrix user = normal(kUsers, 1, 0.42, random), item = normal(kItems, 1, 0.42, random);
  const Matrix month = normal(kMonths, 1, 0.08, random);
  ObservedEntries data({kUsers, kItems, kMonths});
  for (Index u = 0; u < kUsers; ++u) {
    const double wanted = 30 + 1500 / std::pow(static_cast<double>(u) + 1, 0.55);
    std::set<Index> taken;
    for (int tries = 0; std::ssize(taken) < static_cast<Index>(wanted) && tries < 200000; ++tries) {
      const auto i =
          static_cast<Index>(static_cast<double>(kItems) * std::pow(random.uniform(), 2.2));
      const double liked =
          0.35 * taste.row(u).dot(kind.row(i)) / std::sqrt(double(kTastes)) + item(i, 0);
      if (random.uniform() > 0.5 * std::exp2(2 * liked) || !taken.insert(i).second) continue;
      const auto t = static_cast<Index>(random.below(kMonths));
      const double x = 3.5 + user(u, 0) + liked + month(t, 0) + 0.85 * random.normal();
      data.append(
          std::vector<std::int32_t>{static_cast<std::int32_t>(u), static_cast<std::int32_t>(i),
                                    static_cast<std::int32_t>(t)},
          std::clamp(std::round(x), kStars.low, kStars.high));
    }
  }
  return data;
}

double error_of(const ObservedEntries& test, const CompletionModel& model) {
  return root_mean_square_error(test, model.predict(test));
}

double strict_error(const EntrySplit& split, double epsilon) {
  const PrivateSumsPlan parts = plan_private_sums(shape_of(split.kept), epsilon, 8);
  const RatingPlan plan{{epsilon, kTailDelta}, kStars, RatingNoise::laplace, parts.values};
  PrivateRun run(rating_statement(plan), NoiseKey::from_system());
  RatingSums sums(RatingValues(split.kept.value), plan, run);
  const double error =
      error_of(split.held_out, fit_private_sums(split.kept, parts, LowRank::cp, 8, sums).model);
  EXPECT_TRUE(run.certify().proved);
  EXPECT_LE(run.certify().epsilon, epsilon);
  return error;
}

double published_input_error(const EntrySplit& split, double epsilon) {
  PublishedSettings settings = published_defaults(LowRank::cp);
  settings.epochs = 20;
  const RatingPlan plan{{epsilon, kTailDelta}, kStars, RatingNoise::laplace, 1};
  PrivateRun run(rating_statement(plan), NoiseKey::from_system());
  return error_of(split.held_out, fit_published(split.kept, RatingValues(split.kept.value), plan,
                                                Perturbation::input, settings, run)
                                      .model);
}

TEST(PrivateCompletion, costs_little_accuracy_on_ratings_like_movielens) {
  const ObservedEntries data = informative_ratings(1);
  ASSERT_GT(data.size(), 80000);
  ASSERT_LT(data.size(), 130000);
  const EntrySplit split = split_entries(data, 0.1, 2);
  CompletionOptions options;
  const double bare =
      error_of(split.held_out,
               fit_completion(split.kept, options, std::pair(kStars.low, kStars.high)).model);
  const double mean = std::sqrt(squared_error(split.held_out, Biases::constant(split.kept)) /
                                static_cast<double>(split.held_out.size()));
  const double one = strict_error(split, 1), five = strict_error(split, 5);
  RecordProperty("non_private", std::to_string(bare));
  RecordProperty("epsilon_1", std::to_string(one));
  RecordProperty("epsilon_5", std::to_string(five));
  EXPECT_LT(one, 1.055 * bare);
  EXPECT_LT(five, 1.02 * bare);
  EXPECT_LT(one, published_input_error(split, 1));
  EXPECT_LT(five, published_input_error(split, 5));
  EXPECT_LT(strict_error(split, 0.2), mean);
  // Next to nothing is learnt, and the mean itself is known with a deviation of about 0.1 only.
  EXPECT_LT(strict_error(split, 0.05), 1.05 * mean);
}

}  // namespace
}  // namespace sotto
