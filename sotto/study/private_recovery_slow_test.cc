// What the private power method must show: see docs/choosing.md for the figures.
#include <gtest/gtest.h>

#include <array>

#include "sotto/release/choose.h"
#include "sotto/study/private_recovery.h"

namespace sotto {
namespace {

constexpr double kDelta = 1e-6;

ErrorAt iterate_at(const RecoveryProblem& problem, const PowerShape& shape, Published how) {
  return [=](double epsilon, std::uint64_t seed) {
    return iterate_error(problem, plan_power_noise(shape, {epsilon, kDelta}, how, {}), seed);
  };
}

TEST(PrivateRecovery, strict_needs_an_eighth_of_the_epsilon_as_published) {
  for (const auto& [d, k, L, R] : {std::array<Index, 4>{64, 3, 10, 10}, {256, 5, 25, 12}}) {
    const RecoveryProblem problem = hadamard_problem(d, k);
    const PowerShape shape = problem.shape(L, R);
    const double strict = needed_epsilon(iterate_at(problem, shape, Published::no), 16);
    const double published = needed_epsilon(iterate_at(problem, shape, Published::wang), 16);
    EXPECT_GE(published, 8 * strict) << d;
    RecordProperty("strict_" + std::to_string(d), std::to_string(strict));
    RecordProperty("published_" + std::to_string(d), std::to_string(published));
  }
}

TEST(PrivateRecovery, errors_are_those_of_the_table) {
  const RecoveryProblem small = hadamard_problem(64, 3), large = hadamard_problem(256, 5);
  const auto error = [](const RecoveryProblem& problem, const PowerShape& shape, Published how,
                        double epsilon) {
    return mean_error(iterate_at(problem, shape, how), epsilon, 8);
  };
  EXPECT_LT(error(small, small.shape(10, 10), Published::no, 3), 0.01);
  EXPECT_GT(error(small, small.shape(10, 10), Published::wang, 3), 0.7);
  EXPECT_LT(error(large, large.shape(25, 12), Published::no, 3), 0.02);
  EXPECT_GT(error(large, large.shape(25, 12), Published::wang, 10), 0.8);
}

// At the epsilon that iterating needs: input perturbation succeeds with a quarter more if `auto`
// takes it, and fails with a quarter less if `auto` does not.
TEST(PrivateRecovery, auto_is_at_most_a_quarter_worse_than_the_better_mechanism) {
  for (Index d : {10, 25, 50, 100, 200, 400}) {
    const RecoveryProblem problem = random_problem(d, 3, 3, 1);
    const PublicShape shape{d, 3};
    const PowerPlan iterate{PowerMechanism::iterate,
                            problem.shape(default_starts(shape), default_iterations(shape))};
    const PowerPlan input{PowerMechanism::input, problem.shape(32, 100)};
    const double needed = needed_epsilon(iterate_at(problem, iterate.shape, Published::no), 16);
    const ErrorAt input_at = [&](double epsilon, std::uint64_t seed) {
      return input_error(problem, {epsilon, kDelta}, seed);
    };
    const int repeats = d <= 100 ? 8 : 2;
    if (better_plan(iterate, input).mechanism == PowerMechanism::input) {
      EXPECT_LE(mean_error(input_at, 1.25 * needed, repeats), 0.05) << d;
    } else {
      EXPECT_GT(mean_error(input_at, needed / 1.25, repeats), 0.05) << d;
    }
  }
}

// A forecast is right within a factor of two in the weight.
TEST(PrivateRecovery, forecasts_hold) {
  for (const auto& [d, k, order] :
       {std::array<Index, 3>{25, 3, 3}, {100, 3, 3}, {100, 8, 3}, {400, 3, 3}, {40, 3, 4}}) {
    const RecoveryProblem problem = random_problem(d, k, static_cast<int>(order), 2);
    const PublicShape shape{d, static_cast<int>(order)};
    const PowerPlan plan{PowerMechanism::iterate,
                         problem.shape(default_starts(shape), default_iterations(shape))};
    const double needed = needed_epsilon(iterate_at(problem, plan.shape, Published::no), 16);
    const double weight = forecast(plan, {needed, kDelta}).weight;
    EXPECT_GT(weight, 300) << d << " " << k << " " << order;
    EXPECT_LT(weight, 1200) << d << " " << k << " " << order;
  }
}

}  // namespace
}  // namespace sotto
