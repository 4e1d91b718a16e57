#include "sotto/privacy/meaning.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/privacy/gdp.h"

namespace sotto {
namespace {

Promise gaussian_promise(double mu, double delta) {
  return {{gdp_epsilon(mu, delta), delta}, {{{{GaussianCost{mu}, 1}}, {}}}, false};
}

double phi(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

// Python, scipy.stats.norm: mu = 0.2, epsilon = 0.86.., sf((epsilon - mu**2 / 2) / mu).
TEST(Meaning, of_a_gaussian_is_that_of_its_trade_off) {
  const Promise promise = gaussian_promise(0.2, 1e-6);
  const Meaning meaning = meaning_of(promise);
  const double epsilon = promise.claim.epsilon;
  EXPECT_NEAR(meaning.one.odds, std::exp(epsilon), 1e-6);
  EXPECT_NEAR(meaning.one.except, phi(0.1 - epsilon / 0.2), 1e-6 * meaning.one.except);
  EXPECT_GT(meaning.one.except, promise.claim.delta);
  const double best = phi(-1.6448536269514722 + 0.2);  // power of the likelihood-ratio test
  EXPECT_GE(meaning.power, best);
  EXPECT_NEAR(meaning.power, best, 1e-3 * best);
  EXPECT_NEAR(meaning.group.epsilon, gdp_epsilon(1, 1e-6), 1e-6);
  EXPECT_EQ(meaning.group.delta, 1e-6);
}

TEST(Meaning, of_a_pure_release_has_no_exception) {
  const Meaning meaning = meaning_of({{1, 0}, {{{{PureCost{0.5}, 2}}, {}}}, false});
  EXPECT_NEAR(meaning.one.odds, std::exp(1.0), 1e-6);
  EXPECT_EQ(meaning.one.except, 0);
  EXPECT_NEAR(meaning.power, 0.05 * std::exp(1.0), 1e-6);
  EXPECT_NEAR(meaning.group.epsilon, 5, 1e-6);
  EXPECT_EQ(meaning.group.delta, 0);
}

TEST(Meaning, of_a_budget_does_not_depend_on_what_was_chosen) {
  Promise chosen = gaussian_promise(0.3, 1e-6);
  const double power = meaning_of(chosen).power;
  chosen.chosen = true;
  chosen.bills = {{{{GaussianCost{0.01}, 1}}, {}}};
  EXPECT_NEAR(meaning_of(chosen).power, power, 1e-6);
  chosen.bills = {{{{GaussianCost{0.01}, 1}, {PureCost{0.1}, 1}}, {}}};
  EXPECT_GT(meaning_of(chosen).power, power);
}

// Where only epsilon and delta are known, the bound holds for the worst law that has them: with
// probability delta everything is shown, else the loss is +-epsilon.
TEST(Meaning, of_epsilon_and_delta_alone) {
  const PrivacyClaim claim{0.7, 1e-4};
  const Meaning meaning = meaning_of({claim, {{{{PureCost{2}, 1}}, {}}}, false});
  EXPECT_NEAR(meaning.one.odds, 1.1 * std::exp(0.7), 1e-6);
  EXPECT_NEAR(meaning.one.except, 11e-4, 1e-9);
  EXPECT_NEAR(meaning.power, 0.05 * std::exp(0.7) + 1e-4, 1e-6);
}

TEST(Meaning, of_a_group_without_a_plain_bill_grows_with_its_steps) {
  const Promise promise{{0.5, 1e-6}, {{{{SubsampledGaussianCost{2, 0.1}, 10}}, {}}}, false};
  const Meaning meaning = meaning_of(promise);
  EXPECT_NEAR(meaning.group.epsilon, 2.5, 1e-6);
  EXPECT_NEAR(meaning.group.delta, 1e-6 * std::expm1(2.5) / std::expm1(0.5), 1e-10);
  EXPECT_LT(meaning.power, 0.05 * std::exp(0.5) + 1e-6);
  EXPECT_GT(meaning.power, 0.05);
}

TEST(Meaning, of_several_bills_is_that_of_the_worst) {
  Promise promise = gaussian_promise(0.3, 1e-6);
  const Meaning alone = meaning_of(promise);
  promise.bills.push_back({{{GaussianCost{0.1}, 1}}, {}});
  const Meaning both = meaning_of(promise);
  EXPECT_EQ(both.power, alone.power);
  EXPECT_EQ(both.one.except, alone.one.except);
  EXPECT_GT(both.group.delta, alone.group.delta);
}

}  // namespace
}  // namespace sotto
