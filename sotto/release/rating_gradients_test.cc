#include "sotto/release/rating_gradients.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/privacy/accountant.h"

namespace sotto {
namespace {

constexpr Index kGradientEntries = 300, numbers = 40;

std::vector<double> some_values() {
  SeededRandom random(2);
  std::vector<double> values;
  for (Index e = 0; e < kGradientEntries; ++e) values.push_back(1 + 4 * random.uniform());
  return values;
}

GradientPlan plan_for(double epsilon, double rate = 1) {
  return {{epsilon, 1e-6}, {1, 5}, rate, 3, 1.5, numbers, 2};
}

// Entry e touches two parameters.
void linearise(Index e, Linearised& at) {
  at.predicted = 3;
  at.direction.push_back({e % numbers, 1});
  at.direction.push_back({(e + 7) % numbers, 0.5});
}

Vector step_of(const std::vector<double>& values, const GradientPlan& plan) {
  PrivateRun run(gradient_statement(plan), NoiseKey::insecure_from_seed(4));
  RatingGradients gradients(RatingValues(values), plan, run);
  return gradients.step(linearise).value().value;
}

// Each contribution by its definition.
Vector exact_sum(const std::vector<double>& values) {
  Vector sum = Vector::Zero(numbers);
  for (Index e = 0; e < kGradientEntries; ++e) {
    Vector one = Vector::Zero(numbers);
    one[e % numbers] += 1;
    one[(e + 7) % numbers] += 0.5;
    one *= values[static_cast<std::size_t>(e)] - 3;
    if (one.norm() > 1.5) one *= 1.5 / one.norm();
    sum += one;
  }
  return sum;
}

TEST(RatingGradients, are_the_clipped_sums_and_noise_on_every_number) {
  const std::vector<double> values = some_values();
  const GradientPlan faint = plan_for(500), usual = plan_for(1);
  EXPECT_LT((step_of(values, faint) - exact_sum(values)).cwiseAbs().maxCoeff(), 0.8);
  const Vector noise = step_of(values, usual) - exact_sum(values);
  PrivateRun run(gradient_statement(usual), NoiseKey::from_system());
  const RatingGradients gradients(RatingValues(values), usual, run);
  EXPECT_NEAR(noise.squaredNorm() / numbers / std::pow(gradients.deviation(), 2), 1, 0.7);
  EXPECT_GT(noise.cwiseAbs().minCoeff(), 0);
}

// At rate 1 the sample is known, so the same seed gives the same noise. Withdrawing a value
// (setting it to its prediction, so that it contributes zero) moves the sum by at most the
// sensitivity, and reaches it.
TEST(RatingGradients, a_withdrawn_value_moves_the_sum_by_at_most_the_clip) {
  const GradientPlan plan = plan_for(1);
  PrivateRun run(gradient_statement(plan), NoiseKey::from_system());
  const RatingGradients gradients(RatingValues(some_values()), plan, run);
  const double charged = run.certify().releases[0].record.sensitivity;
  double most = 0;
  for (std::size_t e = 0; e < 50; ++e) {
    std::vector<double> with = some_values(), without = with;
    with[e] = e % 2 == 0 ? 1 : 1e300;
    without[e] = 3;
    most = std::max(most, (step_of(with, plan) - step_of(without, plan)).norm());
  }
  EXPECT_LE(most, charged);
  EXPECT_GT(most, 0.999 * charged);
}

// Predictions and directions come from earlier steps, and may be anything.
TEST(RatingGradients, no_prediction_and_no_direction_passes_the_clip_or_ends_the_run) {
  const GradientPlan plan = plan_for(1);
  const auto step_at = [&](double value, double predicted, double length) {
    std::vector<double> values = some_values();
    values[0] = value;
    PrivateRun run(gradient_statement(plan), NoiseKey::insecure_from_seed(4));
    RatingGradients gradients(RatingValues(values), plan, run);
    const auto other = [&](Index e, Linearised& at) {
      linearise(e, at);
      if (e > 0) return;
      at.predicted = predicted;
      for (Coefficient& c : at.direction) c.value *= length;
    };
    return gradients.step(other).value().value;
  };
  PrivateRun run(gradient_statement(plan), NoiseKey::from_system());
  const RatingGradients gradients(RatingValues(some_values()), plan, run);
  const double charged = run.certify().releases[0].record.sensitivity;
  const Vector without = step_at(3, 3, 1);
  for (const double predicted : {0.0, 1e150, -1e300, std::nan("")}) {
    for (int power = -320; power <= 300; power += 10) {
      const double moved = (step_at(5, predicted, std::pow(10, power)) - without).norm();
      EXPECT_LE(moved, charged) << predicted << " 1e" << power;
    }
  }
}

TEST(RatingGradients, certify_by_the_account_of_the_sampled_steps) {
  constexpr double rate = 0.2;
  for (const double epsilon : {0.5, 4.0}) {
    const GradientPlan plan = plan_for(epsilon, rate);
    PrivateRun run(gradient_statement(plan), NoiseKey::from_system());
    RatingGradients gradients(RatingValues(some_values()), plan, run);
    for (int n = 0; n < 3; ++n) gradients.step(linearise);
    EXPECT_THROW(gradients.step(linearise), Error);
    const Certificate certificate = run.certify();
    EXPECT_TRUE(certificate.proved) << certificate.why;
    EXPECT_LE(certificate.epsilon, epsilon);
    EXPECT_GT(certificate.epsilon, 0.999 * epsilon);
    const ReleaseRecord& record = certificate.releases[0].record;
    EXPECT_EQ(record.count, 3);
    EXPECT_NEAR(account_subsampled(record.noise / record.sensitivity, rate, 3, 1e-6), epsilon,
                0.002 * epsilon);
  }
}

TEST(RatingGradients, sample_a_share_of_the_entries_anew_each_step) {
  const GradientPlan plan = plan_for(1e3, 0.25);
  PrivateRun run(gradient_statement(plan), NoiseKey::from_system());
  RatingGradients gradients(RatingValues(std::vector<double>(kGradientEntries, 4)), plan, run);
  const Vector one = gradients.step(linearise).value().value,
               other = gradients.step(linearise).value().value;
  const double expected = 0.25 * exact_sum(std::vector<double>(kGradientEntries, 4)).sum();
  EXPECT_NEAR(one.sum() / expected, 1, 0.5);
  EXPECT_GT((one - other).norm(), 3);  // other kGradientEntries, not other noise
}

// Noise on the touched rows alone would show the sample, and with it undo what sampling is worth:
// at a rate of 1% some three of the 300 kGradientEntries touch six of the 40 numbers, and 34 would
// be exactly 0.
TEST(RatingGradients, do_not_show_which_rows_the_sample_touched) {
  const GradientPlan plan = plan_for(1, 0.01);
  PrivateRun run(gradient_statement(plan), NoiseKey::from_system());
  RatingGradients gradients(RatingValues(some_values()), plan, run);
  const Vector noisy = gradients.step(linearise).value().value;
  EXPECT_GT(noisy.cwiseAbs().minCoeff(), 0);
  EXPECT_GT(std::sqrt(noisy.squaredNorm() / numbers), 0.5 * gradients.deviation());
}

TEST(RatingGradients, refuse_what_the_plan_does_not_cover) {
  std::vector<double> values = some_values();
  values[3] = std::nan("");
  EXPECT_THROW(step_of(values, plan_for(1)), Error);
  GradientPlan narrow = plan_for(1);
  narrow.coefficients = 1;
  EXPECT_THROW(step_of(some_values(), narrow), Error);
  narrow = plan_for(1);
  narrow.clip = 0;
  EXPECT_THROW(step_of(some_values(), narrow), Error);
}

}  // namespace
}  // namespace sotto
