#include "sotto/privacy/gaussian.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "sotto/base/error.h"
#include "sotto/privacy/numbers.h"
#include "sotto/privacy/testing/goodness.h"

namespace sotto {
namespace {

using namespace sotto::testing;

double mu_of(const Cost& cost) { return std::get<GaussianCost>(cost).mu; }

std::vector<double> noise_of(double std, std::int64_t n, double value = 0) {
  NoiseKey key = NoiseKey::insecure_from_seed(31);
  return GaussianMechanism("x", 1, std, n)
      .release(std::vector<double>(n, value), key.open_stream());
}

TEST(Grid, step_is_a_power_of_two_at_least_2_to_the_32_times_below_the_scale) {
  for (double scale : {1.0, 0.3, 7.0, 1e-200, 1e200, 0x1.fffffffffffffp3}) {
    const double step = Grid::under(scale).step();
    EXPECT_EQ(std::exp2(std::ilogb(step)), step);
    EXPECT_LE(step * 0x1p32, scale);
    EXPECT_GT(step * 0x1p33, scale);
  }
}

TEST(Grid, rounds_to_the_nearest_step) {
  const Grid grid = Grid::under(1);
  EXPECT_EQ(grid.add(0x1p-32 * 2.4, 0), 0x1p-32 * 2);
  EXPECT_EQ(grid.add(-0x1p-32 * 2.6, 0), -0x1p-32 * 3);
  EXPECT_EQ(grid.add(-0x1p-32 * 2.6, 5), 0x1p-32 * 2);
  EXPECT_EQ(grid.add(1e-300, 0), 0);
  EXPECT_EQ(grid.add(12345.625, 0), 12345.625);
}

// Against a sum in which every integer up to 2^113 is exact.
TEST(Grid, adds_to_values_of_any_size_without_holding_them) {
  const Grid grid = Grid::under(1);
  const std::int64_t noises[] = {0, 1, -7, 123456789012345, -(std::int64_t{1} << 52)};
  for (int power = 21; power <= 1000; ++power) {  // from here on a whole number of steps
    for (const double value : {std::ldexp(1.234567, power), std::ldexp(-1.0, power)}) {
      for (const std::int64_t noise : noises) {
        __extension__ const __float128 exact = static_cast<__float128>(value) * 0x1p32 + noise;
        EXPECT_EQ(grid.add(value, noise), static_cast<double>(exact * 0x1p-32))
            << power << " " << value << " " << noise;
      }
    }
  }
}

// Neighbours a step apart stay a step apart where the sum leaves 64 bits: nothing is cut off.
TEST(Grid, values_beyond_the_range_of_64_bits_keep_their_distance) {
  const Grid grid = Grid::under(1);
  for (const double value : {0x1p28, 0x1p29, 0x1p30, 0x1p40}) {
    const double next = std::nextafter(value, 1e300);
    EXPECT_EQ(grid.add(next, 0) - grid.add(value, 0), next - value);
    EXPECT_EQ(grid.add(-next, 0) - grid.add(-value, 0), value - next);
  }
}

TEST(GaussianMechanism, noise_fits_and_a_tenth_too_much_does_not) {
  const auto scaled = [](double std) { return [=](double x) { return normal_cdf(x / std); }; };
  for (double std : {1.0, 1.9, 1e-7}) {
    const auto noise = noise_of(std, 200000);
    EXPECT_GT(fit_p(noise, scaled(std)), kAlpha) << std;
    EXPECT_GT(kolmogorov_p(noise, scaled(std)), kAlpha) << std;
    EXPECT_LT(fit_p(noise, scaled(1.1 * std)), kAlpha) << std;
    EXPECT_LT(kolmogorov_p(noise, scaled(1.1 * std)), kAlpha) << std;
  }
}

TEST(GaussianMechanism, releases_exact_multiples_of_its_grid) {
  const GaussianMechanism mechanism("x", 1, 0.7, 1000);
  NoiseKey key = NoiseKey::insecure_from_seed(32);
  std::vector<double> value(1000);
  for (int i = 0; i < 1000; ++i) value[i] = std::sin(i) * std::exp2(i % 60 - 30);
  for (double y : mechanism.release(value, key.open_stream())) {
    EXPECT_EQ(std::fmod(y, mechanism.grid_step()), 0);
  }
}

// The same integer comes out whichever of two values on either side of a cell went in: nothing of
// the value below the grid survives.
TEST(GaussianMechanism, nothing_below_the_grid_survives) {
  const double step = GaussianMechanism("x", 1, 1, 1).grid_step();
  EXPECT_EQ(noise_of(1, 100, 0.3), noise_of(1, 100, 0.3 + step / 16));
  EXPECT_NE(noise_of(1, 100, 0.3), noise_of(1, 100, 0.3 + step));
}

// x + noise and (x + m step) + noise differ by m steps exactly: the sum is exact.
TEST(GaussianMechanism, addition_is_exact) {
  const double step = GaussianMechanism("x", 1, 1, 1).grid_step();
  const double shift = step * 987654321;
  const auto a = noise_of(1, 500, 0), b = noise_of(1, 500, shift);
  for (int i = 0; i < 500; ++i) EXPECT_EQ(b[i] - a[i], shift);
}

TEST(GaussianMechanism, charges_the_grid_and_the_rounding_of_the_sums) {
  const GaussianMechanism plain("x", 2, 8, 1), wide("x", 2, 8, 1000000), sloppy("x", 2, 8, 1, 0.5);
  EXPECT_GE(mu_of(plain.cost()), (2 + plain.grid_step()) / 8);
  EXPECT_NEAR(mu_of(plain.cost()), 0.25, 1e-9);
  EXPECT_GE(mu_of(wide.cost()), (2 + 1000 * wide.grid_step()) / 8);
  EXPECT_NEAR(mu_of(wide.cost()), 0.25, 1e-6);
  EXPECT_NEAR(mu_of(sloppy.cost()), 3.0 / 8, 1e-9);
  EXPECT_EQ(plain.record().noise, 8);
  EXPECT_EQ(mu_of(plain.record().cost), mu_of(plain.cost()));
}

TEST(GaussianMechanism, precision_charge_is_small_and_grows_with_the_block) {
  const auto small = GaussianMechanism("x", 1, 1, 1).record().precision;
  const auto large = GaussianMechanism("x", 1, 1, 1000000).record().precision;
  EXPECT_GT(small.epsilon, 0);
  EXPECT_LT(large.epsilon, 1e-8);
  EXPECT_NEAR(large.epsilon / small.epsilon, 1e6, 1);
  EXPECT_GT(small.delta, 0);
  EXPECT_LT(large.delta, 1e-280);
  EXPECT_EQ(GaussianMechanism("x", 40, 1, 1).record().precision.delta, 1);
}

TEST(GaussianMechanism, refuses_nan_and_infinity_and_wrong_sizes) {
  const GaussianMechanism mechanism("x", 1, 1, 2);
  NoiseKey key = NoiseKey::insecure_from_seed(33);
  for (double bad : {kNaN, kInfinity, -kInfinity}) {
    std::vector<double> out = {7, 7};
    const std::vector<double> value = {0, bad};
    EXPECT_THROW(mechanism.release(value, key.open_stream(), out), Error);
    EXPECT_EQ(out, (std::vector<double>{7, 7}));
  }
  EXPECT_THROW(mechanism.release(std::vector<double>{1}, key.open_stream()), Error);
}

TEST(GaussianMechanism, refuses_absurd_parameters) {
  for (double bad : {0.0, -1.0, kNaN, kInfinity}) {
    EXPECT_THROW(GaussianMechanism("x", bad, 1, 1), Error);
    EXPECT_THROW(GaussianMechanism("x", 1, bad, 1), Error);
  }
  EXPECT_THROW(GaussianMechanism("x", 1, 1, 0), Error);
  EXPECT_THROW(GaussianMechanism("x", 1, 1, 1, -1), Error);
  EXPECT_THROW(GaussianMechanism("x", 1, 1, 1, kNaN), Error);
}

TEST(GaussianMechanism, is_the_same_for_any_number_of_threads_and_in_place) {
  omp_set_num_threads(1);
  const auto alone = noise_of(1, 20000);
  omp_set_num_threads(3);
  EXPECT_EQ(noise_of(1, 20000), alone);
  omp_set_num_threads(omp_get_num_procs());
  NoiseKey key = NoiseKey::insecure_from_seed(31);
  std::vector<double> block(20000, 0.0);
  GaussianMechanism("x", 1, 1, 20000).release(block, key.open_stream(), block);
  EXPECT_EQ(block, alone);
}

TEST(GaussianMechanism, two_releases_share_no_noise) {
  const GaussianMechanism mechanism("x", 1, 1, 100);
  NoiseKey key = NoiseKey::insecure_from_seed(34);
  const std::vector<double> zero(100);
  const auto a = mechanism.release(zero, key.open_stream());
  const auto b = mechanism.release(zero, key.open_stream());
  for (int i = 0; i < 100; ++i) EXPECT_NE(a[i], b[i]);
}

// ---- symmetric ----

// Naive twin of the packed order: nested loops.
std::vector<double> multiplicities(std::int64_t d, int order) {
  std::vector<double> m;
  for (std::int64_t i = 0; i < d; ++i) {
    for (std::int64_t j = i; j < d; ++j) {
      if (order == 2) {
        m.push_back(i == j ? 1 : 2);
        continue;
      }
      for (std::int64_t k = j; k < d; ++k) {
        for (std::int64_t l = k; l < (order == 3 ? k + 1 : d); ++l) {
          std::vector<std::int64_t> index = {i, j, k};
          if (order == 4) index.push_back(l);
          double orderings = 0;
          do ++orderings;
          while (std::next_permutation(index.begin(), index.end()));
          m.push_back(orderings);
        }
      }
    }
  }
  return m;
}

TEST(SymmetricGaussianMechanism, every_entry_has_its_own_isometric_noise) {
  NoiseKey key = NoiseKey::insecure_from_seed(35);
  for (int order : {2, 3, 4}) {
    for (std::int64_t d : {1, 2, 3, order == 4 ? 15 : 40}) {
      const auto m = multiplicities(d, order);
      ASSERT_EQ(symmetric_count(d, order), std::int64_t(m.size()));
      const SymmetricGaussianMechanism mechanism("x", 1, 2, d, order);
      std::map<double, std::vector<double>> by_multiplicity;
      for (std::size_t round = 0; round < 1 + 20000 / m.size(); ++round) {
        const auto noise = mechanism.release(std::vector<double>(m.size()), key.open_stream());
        for (std::size_t e = 0; e < m.size(); ++e) {
          by_multiplicity[m[e]].push_back(noise[e] * std::sqrt(m[e]) / 2);
        }
      }
      for (const auto& [multiplicity, sample] : by_multiplicity) {
        if (sample.size() < 1000) continue;
        EXPECT_GT(fit_p(sample, normal_cdf, 50), kAlpha) << order << d << multiplicity;
        const auto square = [](double x) { return 1.21 * x * x; };
        EXPECT_GT(mean_p(
                      sample, [](double x) { return x * x; }, 1, 2),
                  kAlpha);
        EXPECT_LT(mean_p(sample, square, 1, 2), sample.size() > 10000 ? kAlpha : 1);
      }
    }
  }
}

// A rotation of isometric symmetric noise has the same law: SPEC section 4's variances, 1/3 for
// E(w,u,u) with w orthogonal to u, and 1 along u; in particular for directions off the axes.
TEST(SymmetricGaussianMechanism, variance_of_contractions_does_not_depend_on_the_direction) {
  constexpr std::int64_t d = 4;
  const SymmetricGaussianMechanism mechanism("x", 1, 1, d, 3);
  NoiseKey key = NoiseKey::insecure_from_seed(36);
  const std::vector<double> u = {0.5, 0.5, 0.5, 0.5}, w = {0.5, -0.5, 0.5, -0.5};
  std::vector<double> along, across;
  for (int round = 0; round < 20000; ++round) {
    const auto e = mechanism.release(std::vector<double>(20), key.open_stream());
    double uuu = 0, wuu = 0;
    std::size_t at = 0;
    for (int i = 0; i < d; ++i) {
      for (int j = i; j < d; ++j) {
        for (int k = j; k < d; ++k, ++at) {
          const double m = i == k ? 1 : (i == j || j == k ? 3 : 6);
          uuu += m * e[at] * u[i] * u[j] * u[k];
          wuu += m / 3 * e[at] * (w[i] * u[j] * u[k] + u[i] * w[j] * u[k] + u[i] * u[j] * w[k]);
        }
      }
    }
    along.push_back(uuu);
    across.push_back(wuu * std::sqrt(3.0));
  }
  EXPECT_GT(fit_p(along, normal_cdf, 50), kAlpha);
  EXPECT_GT(fit_p(across, normal_cdf, 50), kAlpha);
  EXPECT_LT(fit_p(
                across, [](double x) { return normal_cdf(x / 1.1); }, 50),
            kAlpha);
}

TEST(SymmetricGaussianMechanism, charges_the_grid_in_frobenius_norm) {
  const SymmetricGaussianMechanism mechanism("x", 6, 12, 100, 3);
  EXPECT_GE(mu_of(mechanism.cost()), (6 + 1000 * mechanism.grid_step()) / 12);
  EXPECT_NEAR(mu_of(mechanism.cost()), 0.5, 1e-6);
  EXPECT_LE(mechanism.grid_step() * 0x1p32, 12 / std::sqrt(6.0));
  EXPECT_EQ(mechanism.record().values, 100 * 101 * 102 / 6);
  EXPECT_EQ(mechanism.record().count, 1);
}

TEST(SymmetricGaussianMechanism, refuses_other_orders_and_empty_dimensions) {
  EXPECT_THROW(SymmetricGaussianMechanism("x", 1, 1, 3, 5), Error);
  EXPECT_THROW(SymmetricGaussianMechanism("x", 1, 1, 40000, 4), Error);
  EXPECT_THROW(SymmetricGaussianMechanism("x", 1, 1, 0, 2), Error);
}

}  // namespace
}  // namespace sotto
