#include "sotto/privacy/renyi.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <boost/math/quadrature/tanh_sinh.hpp>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/privacy/gdp.h"
#include "sotto/privacy/sampled_gaussian.h"
#include "sotto/privacy/testing/generators.h"
#include "sotto/privacy/testing/golden_accounting.h"

namespace sotto {
namespace {

using testing::log_uniform;

TEST(Renyi, tight_zcdp_conversion_matches_golden_values) {
  for (const auto& row : golden::kGaussian) {
    const double rho = double(row.count) / (2 * row.sigma * row.sigma);
    EXPECT_NEAR(zcdp_epsilon(rho, row.delta) / row.zcdp_tight, 1, 1e-11);
    EXPECT_GE(zcdp_epsilon(rho, row.delta), row.epsilon);
  }
}

TEST(Renyi, rho_and_epsilon_are_inverse) {
  for (double epsilon : {0.01, 1.0, 30.0, 1000.0}) {
    for (double delta : {1e-300, 1e-9, 1e-3}) {
      const double rho = zcdp_rho(epsilon, delta);
      EXPECT_LE(zcdp_epsilon(rho, delta), epsilon);
      EXPECT_NEAR(zcdp_epsilon(rho, delta) / epsilon, 1, 1e-10);
    }
  }
}

TEST(Renyi, laplace_and_pure_moments_match_their_definitions) {
  for (double e : {1e-6, 0.1, 1.0, 7.0}) {
    for (double theta : {0.01, 1.0, 13.0}) {
      using Real = long double;
      const Real t = theta, x = e;
      const Real laplace =
          std::log(((1 + t) * std::exp(t * x) + t * std::exp(-(1 + t) * x)) / (1 + 2 * t));
      const Real pure = std::log((std::exp((1 + t) * x) + std::exp(-t * x)) / (1 + std::exp(x)));
      const double tolerance = 1e-13 + 1e-19 / double(laplace);
      const auto relative = [](double value, Real exact) { return double(value / exact - 1); };
      EXPECT_NEAR(relative(renyi_log_moment(LaplaceCost{e}, theta, Direction::remove), laplace), 0,
                  10 * tolerance);
      EXPECT_NEAR(relative(renyi_log_moment(PureCost{e}, theta, Direction::add), pure), 0,
                  10 * tolerance);
    }
  }
}

// At integer order the moment is a binomial sum (Mironov, Talwar, Zhang 2019).
TEST(Renyi, sampled_moments_match_the_binomial_sum_at_integer_orders) {
  for (double sigma : {0.4, 1.0, 6.0}) {
    for (double q : {1e-4, 0.03, 0.6}) {
      for (int order : {2, 5, 20}) {
        double largest = 0, sum = 0;
        for (int pass = 0; pass < 2; ++pass) {
          for (int k = 0; k <= order; ++k) {
            const double log_term =
                std::lgamma(order + 1.0) - std::lgamma(k + 1.0) - std::lgamma(order - k + 1.0) +
                k * std::log(q) + (order - k) * std::log1p(-q) + k * (k - 1) / (2 * sigma * sigma);
            if (pass == 0) largest = std::fmax(largest, log_term);
            if (pass == 1) sum += std::exp(log_term - largest);
          }
        }
        const double exact = largest + std::log(sum);
        const SampledGaussian model(sigma, q);
        EXPECT_NEAR(model.log_moment(order), exact, 1e-12 * (1 + exact) + 1e-13) << sigma << q;
        EXPECT_GE(model.log_moment(order), exact - 1e-13 * (1 + exact));
      }
    }
  }
}

TEST(Renyi, sampled_moments_match_quadrature_at_real_orders) {
  boost::math::quadrature::tanh_sinh<double> integrate;
  for (double s : {-7.3, -0.4, 1.2, 3.7}) {
    const double sigma = 0.9, q = 0.02, m = 1 / sigma;
    const auto f = [&](double z) {
      const double l = std::log(1 - q + q * std::exp(m * z - m * m / 2));
      return std::exp(-z * z / 2 + s * l) / std::sqrt(2 * M_PI);
    };
    const double exact = integrate.integrate(f, -20.0, 3.0) + integrate.integrate(f, 3.0, 25.0);
    EXPECT_NEAR(std::exp(SampledGaussian(sigma, q).log_moment(s)) / exact, 1, 1e-11) << s;
  }
}

TEST(Renyi, rdp_is_above_gdp_for_gaussian_releases) {
  EXPECT_TRUE(rc::check([] {
    const double mu = log_uniform(1e-6, 1e4), delta = log_uniform(1e-300, 0.5);
    const Spend spend{GaussianCost{mu}, 1};
    RC_ASSERT(rdp_epsilon({&spend, 1}, delta) >= gdp_epsilon(mu, delta));
  }));
}

TEST(Renyi, refuses_absurd_input) {
  EXPECT_THROW(zcdp_epsilon(-1, 1e-5), Error);
  EXPECT_THROW(zcdp_epsilon(1, 0), Error);
  EXPECT_THROW(zcdp_rho(0, 1e-5), Error);
  EXPECT_THROW(SampledGaussian(1, 1.5), Error);
  EXPECT_THROW(SampledGaussian(0, 0.5), Error);
}

}  // namespace
}  // namespace sotto
