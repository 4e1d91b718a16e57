#include "sotto/privacy/pld.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <boost/math/quadrature/tanh_sinh.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "sotto/base/testing/sanitized.h"
#include "sotto/privacy/composition.h"
#include "sotto/privacy/fft.h"
#include "sotto/privacy/gdp.h"
#include "sotto/privacy/loss_distribution.h"
#include "sotto/privacy/renyi.h"
#include "sotto/privacy/testing/contour.h"
#include "sotto/privacy/testing/generators.h"
#include "sotto/privacy/testing/golden_accounting.h"

namespace sotto {
namespace {

using testing::contour_delta;
using testing::log_uniform;

// Of properties that take seconds a case under the sanitizers.
constexpr int kLongCases = unless_sanitized(1000, 1);

// Close to the exact value, and never below it.
void expect_tight(double epsilon, double exact) {
  EXPECT_GE(epsilon, exact - 1e-9);
  EXPECT_LE(epsilon, exact + 1e-4 + 1e-4 * exact);
}

TEST(Pld, laplace_matches_residue_values_and_is_never_below) {
  for (const auto& row : golden::kLaplace) {
    SCOPED_TRACE(::testing::Message() << row.scale << " " << row.count << " " << row.delta);
    const Spend spend{LaplaceCost{1 / row.scale}, row.count};
    expect_tight(pld_epsilon({&spend, 1}, row.delta), row.epsilon);
  }
}

TEST(Pld, sampled_gaussian_matches_contour_values_and_is_never_below) {
  for (const auto& row : golden::kSubsampled) {
    SCOPED_TRACE(::testing::Message() << row.rate << " " << row.sigma << " " << row.count);
    const Spend spend{SubsampledGaussianCost{row.sigma, row.rate}, row.count};
    expect_tight(pld_epsilon({&spend, 1}, row.delta), row.epsilon);
  }
}

TEST(Pld, gaussian_grid_matches_exact_values_and_is_never_below) {
  for (const auto& row : golden::kGaussian) {
    SCOPED_TRACE(::testing::Message() << row.sigma << " " << row.count << " " << row.delta);
    const Spend spend{GaussianCost{1 / row.sigma}, row.count};
    expect_tight(pld_epsilon_by_grid({&spend, 1}, row.delta), row.epsilon);
  }
}

TEST(Pld, gaussian_grid_is_above_gdp_for_any_sequence) {
  EXPECT_TRUE(rc::check([] {
    const Spend spends[] = {
        {GaussianCost{log_uniform(1e-4, 10)}, *rc::gen::inRange<std::int64_t>(1, 1000)},
        {GaussianCost{log_uniform(1e-4, 10)}, *rc::gen::inRange<std::int64_t>(1, 1000)}};
    const double delta = log_uniform(1e-250, 0.1);
    const double mu = std::sqrt(spends[0].count * std::pow(std::get<0>(spends[0].cost).mu, 2) +
                                spends[1].count * std::pow(std::get<0>(spends[1].cost).mu, 2));
    const double exact = gdp_epsilon(mu, delta);
    const double grid = pld_epsilon_by_grid(spends, delta);
    RC_ASSERT(exact >= 0);
    RC_ASSERT(grid >= exact * (1 - 1e-13));
    RC_ASSERT(grid <= exact * (1 + 1e-4) + 1e-4);
  }));
}

// A Gaussian release that the accountant cannot recognise as one: sampled at a rate short of 1.
TEST(Pld, convolution_of_many_steps_is_above_gdp_and_close) {
  for (double delta : {1e-5, 1e-9, 1e-50, 1e-300}) {
    for (std::int64_t count : {100, 1000, 10000}) {
      const double sigma = 0.7 * std::sqrt(double(count));
      const Spend spend{SubsampledGaussianCost{sigma, 1 - 1e-15}, count};
      const double exact = gdp_epsilon(1 / 0.7, delta);
      const double grid = pld_epsilon_by_grid({&spend, 1}, delta);
      EXPECT_GE(grid, exact - 1e-9) << delta << " " << count;
      EXPECT_LE(grid, exact * (1 + 1e-4)) << delta << " " << count;
    }
  }
}

TEST(Pld, one_and_two_laplace_releases_match_integrals) {
  const double e = 0.8, b = 1 / e;
  // One: delta(epsilon) = 1 - e^{(epsilon - e)/2}. Two: average the first over the second loss.
  const auto one = [&](double epsilon) {
    if (epsilon >= e) return 0.0;
    return epsilon <= -e ? -std::expm1(epsilon) : -std::expm1((epsilon - e) / 2);
  };
  boost::math::quadrature::tanh_sinh<double> integrate;
  const auto two = [&](double epsilon) {
    double sum = one(epsilon - e) / 2 + one(epsilon + e) * std::exp(-e) / 2;
    const double kink = epsilon - e;  // one(epsilon - l) vanishes for l below
    const auto f = [&](double l) { return one(epsilon - l) * std::exp((l - e) / 2) / 4; };
    return sum + integrate.integrate(f, std::fmax(kink, -e), e);
  };
  const Spend single{LaplaceCost{1 / b}, 1}, pair{LaplaceCost{1 / b}, 2};
  for (double delta : {0.1, 1e-3, 1e-7}) {
    const double first = pld_epsilon({&single, 1}, delta);
    EXPECT_NEAR(one(first) / delta, 1, 1e-6);
    EXPECT_LE(one(first), delta * (1 + 1e-12));
    const double both = pld_epsilon({&pair, 1}, delta);
    EXPECT_NEAR(two(both) / delta, 1, 1e-5) << delta;
    EXPECT_LE(two(both), delta * (1 + 1e-9)) << delta;
  }
}

TEST(Pld, randomised_response_matches_the_binomial_sum) {
  const double e = 0.3;
  const int count = 41;
  const auto exact = [&](double epsilon) {  // sum over k positive answers
    double sum = 0;
    for (int k = 0; k <= count; ++k) {
      const double l = e * (2 * k - count);
      if (l <= epsilon) continue;
      const double log_p = std::lgamma(count + 1.0) - std::lgamma(k + 1.0) -
                           std::lgamma(count - k + 1.0) + k * e - count * std::log1p(std::exp(e));
      sum += std::exp(log_p) * -std::expm1(epsilon - l);
    }
    return sum;
  };
  const Spend spend{PureCost{e}, count};
  for (double delta : {1e-2, 1e-5, 1e-9}) {
    const double epsilon = pld_epsilon({&spend, 1}, delta);
    EXPECT_NEAR(exact(epsilon) / delta, 1, 1e-8) << delta;
  }
}

TEST(Pld, mixtures_match_the_contour_integral) {
  const std::vector<Spend> lists[] = {
      {{GaussianCost{0.5}, 3}, {LaplaceCost{0.3}, 5}},
      {{GaussianCost{0.7}, 1}, {PureCost{0.1}, 20}, {LaplaceCost{0.05}, 10}},
      {{GaussianCost{0.4}, 1}, {SubsampledGaussianCost{1.1, 0.05}, 50}, {PureCost{0.2}, 2}},
  };
  for (const auto& list : lists) {
    for (double delta : {1e-3, 1e-9}) {
      const double epsilon = pld_epsilon(list, delta);
      double exact = 0;
      for (bool removing : {true, false}) {
        exact = std::fmax(exact, contour_delta(list, epsilon, removing));
      }
      EXPECT_LE(exact, delta * (1 + 1e-6)) << epsilon;
      EXPECT_GE(exact, delta * (1 - 3e-3)) << epsilon;
    }
  }
}

TEST(Pld, order_and_grouping_do_not_matter) {
  int left = kLongCases;
  EXPECT_TRUE(rc::check([&left] {
    if (left-- <= 0) return;
    const double a = log_uniform(0.05, 1), b = log_uniform(0.05, 1), c = log_uniform(0.5, 5);
    const std::vector<Spend> one = {{LaplaceCost{a}, 7}, {PureCost{b}, 3}, {GaussianCost{c}, 2}};
    const std::vector<Spend> other = {{GaussianCost{c}, 1}, {PureCost{b}, 1},
                                      {LaplaceCost{a}, 5},  {PureCost{b}, 2},
                                      {LaplaceCost{a}, 2},  {GaussianCost{c}, 1}};
    RC_ASSERT(pld_epsilon(one, 1e-6) == pld_epsilon(other, 1e-6));
  }));
}

TEST(Pld, epsilon_falls_with_noise_and_grows_with_count_and_rate) {
  int left = kLongCases;
  EXPECT_TRUE(rc::check([&left] {
    if (left-- <= 0) return;
    const double noise = log_uniform(0.4, 10), rate = log_uniform(1e-4, 0.5);
    const auto count = *rc::gen::inRange<std::int64_t>(1, 5000);
    const double delta = log_uniform(1e-12, 1e-3);
    const int kind = *rc::gen::elementOf(std::vector<int>{0, 0, 0, 1, 1, 1, 2, 3, 4});
    const auto epsilon = [&](double s, double q, std::int64_t k) {
      const Cost costs[] = {LaplaceCost{1 / s}, PureCost{1 / s}, SubsampledGaussianCost{s, q}};
      const Spend spend{costs[std::min(kind, 2)], k};
      return pld_epsilon({&spend, 1}, delta);
    };
    const double base = epsilon(noise, rate, count);
    RC_ASSERT(base >= 0);
    if (kind <= 2) RC_ASSERT(epsilon(noise * 1.02, rate, count) <= base);
    if (kind <= 1 || kind == 3) RC_ASSERT(epsilon(noise, rate, count + count / 20 + 1) >= base);
    if (kind == 4) RC_ASSERT(epsilon(noise, std::fmin(1.0, rate * 1.02), count) >= base);
  }));
}

TEST(Pld, is_never_above_what_a_single_release_or_rdp_proves) {
  for (double rate : {1e-5, 1e-3, 0.3}) {
    for (double sigma : {0.3, 1.0, 5.0}) {
      const SubsampledGaussianCost cost{sigma, rate};
      const Spend spend{cost, 1};
      const double exact = single_epsilon(cost, 1e-7);
      const double pld = pld_epsilon({&spend, 1}, 1e-7);
      EXPECT_GE(pld, exact - 1e-12) << rate << " " << sigma;
      EXPECT_LE(pld, exact * 1.001 + 1e-6) << rate << " " << sigma;
    }
  }
}

TEST(Pld, any_list_costs_at_least_each_part_and_at_most_what_rdp_proves) {
  EXPECT_TRUE(rc::check([] {
    std::vector<Spend> list;
    const int parts = *rc::gen::inRange(1, 4);
    const double delta = log_uniform(1e-200, 0.3);
    for (int i = 0; i < parts; ++i) {
      const double size = log_uniform(1e-5, 1e5);
      const auto count = static_cast<std::int64_t>(log_uniform(1, 1e9));
      const Cost costs[] = {GaussianCost{size}, LaplaceCost{size}, PureCost{size}};
      list.push_back({costs[*rc::gen::inRange(0, 3)], count});
    }
    const double whole = pld_epsilon(list, delta);
    RC_ASSERT(std::isfinite(whole));
    RC_ASSERT(whole <= rdp_epsilon(list, delta) * (1 + 1e-12));
    for (const Spend& spend : list) {
      const Spend one{spend.cost, 1};
      RC_ASSERT(whole >= pld_epsilon({&one, 1}, delta) * (1 - 1e-3) - 1e-6);
    }
  }));
}

TEST(LossDistribution, splitting_an_atom_keeps_both_masses_and_dominates) {
  const double theta = 1.7, step = 0.1, loss = 0.537;
  LossDistribution atom(theta, step, 0, 1);
  atom.add(loss, std::exp(theta * loss));
  atom.normalise(0);
  for (double epsilon = -0.5; epsilon < 1; epsilon += 0.0371) {
    const double exact = std::fmax(0.0, -std::expm1(epsilon - loss));
    const double split = std::exp(atom.log_delta(epsilon, 0));
    EXPECT_GE(split, exact * (1 - 1e-13)) << epsilon;
    // Outside the cell the two masses decide, so the split changes nothing there.
    if (epsilon > 0.5 && epsilon < 0.6) continue;
    EXPECT_NEAR(split, exact, 1e-14);
  }
  // The coarser grid dominates the finer.
  const LossDistribution coarse = atom.regrid(0.35);
  for (double epsilon = -0.5; epsilon < 1; epsilon += 0.0371) {
    EXPECT_GE(coarse.log_delta(epsilon, 0), atom.log_delta(epsilon, 0) - 1e-13);
  }
}

TEST(LossDistribution, lost_mass_raises_delta_and_can_forbid_an_answer) {
  LossDistribution loss(2.0, 0.1, 0, 1);
  loss.add(0.5, 1);
  loss.normalise(0);
  const double before = loss.epsilon(std::log(1e-3), 0);
  loss.lose(1e-6);
  EXPECT_GT(loss.epsilon(std::log(1e-3), 0), before);
  EXPECT_EQ(loss.epsilon(std::log(1e-9), 0), std::numeric_limits<double>::infinity());
}

TEST(LossDistribution, losses_below_zero_are_free_only_if_nothing_was_lost) {
  LossDistribution loss(2.0, 0.1, -1, -0.5);
  loss.add(-0.7, 1);
  loss.normalise(0);
  EXPECT_EQ(loss.epsilon(std::log(1e-6), 0), 0);
  loss.lose(1e-3);
  EXPECT_EQ(loss.epsilon(std::log(1e-6), 0), std::numeric_limits<double>::infinity());
  LossDistribution around(2.0, 0.1, -1, 0.5);
  around.add(-0.7, 1);
  around.normalise(0);
  around.lose(1e-3);
  EXPECT_EQ(around.epsilon(std::log(1e-6), 0), std::numeric_limits<double>::infinity());
}

TEST(FftConvolve, of_two_units_is_one_unit_exactly_where_both_shifts_lead) {
  for (const std::size_t n : {7u, 64u, 1000u, 1u << 17}) {
    std::vector<double> a(n), b(n + 3);
    a[n - 2] = 1;
    b[n / 3] = 1;
    const Convolution c = fft_convolve(a, b);
    for (std::size_t k = 0; k < c.values.size(); ++k) {
      ASSERT_NEAR(c.values[k], k == n - 2 + n / 3 ? 1 : 0, 1e-15) << n << " " << k;
    }
  }
}

TEST(FftConvolve, stays_within_its_own_error_bound_of_the_naive_sum) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform;
  for (const std::size_t n : {1u, 2u, 17u, 300u, 2000u}) {
    std::vector<double> a(n), b(n / 2 + 1);
    double sum_a = 0, sum_b = 0;
    for (double& x : a) sum_a += x = std::pow(uniform(random), 8);
    for (double& x : b) sum_b += x = std::pow(uniform(random), 8);
    for (double& x : a) x /= sum_a;
    for (double& x : b) x /= sum_b;
    const Convolution fast = fft_convolve(a, b);
    ASSERT_EQ(fast.values.size(), a.size() + b.size() - 1);
    double error = 0;
    for (std::size_t k = 0; k < fast.values.size(); ++k) {
      long double exact = 0;
      for (std::size_t i = 0; i < a.size(); ++i) {
        if (k >= i && k - i < b.size()) exact += (long double)a[i] * b[k - i];
      }
      error += std::abs(double(fast.values[k] - exact));
    }
    EXPECT_LE(error, fast.error);
    EXPECT_LE(fast.error, 1e-11);
  }
}

}  // namespace
}  // namespace sotto
