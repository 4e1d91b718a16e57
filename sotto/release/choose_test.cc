#include "sotto/release/choose.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/base/error.h"
#include "sotto/privacy/accountant.h"

namespace sotto {
namespace {

PowerPlan iterate_plan(Index d, std::int64_t k, int order = 3) {
  const PublicShape shape{d, order};
  return {PowerMechanism::iterate, {d, order, k, default_starts(shape), default_iterations(shape)}};
}

PowerPlan input_plan(Index d, std::int64_t k, int order = 3) {
  return {PowerMechanism::input, {d, order, k, 32, 100}};
}

TEST(Choose, noise_of_input_perturbation_is_that_of_a_symmetric_gaussian) {
  const double sigma = calibrate_gaussian(1, 1e-6, 1);
  EXPECT_NEAR(forecast(input_plan(50, 3), {1, 1e-6}).noise / (6 * sigma / std::sqrt(3.0)), 1, 1e-9);
  EXPECT_NEAR(forecast(input_plan(50, 3, 4), {1, 1e-6}).noise / (24 * sigma / 2), 1, 1e-9);
}

TEST(Choose, noise_of_the_iterated_form_falls_with_the_dimension) {
  const PrivacyTarget target{1, 1e-6};
  for (int order : {3, 4}) {
    EXPECT_LT(forecast(iterate_plan(400, 3, order), target).noise,
              forecast(iterate_plan(50, 3, order), target).noise / 2);
  }
}

TEST(Choose, noise_as_published_is_far_above_strict) {
  PowerPlan plan = iterate_plan(100, 3);
  const double strict = forecast(plan, {1, 1e-6}).noise;
  plan.published = Published::wang;
  EXPECT_GT(forecast(plan, {1, 1e-6}).noise, 3 * strict);
}

TEST(Choose, small_dimensions_perturb_the_input_and_large_ones_iterate) {
  for (int order : {3, 4}) {
    EXPECT_EQ(better_plan(iterate_plan(10, 3, order), input_plan(10, 3, order)).mechanism,
              PowerMechanism::input);
  }
  EXPECT_EQ(better_plan(iterate_plan(20000, 3), input_plan(20000, 3)).mechanism,
            PowerMechanism::iterate);
}

TEST(Choose, expected_epsilon_is_where_the_forecast_meets_the_weight) {
  for (PowerPlan plan : {iterate_plan(60, 3), input_plan(60, 3)}) {
    for (Published published : {Published::no, Published::wang}) {
      plan.published = plan.mechanism == PowerMechanism::input ? Published::no : published;
      for (double epsilon : {0.1, 1.0, 10.0}) {
        const double weight = forecast(plan, {epsilon, 1e-6}).weight;
        EXPECT_NEAR(expected_epsilon(plan, 1e-6, weight) / epsilon, 1, 1e-9);
      }
    }
  }
  EXPECT_THROW(expected_epsilon(iterate_plan(60, 3), 1e-6, 0), Error);
}

}  // namespace
}  // namespace sotto
