// The figures of docs/choosing.md for private streams, with margin.
#include "sotto/study/stream_recovery.h"

#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "sotto/release/choose_stream.h"

namespace sotto {
namespace {

constexpr double kDelta = 1e-6;

StreamOptions chosen(const PointModel& model) {
  return stream_options(model, choose_stream({model.dim, model.components, 3}, {}));
}

PointModel a_million_unit_records() {
  PointModel model;  // d 50, k 3
  model.records = 1000000;
  model.max_norm = 1;
  return model;
}

// The table has 0.03.
TEST(StreamRecovery, a_million_records_keep_every_cosine_above_0_9_down_to_epsilon_0_04) {
  const PointModel model = a_million_unit_records();
  const StreamProblem problem = stream_problem(model);
  for (const RecordNorm& norm : {RecordNorm(1.0), RecordNorm(NormRange{0.01, 100})}) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      EXPECT_GE(worst_cosine(problem, chosen(model), {0.04, kDelta}, norm, seed), 0.9) << seed;
    }
  }
}

TEST(StreamRecovery, more_starts_do_not_cost_the_components) {
  const PointModel model = a_million_unit_records();
  const StreamProblem problem = stream_problem(model);
  for (const PowerForm method : {PowerForm::simultaneous, PowerForm::robust}) {
    for (const std::int64_t starts : {1, 10, 50}) {
      StreamOptions options = chosen(model);
      options.method = method;
      options.iterations = 8;
      options.starts = starts;
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        EXPECT_GE(worst_cosine(problem, options, {0.3, kDelta}, 1.0, seed), 0.97)
            << name_of(method) << ", " << starts << " starts, seed " << seed;
      }
    }
  }
}

// A forecast is right within a factor of two in the weight.
TEST(StreamRecovery, forecasts_hold) {
  for (const auto& [dim, components, records] :
       {std::tuple<std::int64_t, std::int64_t, std::int64_t>{20, 3, 30000},
        {50, 3, 100000},
        {100, 10, 100000},
        {200, 3, 50000}}) {
    PointModel model;
    model.dim = dim;
    model.components = components;
    model.records = records;
    model.max_norm = 1;
    const StreamProblem problem = stream_problem(model);
    const StreamOptions options = chosen(model);
    const double needed = needed_epsilon(problem, options, kDelta, 1.0, 16, 15);
    // Records have length about 1.118 and are clipped to the ball: a component keeps its share over
    // 1.25^1.5.
    const double weakest = SyntheticPoints(model).weights().minCoeff() / std::pow(1.25, 1.5);
    const PrivateStreamPlan plan =
        plan_private_stream({dim, records, "records"}, {needed, kDelta}, 1.0,
                            {3, options.columns(), options.answers(), 0});
    const double forecast = forecast_stream({dim, components, 3}, options.method, plan).weight;
    RecordProperty("needed_" + std::to_string(dim), std::to_string(needed));
    EXPECT_GT(forecast, 0.5 * weakest) << dim;
    EXPECT_LT(forecast, 2 * weakest) << dim;
  }
}

}  // namespace
}  // namespace sotto
