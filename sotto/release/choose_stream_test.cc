#include "sotto/release/choose_stream.h"

#include <gtest/gtest.h>

#include "sotto/base/error.h"

namespace sotto {
namespace {

PrivateStreamPlan plan_for(const StreamShape& shape, const StreamChoice& choice, double epsilon,
                           std::int64_t records) {
  const bool together = choice.method == PowerForm::simultaneous;
  const std::int64_t columns = together ? choice.starts * shape.components : choice.starts;
  const std::int64_t rounds = together ? 1 : shape.components;
  return plan_private_stream({shape.dim, records, "records"}, {epsilon, 1e-6}, 1.0,
                             {shape.order, columns, rounds * (choice.iterations + 1), 0});
}

TEST(ChooseStream, takes_the_method_that_was_asked_for_and_else_the_one_with_larger_batches) {
  const StreamShape shape{50, 3, 3};
  EXPECT_EQ(choose_stream(shape, {}).method, PowerForm::simultaneous);
  EXPECT_EQ(choose_stream(shape, PowerForm::robust).method, PowerForm::robust);
}

TEST(ChooseStream, the_forecast_falls_with_records_and_epsilon_alike) {
  for (const PowerForm method : {PowerForm::robust, PowerForm::simultaneous}) {
    const StreamShape shape{50, 3, 3};
    const StreamChoice choice = choose_stream(shape, method);
    const auto at = [&](double epsilon, std::int64_t records) {
      return forecast_stream(shape, method, plan_for(shape, choice, epsilon, records));
    };
    const StreamForecast one = at(1, 1000000), fewer = at(1, 100000);
    EXPECT_NEAR(fewer.noise / one.noise, 10, 0.01);
    EXPECT_NEAR(fewer.weight / one.weight, 10, 0.01);
    EXPECT_LT(one.weight, at(0.5, 1000000).weight);
    // The epsilon for a weight is the one whose forecast is that weight.
    const PrivateStreamPlan plan = plan_for(shape, choice, 1, 1000000);
    const double epsilon = expected_epsilon(shape, method, plan, 0.1);
    EXPECT_NEAR(at(epsilon, 1000000).weight, 0.1, 1e-6);
    EXPECT_THROW(expected_epsilon(shape, method, plan, 0), Error);
  }
}

// 2/(n mu) times the spread of the block: for one orthonormal group there is none.
TEST(ChooseStream, the_noise_of_one_group_is_that_of_one_start) {
  const StreamShape shape{30, 3, 3};
  const PrivateStreamPlan plan = plan_for(shape, {PowerForm::simultaneous, 1, 9}, 1, 100000);
  EXPECT_NEAR(forecast_stream(shape, PowerForm::simultaneous, plan).noise,
              2 / (10000 * stream_mu(plan)), 1e-9);
}

// More columns than dimensions are forecast too.
TEST(ChooseStream, takes_any_shape) {
  for (const Index d : {1, 2, 5, 300}) {
    for (const int order : {3, 4}) {
      const StreamShape shape{d, std::min<Index>(d, 5), order};
      const StreamChoice choice = choose_stream(shape, {});
      EXPECT_GE(choice.starts, 1);
      EXPECT_GE(choice.iterations, 1);
      const StreamForecast expected =
          forecast_stream(shape, choice.method, plan_for(shape, choice, 1, 100000));
      EXPECT_GT(expected.noise, 0);
      EXPECT_GT(expected.weight, expected.noise);
    }
  }
}

}  // namespace
}  // namespace sotto
