#include "sotto/privacy/samplers.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "sotto/base/error.h"
#include "sotto/privacy/testing/goodness.h"
#include "sotto/privacy/uniform.h"

namespace sotto {
namespace {

using namespace sotto::testing;

constexpr std::size_t kDraws = 200000;

using Fill = void (*)(const NoiseStream&, double, std::span<double>);

std::vector<double> draws(Fill fill, double scale, std::size_t n = kDraws) {
  NoiseKey key = NoiseKey::insecure_from_seed(21);
  std::vector<double> out(n);
  fill(key.open_stream(), scale, out);
  return out;
}

template <class Draw>
std::vector<double> draws_of(Draw draw, std::size_t n = kDraws) {
  NoiseKey key = NoiseKey::insecure_from_seed(22);
  const NoiseStream stream = key.open_stream();
  WordSource words(stream, 0);
  std::vector<double> out(n);
  for (double& x : out) x = draw(words);
  return out;
}

// Both tests accept the sample, and both refuse it when it is stretched by a tenth.
template <class Cdf>
void expect_fit(std::vector<double> sample, Cdf cdf, const char* name) {
  EXPECT_GT(fit_p(sample, cdf), kAlpha) << name;
  EXPECT_GT(kolmogorov_p(sample, cdf), kAlpha) << name;
  for (double& x : sample) x *= 1.1;
  EXPECT_LT(fit_p(sample, cdf), kAlpha) << name;
  EXPECT_LT(kolmogorov_p(sample, cdf), kAlpha) << name;
}

TEST(Samplers, real_laws_fit_and_a_tenth_too_much_does_not) {
  expect_fit(draws(fill_gaussian, 1), normal_cdf, "gaussian");
  expect_fit(draws(fill_laplace, 1), laplace_cdf, "laplace");
  expect_fit(draws(fill_exponential, 1), exponential_cdf, "exponential");
  expect_fit(draws_of(exponential_real), exponential_cdf, "exponential_real");
}

TEST(Samplers, scale_is_the_standard_deviation_or_the_mean_deviation) {
  const auto square = [](double x) { return x * x; };
  const auto size = [](double x) { return std::abs(x); };
  EXPECT_GT(mean_p(draws(fill_gaussian, 3), square, 9, 2 * 81), kAlpha);
  EXPECT_LT(mean_p(draws(fill_gaussian, 3.3), square, 9, 2 * 81), kAlpha);
  EXPECT_GT(mean_p(draws(fill_laplace, 3), size, 3, 9), kAlpha);
  EXPECT_LT(mean_p(draws(fill_laplace, 3.3), size, 3, 9), kAlpha);
  EXPECT_GT(mean_p(draws(fill_exponential, 3), size, 3, 9), kAlpha);
}

TEST(Samplers, are_the_same_for_any_number_of_threads) {
  for (Fill fill : {fill_gaussian, fill_laplace, fill_exponential}) {
    omp_set_num_threads(1);
    const auto alone = draws(fill, 1, 3 * kChunk + 5);
    for (int threads : {2, 7}) {
      omp_set_num_threads(threads);
      EXPECT_EQ(draws(fill, 1, 3 * kChunk + 5), alone);
    }
  }
  omp_set_num_threads(omp_get_num_procs());
}

TEST(Samplers, uniform_real_is_uniform_and_keeps_its_precision_near_zero) {
  const auto sample = draws_of(uniform_real);
  EXPECT_GT(fit_p(sample, uniform_cdf), kAlpha);
  int full = 0, small = 0;
  for (double u : sample) {
    ASSERT_GT(u, 0);
    ASSERT_LT(u, 1);
    if (u > 0x1p-8) continue;
    ++small;
    // The lowest of 53 bits is set by the +1/2 of the cell, however small u is.
    int exponent;
    const double mantissa = std::frexp(u, &exponent) * 0x1p53;
    full += std::fmod(mantissa, 2) == 1;
  }
  EXPECT_GT(small, 500);
  EXPECT_EQ(full, small);
}

TEST(Samplers, uniform_below_is_exact_for_bounds_that_divide_nothing) {
  for (std::uint64_t bound : {2ull, 3ull, 10ull, 257ull}) {
    std::vector<double> observed(bound), probability(bound, 1.0 / bound);
    for (double x : draws_of([&](WordSource& w) { return double(uniform_below(bound, w)); })) {
      ++observed[std::size_t(x)];
    }
    EXPECT_GT(chi_square_p(observed, probability), kAlpha) << bound;
  }
  // With 3 2^62 values a sampler that forgets to reject gives the lower third twice the weight.
  const std::uint64_t bound = 3ull << 62;
  double low = 0;
  for (double x : draws_of([&](WordSource& w) { return double(uniform_below(bound, w)); })) {
    low += x < double(1ull << 62);
  }
  EXPECT_GT(normal_p((low - kDraws / 3.0) / std::sqrt(kDraws * 2 / 9.0)), kAlpha);
}

TEST(Samplers, gamma_fits_and_half_a_shape_too_much_does_not) {
  for (std::int64_t n : {1, 2, 3, 8, 25}) {
    const auto sample = draws_of([&](WordSource& w) { return gamma_of_half(n, w); }, 50000);
    const auto claim = [](double shape) { return [=](double x) { return gamma_cdf(shape, x); }; };
    EXPECT_GT(fit_p(sample, claim(n / 2.0)), kAlpha) << n;
    EXPECT_LT(fit_p(sample, claim((n + 1) / 2.0)), kAlpha) << n;
  }
}

TEST(Samplers, direction_is_a_unit_vector_with_uniform_coordinates_in_three_dimensions) {
  NoiseKey key = NoiseKey::insecure_from_seed(23);
  std::vector<double> heights;
  for (int i = 0; i < 20000; ++i) {
    std::array<double, 3> u;
    fill_direction(key.open_stream(), u);
    ASSERT_NEAR(u[0] * u[0] + u[1] * u[1] + u[2] * u[2], 1, 1e-14);
    heights.push_back((u[i % 3] + 1) / 2);  // Archimedes: uniform on [-1, 1]
  }
  EXPECT_GT(fit_p(heights, uniform_cdf, 100), kAlpha);
  for (double& h : heights) h = std::min(1.0, 1.1 * h);
  EXPECT_LT(fit_p(heights, uniform_cdf, 100), kAlpha);
}

TEST(Samplers, direction_in_one_dimension_is_a_sign) {
  NoiseKey key = NoiseKey::insecure_from_seed(24);
  double plus = 0;
  for (int i = 0; i < 10000; ++i) {
    double u;
    fill_direction(key.open_stream(), {&u, 1});
    ASSERT_EQ(std::abs(u), 1);
    plus += u > 0;
  }
  EXPECT_GT(normal_p((plus - 5000) / 50), kAlpha);
}

TEST(PoissonSampler, takes_each_record_with_the_given_rate) {
  NoiseKey key = NoiseKey::insecure_from_seed(25);
  constexpr std::size_t records = 40;
  constexpr int rounds = 20000;
  for (double rate : {0.001, 0.1, 0.5, 0.93}) {
    const PoissonSampler sampler(rate);
    std::vector<double> taken(records);
    double total = 0, pairs = 0;
    for (int r = 0; r < rounds; ++r) {
      const auto chosen = sampler.sample(key.open_stream(), records);
      ASSERT_TRUE(std::is_sorted(chosen.begin(), chosen.end()));
      ASSERT_EQ(std::adjacent_find(chosen.begin(), chosen.end()), chosen.end());
      for (std::size_t i : chosen) ++taken[i];
      total += double(chosen.size());
      for (std::size_t i = 1; i < chosen.size(); ++i) pairs += chosen[i] == chosen[i - 1] + 1;
    }
    const double n = double(records) * rounds, sd = std::sqrt(n * rate * (1 - rate));
    EXPECT_GT(normal_p((total - n * rate) / sd), kAlpha) << rate;
    EXPECT_LT(normal_p((total - n * rate * 1.1) / sd), rate > 0.01 ? kAlpha : 1) << rate;
    double statistic = 0;  // every record alike
    for (double t : taken)
      statistic += std::pow((t - rounds * rate), 2) / (rounds * rate * (1 - rate));
    EXPECT_GT(boost::math::gamma_q(records / 2.0, statistic / 2), kAlpha) << rate;
    // Neighbouring records enter together with probability rate^2.
    const double expected = rate * rate * (records - 1) * rounds;
    EXPECT_NEAR(pairs, expected, 6 * std::sqrt(3 * expected) + 6) << rate;
  }
}

TEST(PoissonSampler, at_rate_one_takes_all_and_refuses_absurd_rates) {
  NoiseKey key = NoiseKey::insecure_from_seed(26);
  EXPECT_EQ(PoissonSampler(1).sample(key.open_stream(), 5),
            (std::vector<std::size_t>{0, 1, 2, 3, 4}));
  EXPECT_TRUE(PoissonSampler(0.5).sample(key.open_stream(), 0).empty());
  EXPECT_LT(PoissonSampler(1e-13).sample(key.open_stream(), 1000).size(), 2u);
  for (double rate : {0.0, -0.1, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(PoissonSampler{rate}, Error);
  }
}

TEST(Samplers, refuse_a_scale_that_is_not_positive) {
  NoiseKey key = NoiseKey::insecure_from_seed(27);
  std::vector<double> out(3);
  for (double scale : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(fill_gaussian(key.open_stream(), scale, out), Error);
  }
}

}  // namespace
}  // namespace sotto
