#include "sotto/privacy/budget.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <type_traits>

#include "sotto/base/error.h"
#include "sotto/privacy/gdp.h"
#include "sotto/privacy/renyi.h"
#include "sotto/privacy/testing/generators.h"

namespace sotto {
namespace {

using testing::log_uniform;

static_assert(!std::is_copy_constructible_v<Budget>);
static_assert(!std::is_copy_assignable_v<Budget>);
static_assert(!std::is_move_assignable_v<Budget>,
              "assigning a fresh budget would reset a spent one");
static_assert(std::is_move_constructible_v<Budget>);

TEST(Budget, calibrated_noise_fits_exactly_and_one_more_release_does_not) {
  for (std::int64_t count : {1, 3, 1000, 100000}) {
    Budget budget = Budget::gaussian(1.5, 1e-6);
    const Spend release{GaussianCost{1 / gdp_noise_multiplier(1.5, 1e-6, count)}, 1};
    for (std::int64_t i = 0; i < count; ++i) ASSERT_NO_THROW(budget.charge(release)) << i;
    EXPECT_THROW(budget.charge(release), Error);
    EXPECT_LT(budget.gaussian_left(), 1e-6 * gdp_mu(1.5, 1e-6));
  }
}

TEST(Budget, a_refused_release_leaves_it_unchanged) {
  Budget budget = Budget::gaussian(1, 1e-5, 0.25);
  budget.charge({GaussianCost{0.1}, 2});
  const double mu = budget.gaussian_left(), pure = budget.pure_left();
  EXPECT_THROW(budget.charge({GaussianCost{5}, 1}), Error);
  const Spend partly[] = {{PureCost{0.1}, 1}, {GaussianCost{5}, 1}};
  EXPECT_THROW(budget.charge(partly), Error);
  EXPECT_THROW(budget.charge({PureCost{0.3}, 1}), Error);
  EXPECT_THROW(budget.charge({SubsampledGaussianCost{1, 0.1}, 1}), Error);
  EXPECT_THROW(budget.charge({GaussianCost{std::nan("")}, 1}), Error);
  EXPECT_THROW(budget.charge({GaussianCost{0.01}, 0}), Error);
  EXPECT_EQ(budget.gaussian_left(), mu);
  EXPECT_EQ(budget.pure_left(), pure);
  EXPECT_NO_THROW(budget.charge({PureCost{0.25}, 1}));
}

// Whatever is charged, in any order, the accepted releases never exceed the promise.
TEST(Budget, whatever_is_accepted_keeps_the_promise) {
  EXPECT_TRUE(rc::check([] {
    const double epsilon = log_uniform(0.01, 20), delta = log_uniform(1e-12, 1e-2);
    const bool concentrated = *rc::gen::arbitrary<bool>();
    const double pure_part = concentrated ? 0 : epsilon / 3;
    Budget budget = concentrated ? Budget::concentrated(epsilon, delta)
                                 : Budget::gaussian(epsilon, delta, pure_part);
    double squares = 0, rho = 0, pure = 0;
    for (int i = 0; i < 40; ++i) {
      const double size = log_uniform(0.01, 1) * epsilon;
      const auto count = *rc::gen::inRange<std::int64_t>(1, 4);
      const bool gaussian = *rc::gen::arbitrary<bool>();
      const Spend spend =
          gaussian ? Spend{GaussianCost{size}, count} : Spend{PureCost{size}, count};
      const bool affordable = budget.affords({&spend, 1});
      try {
        budget.charge(spend);
        RC_ASSERT(affordable);
      } catch (const Error&) {
        RC_ASSERT(!affordable);
        continue;
      }
      squares += gaussian ? count * size * size : 0;
      pure += gaussian ? 0 : count * size;
      rho += count * size * size / 2;
    }
    if (concentrated) {
      RC_ASSERT(zcdp_epsilon(rho, delta) <= epsilon * (1 + 1e-12));
    } else {
      RC_ASSERT(pure <= pure_part * (1 + 1e-12));
      RC_ASSERT(gdp_epsilon(std::sqrt(squares), delta) + pure <= epsilon * (1 + 1e-12));
    }
  }));
}

TEST(Budget, shares_together_never_pass_the_whole) {
  EXPECT_TRUE(rc::check([] {
    Budget whole = Budget::gaussian(2, 1e-6, 0.5);
    const double mu = whole.gaussian_left();
    const double a = log_uniform(0.01, 0.6), b = log_uniform(0.01, 0.4);
    const double shares[] = {a, b};
    auto parts = whole.split(shares);
    double squares = 0, pure = 0;
    for (Budget* part : {&parts[0], &parts[1], &whole}) {
      const double left = part->gaussian_left(), pure_left = part->pure_left();
      if (left > 0) part->charge({GaussianCost{left * (1 - 1e-15)}, 1});
      if (pure_left > 0) part->charge({PureCost{pure_left * (1 - 1e-15)}, 1});
      squares += left * left;
      pure += pure_left;
    }
    RC_ASSERT(std::abs(squares / (mu * mu) - 1) < 1e-12);
    RC_ASSERT(std::abs(pure / 0.5 - 1) < 1e-12);
  }));
}

TEST(Budget, nothing_is_left_in_what_was_moved_from) {
  Budget first = Budget::gaussian(1, 1e-6, 0.1);
  const Budget second = std::move(first);
  EXPECT_EQ(first.gaussian_left(), 0);  // NOLINT(bugprone-use-after-move): the point of the test
  EXPECT_EQ(first.pure_left(), 0);
  EXPECT_THROW(first.charge({GaussianCost{1e-6}, 1}), Error);
  EXPECT_GT(second.gaussian_left(), 0);
}

TEST(Budget, a_pure_budget_takes_pure_releases_only) {
  Budget budget = Budget::pure(1);
  EXPECT_THROW(budget.charge({GaussianCost{0.01}, 1}), Error);
  EXPECT_NO_THROW(budget.charge({PureCost{0.25}, 4}));
  EXPECT_THROW(budget.charge({PureCost{1e-9}, 1}), Error);
}

TEST(Budget, refuses_absurd_promises_and_shares) {
  EXPECT_THROW(Budget::gaussian(0, 1e-5), Error);
  EXPECT_THROW(Budget::gaussian(1, 0), Error);
  EXPECT_THROW(Budget::gaussian(1, 1e-5, 1), Error);
  EXPECT_THROW(Budget::concentrated(1, 1), Error);
  EXPECT_THROW(Budget::pure(-1), Error);
  Budget budget = Budget::gaussian(1, 1e-5);
  EXPECT_THROW(budget.split(std::vector<double>{0.7, 0.7}), Error);
  EXPECT_THROW(budget.split(std::vector<double>{-0.1}), Error);
  EXPECT_THROW(budget.noise_multiplier(0), Error);
}

}  // namespace
}  // namespace sotto
