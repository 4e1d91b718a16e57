#include "sotto/complete/private/sgd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sotto/base/random.h"
#include "sotto/complete/fit/biases.h"
#include "sotto/complete/fit/scores.h"

namespace sotto {
namespace {

constexpr ValueBounds kSgdBounds{0, 7};

// 200 x 100 x 3: biases and a strong low-rank part, half of it rated.
ObservedEntries ratings() {
  SeededRandom random(3);
  const auto draw = [&](Index n, double deviation) {
    Vector v(n);
    for (double& x : v) x = deviation * random.normal();
    return v;
  };
  const Vector user = draw(200, 0.4), item = draw(100, 0.4), taste = draw(200, 0.7),
               kind = draw(100, 0.7);
  ObservedEntries data({200, 100, 3});
  for (std::int32_t u = 0; u < 200; ++u) {
    for (std::int32_t i = 0; i < 100; ++i) {
      if (random.uniform() > 0.5) continue;
      const double x = 3 + user[u] + item[i] + taste[u] * kind[i] + 0.3 * random.normal();
      data.append(std::vector<std::int32_t>{u, i, static_cast<std::int32_t>(random.below(3))},
                  std::clamp(x, kSgdBounds.low, kSgdBounds.high));
    }
  }
  return data;
}

double error_at(const EntrySplit& split, double epsilon) {
  const GradientPlan plan = plan_private_sgd(shape_of(split.kept), {epsilon, 1e-6}, kSgdBounds, 2);
  PrivateRun run(gradient_statement(plan), NoiseKey::from_system());
  ObservedEntries positions = split.kept;
  std::fill(positions.value.begin(), positions.value.end(), std::nan(""));
  RatingGradients gradients(RatingValues(split.kept.value), plan, run);
  const CompletionModel model = fit_private_sgd(positions, plan, 2, 0, gradients);
  const Certificate certificate = run.certify();
  EXPECT_TRUE(certificate.proved) << certificate.why;
  EXPECT_LE(certificate.epsilon, epsilon);
  return root_mean_square_error(split.held_out, model.predict(split.held_out));
}

TEST(PrivateSgd, learns_biases_and_factors_where_the_noise_is_small) {
  const EntrySplit split = split_entries(ratings(), 0.1, 1);
  const std::vector<double> shrink(3, 1);
  const double biases = std::sqrt(squared_error(split.held_out, fit_biases(split.kept, shrink)) /
                                  static_cast<double>(split.held_out.size()));
  EXPECT_GT(biases, 0.55);
  EXPECT_LT(error_at(split, 200), 0.8 * biases);
}

TEST(PrivateSgd, is_not_worse_than_the_mean_where_the_noise_is_large) {
  const EntrySplit split = split_entries(ratings(), 0.1, 1);
  const double alone = std::sqrt(squared_error(split.held_out, Biases::constant(split.kept)) /
                                 static_cast<double>(split.held_out.size()));
  for (const double epsilon : {0.2, 1.0, 5.0}) EXPECT_LT(error_at(split, epsilon), 1.03 * alone);
}

}  // namespace
}  // namespace sotto
