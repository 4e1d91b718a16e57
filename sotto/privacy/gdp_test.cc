#include "sotto/privacy/gdp.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>

#include "sotto/base/error.h"
#include "sotto/privacy/testing/generators.h"
#include "sotto/privacy/testing/golden_accounting.h"

namespace sotto {
namespace {

using testing::log_uniform;

// The textbook formula; good where nothing cancels and nothing overflows.
double naive_delta(double epsilon, double mu) {
  const auto phi = [](double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; };
  return phi(mu / 2 - epsilon / mu) - std::exp(epsilon) * phi(-mu / 2 - epsilon / mu);
}

TEST(Gdp, agrees_with_the_textbook_formula_where_that_is_accurate) {
  for (double mu : {0.3, 1.0, 2.5, 6.0}) {
    for (double epsilon : {0.0, 0.1, 1.0, 4.0}) {
      EXPECT_NEAR(gdp_delta(epsilon, mu) / naive_delta(epsilon, mu), 1, 1e-11) << mu << epsilon;
    }
  }
}

TEST(Gdp, epsilon_matches_sixty_digit_values) {
  for (const auto& row : golden::kGaussian) {
    const double epsilon = gdp_epsilon(std::sqrt(double(row.count)) / row.sigma, row.delta);
    EXPECT_NEAR(epsilon / row.epsilon, 1, 1e-12) << row.sigma << " " << row.count;
    EXPECT_GE(epsilon, row.epsilon * (1 - 3e-16));
  }
}

TEST(Gdp, noise_matches_sixty_digit_values) {
  for (const auto& row : golden::kGaussianInverse) {
    const double sigma = gdp_noise_multiplier(row.epsilon, row.delta, row.count);
    EXPECT_NEAR(sigma / row.sigma, 1, 1e-12) << row.epsilon << " " << row.count;
    EXPECT_GE(sigma, row.sigma * (1 - 3e-16));
  }
}

TEST(Gdp, is_finite_and_inverse_at_the_extremes) {
  for (double epsilon : {1e-6, 1.0, 710.0, 1000.0, 1e6}) {
    for (double delta : {0.9, 1e-5, 1e-300}) {
      const double mu = gdp_mu(epsilon, delta);
      ASSERT_TRUE(std::isfinite(mu) && mu > 0) << epsilon << " " << delta;
      EXPECT_NEAR(gdp_epsilon(mu, delta) / epsilon, 1, delta > 0.5 ? 1e-8 : 1e-10)
          << epsilon << " " << delta;
    }
  }
  for (double mu : {1e-9, 1e-6, 1e6, 1e9}) {
    for (double delta : {0.5, 1e-12, 1e-300}) {
      const double epsilon = gdp_epsilon(mu, delta);
      ASSERT_TRUE(std::isfinite(epsilon) && epsilon >= 0) << mu << " " << delta;
      if (epsilon == 0) continue;
      EXPECT_NEAR(gdp_mu(epsilon, delta) / mu, 1, 1e-12) << mu << " " << delta;
    }
  }
}

TEST(Gdp, small_mu_does_not_cancel) {
  // As mu -> 0 with epsilon = c mu: delta -> mu phi(c) H(c), H(c) = 1 - c R(c); the next term of
  // the expansion is of relative order mu.
  const double c = 2, mu = 1e-9;
  const double r =
      (std::erfc(c / std::sqrt(2.0)) / 2) / (std::exp(-c * c / 2) / 2.50662827463100050);
  const double leading = mu * std::exp(-c * c / 2) / 2.50662827463100050 * (1 - c * r);
  EXPECT_NEAR(gdp_delta(c * mu, mu) / leading, 1, 1e-8);
}

TEST(Gdp, calibrate_and_account_are_inverse) {
  EXPECT_TRUE(rc::check([] {
    const double epsilon = log_uniform(1e-3, 1e3), delta = log_uniform(1e-300, 1e-2);
    const auto count = *rc::gen::inRange<std::int64_t>(1, 1000000000);
    const double sigma = gdp_noise_multiplier(epsilon, delta, count);
    const double back = gdp_epsilon(std::sqrt(double(count)) / sigma, delta);
    RC_ASSERT(std::abs(back / epsilon - 1) < 1e-10);
    RC_ASSERT(back <= epsilon);
  }));
}

TEST(Gdp, epsilon_grows_with_mu_and_falls_with_delta) {
  EXPECT_TRUE(rc::check([] {
    const double mu = log_uniform(1e-9, 1e9), delta = log_uniform(1e-300, 0.9);
    const double epsilon = gdp_epsilon(mu, delta);
    RC_ASSERT(epsilon >= 0);
    RC_ASSERT(gdp_epsilon(mu * 1.001, delta) >= epsilon);
    RC_ASSERT(gdp_epsilon(mu, delta / 2) >= epsilon);
  }));
}

TEST(Gdp, refuses_absurd_input) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(gdp_mu(0, 1e-5), Error);
  EXPECT_THROW(gdp_mu(-1, 1e-5), Error);
  EXPECT_THROW(gdp_mu(nan, 1e-5), Error);
  EXPECT_THROW(gdp_mu(1, 0), Error);
  EXPECT_THROW(gdp_mu(1, 1), Error);
  EXPECT_THROW(gdp_mu(1, nan), Error);
  EXPECT_THROW(gdp_epsilon(nan, 1e-5), Error);
  EXPECT_THROW(gdp_epsilon(std::numeric_limits<double>::infinity(), 1e-5), Error);
  EXPECT_THROW(gdp_noise_multiplier(1, 1e-5, 0), Error);
}

}  // namespace
}  // namespace sotto
