#include "sotto/privacy/accountant.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "sotto/base/error.h"
#include "sotto/privacy/composition.h"
#include "sotto/privacy/gdp.h"
#include "sotto/privacy/numbers.h"
#include "sotto/privacy/testing/golden_accounting.h"

namespace sotto {
namespace {

const AccountLine& line(const std::vector<AccountLine>& lines, const std::string& name) {
  return *std::find_if(lines.begin(), lines.end(),
                       [&](const AccountLine& l) { return l.accountant == name; });
}

TEST(Accountant, refuses_absurd_input) {
  for (double bad : {0.0, -1.0, kNaN, std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(account_gaussian(bad, 1, 1e-5), Error) << bad;
    EXPECT_THROW(account_laplace(bad, 1, 1e-5), Error) << bad;
    EXPECT_THROW(account_subsampled(bad, 0.1, 1, 1e-5), Error) << bad;
    EXPECT_THROW(calibrate_gaussian(bad, 1e-5, 1), Error) << bad;
    EXPECT_THROW(calibrate_laplace(bad, 1e-5, 1), Error) << bad;
    EXPECT_THROW(calibrate_subsampled(bad, 1e-5, 0.1, 1), Error) << bad;
  }
  for (double delta : {-1e-5, 1.0, 2.0, kNaN}) {
    EXPECT_THROW(account_gaussian(1, 1, delta), Error) << delta;
    EXPECT_THROW(account_laplace(1, 1, delta), Error) << delta;
    EXPECT_THROW(calibrate_subsampled(1, delta, 0.1, 1), Error) << delta;
  }
  for (double rate : {0.0, -0.1, 1.5, kNaN}) {
    EXPECT_THROW(account_subsampled(1, rate, 1, 1e-5), Error) << rate;
    EXPECT_THROW(calibrate_subsampled(1, 1e-5, rate, 1), Error) << rate;
  }
  EXPECT_THROW(account_gaussian(1, 0, 1e-5), Error);
  EXPECT_THROW(account_laplace(1, -3, 1e-5), Error);
  EXPECT_THROW(account_gaussian(1, 1, 0), Error);
  EXPECT_THROW(account_subsampled(1, 0.5, 1, 0), Error);
}

TEST(Accountant, extremes_are_finite_safe_and_fast) {
  const auto start = std::chrono::steady_clock::now();
  int calls = 0;
  for (double sigma : {1e-6, 1e-3, 1.0, 1e6}) {
    for (std::int64_t count : {std::int64_t{1}, std::int64_t{1000000000}}) {
      double before = std::numeric_limits<double>::infinity();
      for (double delta : {1e-300, 1e-5}) {
        const double gaussian = account_gaussian(sigma, count, delta);
        const double sampled = account_subsampled(sigma, 0.01, count, delta);
        const double laplace = account_laplace(sigma, count, delta);
        ASSERT_TRUE(std::isfinite(gaussian) && std::isfinite(sampled) && std::isfinite(laplace))
            << sigma << " " << count << " " << delta;
        EXPECT_LE(sampled, gaussian * (1 + 1e-12));
        EXPECT_GE(sampled, 0);
        EXPECT_LE(laplace, double(count) / sigma * (1 + 1e-12));
        EXPECT_LE(sampled, before);
        before = sampled;
        calls += 3;
      }
    }
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  RecordProperty("milliseconds_a_call", std::to_string(seconds.count() / calls * 1e3));
}

TEST(Accountant, calibrates_sampled_releases_on_the_safe_side) {
  for (double epsilon : {0.3, 8.0}) {
    const double sigma = calibrate_subsampled(epsilon, 1e-5, 0.01, 1000);
    const double back = account_subsampled(sigma, 0.01, 1000, 1e-5);
    EXPECT_LE(back, epsilon);
    EXPECT_NEAR(back, epsilon, 1e-5 * epsilon);
    EXPECT_LT(sigma, calibrate_gaussian(epsilon, 1e-5, 1000));
  }
}

TEST(Accountant, calibrates_laplace_on_the_safe_side) {
  EXPECT_NEAR(calibrate_laplace(2, 0, 10), 5, 1e-13);
  for (double epsilon : {0.5, 5.0}) {
    const double scale = calibrate_laplace(epsilon, 1e-6, 100);
    const double back = account_laplace(scale, 100, 1e-6);
    EXPECT_LE(back, epsilon);
    EXPECT_NEAR(back, epsilon, 1e-5 * epsilon);
  }
}

TEST(Accountant, calibrates_the_absurdly_strict_and_the_absurdly_loose) {
  for (double epsilon : {1e-3, 1000.0}) {
    for (double delta : {1e-300, 1e-2}) {
      const double sigma = calibrate_subsampled(epsilon, delta, 0.1, 10);
      ASSERT_TRUE(std::isfinite(sigma) && sigma > 0) << epsilon << " " << delta;
      EXPECT_LE(account_subsampled(sigma, 0.1, 10, delta), epsilon);
    }
  }
}

TEST(Accountant, compares_every_accountant_and_says_where_one_does_not_apply) {
  const Spend gaussian{GaussianCost{0.02}, 100};
  const auto lines = compare({&gaussian, 1}, 1e-5);
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_EQ(line(lines, "pld").epsilon, line(lines, "gdp").epsilon);
  EXPECT_LT(line(lines, "gdp").epsilon, line(lines, "rdp").epsilon);
  EXPECT_NEAR(line(lines, "rdp").epsilon, line(lines, "zcdp").epsilon, 1e-9);
  EXPECT_LT(line(lines, "zcdp").epsilon, line(lines, "advanced").epsilon);
  EXPECT_LT(line(lines, "advanced").epsilon, line(lines, "basic").epsilon);

  const Spend mixed[] = {{SubsampledGaussianCost{1, 0.1}, 10}, {PureCost{0.1}, 2}};
  const auto partial = compare(mixed, 1e-5);
  EXPECT_TRUE(std::isnan(line(partial, "gdp").epsilon));
  EXPECT_TRUE(std::isnan(line(partial, "zcdp").epsilon));
  EXPECT_FALSE(line(partial, "zcdp").note.empty());
  EXPECT_LT(line(partial, "pld").epsilon, line(partial, "rdp").epsilon);

  const Spend pure{PureCost{0.25}, 4};
  const auto strict = compare({&pure, 1}, 0);
  EXPECT_DOUBLE_EQ(line(strict, "basic").epsilon, 1.0);
  EXPECT_DOUBLE_EQ(line(strict, "pld").epsilon, 1.0);
  EXPECT_TRUE(std::isnan(line(strict, "rdp").epsilon));
}

TEST(Composition, advanced_matches_golden_values) {
  for (const auto& row : golden::kLaplace) {
    const Spend spend{LaplaceCost{1 / row.scale}, row.count};
    EXPECT_NEAR(advanced_epsilon({&spend, 1}, row.delta) / row.advanced, 1, 1e-12);
  }
}

TEST(Composition, single_sampled_releases_match_closed_forms) {
  for (const auto& row : golden::kSubsampled) {
    if (row.count != 1) continue;
    const double epsilon = single_epsilon(SubsampledGaussianCost{row.sigma, row.rate}, row.delta);
    EXPECT_NEAR(epsilon / row.epsilon, 1, 1e-12);
  }
}

}  // namespace
}  // namespace sotto
