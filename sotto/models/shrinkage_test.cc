#include "sotto/models/shrinkage.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/base/random.h"

namespace sotto {
namespace {

// Most ratios are zero, some stand just out of the noise, a few far out.
struct Planted {
  Matrix truth, deviations, values;
  Vector scales;

  Planted(Index rows, Index cols, double strength, std::uint64_t seed)
      : truth(rows, cols), deviations(rows, cols), values(rows, cols), scales(rows) {
    SeededRandom random(seed);
    for (double& s : scales) s = 0.2 + random.uniform();
    for (Index j = 0; j < cols; ++j) {
      for (Index i = 0; i < rows; ++i) {
        const double u = random.uniform();
        const double ratio = u < 0.8 ? 0 : u < 0.95 ? strength : 10 * strength;
        truth(i, j) = scales[i] * ratio;
        deviations(i, j) = 0.5 + random.uniform();
        values(i, j) = truth(i, j) + deviations(i, j) * random.normal();
      }
    }
  }
  double error(const Matrix& estimate) const { return (estimate - truth).squaredNorm(); }
};

TEST(Shrinkage, comes_nearer_the_truth_than_cutting_at_zero) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Planted planted(2000, 3, 2, seed);
    const Matrix shrunk = shrink(planted.values, planted.deviations, planted.scales, 30);
    EXPECT_LT(planted.error(shrunk), 0.6 * planted.error(planted.values.cwiseMax(0.0)));
  }
}

TEST(Shrinkage, numbers_far_out_stay_and_none_falls_below_zero) {
  const Planted planted(1000, 4, 2, 4);
  const Matrix shrunk = shrink(planted.values, planted.deviations, planted.scales, 30);
  int stayed = 0;
  for (Index i = 0; i < shrunk.size(); ++i) {
    const double x = planted.values.reshaped()[i], d = planted.deviations.reshaped()[i];
    const double y = shrunk.reshaped()[i];
    if (x > 6 * d) {
      EXPECT_EQ(y, x);
      ++stayed;
    }
    EXPECT_GE(y, 0);
  }
  EXPECT_GT(stayed, 100);
}

// Words that the noise hides keep the mass that their scales give them, where all words have some.
TEST(Shrinkage, numbers_that_the_noise_hides_become_their_scales) {
  SeededRandom random(10);
  const Index n = 5000;
  Vector scales(n), values(n);
  for (Index i = 0; i < n; ++i) {
    scales[i] = 0.5 + random.uniform();
    values[i] = scales[i] + 2 * random.normal();
  }
  const Vector means = shrink(values, Vector::Constant(n, 2), scales, 10);
  // The mean of the noise has deviation 0.028, 3% of that of the scales: five of them.
  EXPECT_NEAR(means.sum() / scales.sum(), 1, 0.15);
  EXPECT_GT(means.minCoeff(), 0.1);
}

// Where everything is noise, hardly any of it is left. Where nothing is, the middle of the law is
// found and numbers are shrunk to it rather than to zero.
TEST(Shrinkage, follows_the_law_that_was_planted) {
  SeededRandom random(5);
  const Index n = 5000;
  const Matrix deviations = Matrix::Ones(n, 1);
  const Vector scales = Vector::Ones(n);
  Matrix noise(n, 1);
  for (double& x : noise.reshaped()) x = random.normal();
  const Matrix of_noise = shrink(noise, deviations, scales, 10);
  EXPECT_LT(of_noise.squaredNorm(), 0.05 * noise.cwiseMax(0.0).squaredNorm());
  const Matrix of_ones = shrink(noise.array() + 1.5, deviations, scales, 10);
  // The same numbers would be taken for noise if most others were zero.
  Matrix mixed(10 * n, 1);
  for (double& x : mixed.reshaped()) x = random.normal();
  mixed.topRows(n / 10) = noise.topRows(n / 10).array() + 1.5;
  const Matrix of_mixed = shrink(mixed, Matrix::Ones(10 * n, 1), Vector::Ones(10 * n), 10);
  EXPECT_GT(of_ones.topRows(n / 10).mean(), 2 * of_mixed.topRows(n / 10).mean());
}

// Deviations and values in other units: the same answer in those units.
TEST(Shrinkage, does_not_depend_on_the_unit) {
  const Planted planted(300, 2, 2, 6);
  const Matrix one = shrink(planted.values, planted.deviations, planted.scales, 30);
  const double unit = 0x1p-30;
  const Matrix other =
      shrink(planted.values * unit, planted.deviations * unit, planted.scales * unit, 30);
  EXPECT_LT((other / unit - one).norm(), 1e-9 * one.norm());
}

TEST(Shrinkage, words_without_frequency_give_finite_numbers) {
  Planted planted(100, 2, 2, 7);
  planted.scales.head(50).setZero();
  planted.values.row(60).setConstant(-40);
  EXPECT_TRUE(shrink(planted.values, planted.deviations, planted.scales, 30).allFinite());
}

// Frequencies of words: near those of a background, but for some that are twenty times as large.
TEST(Shrinkage, posterior_means_fall_back_on_scales_that_are_near) {
  SeededRandom random(8);
  const Index n = 3000;
  Vector scales(n), truth(n), values(n);
  const Vector deviations = Vector::Constant(n, 2);
  for (Index i = 0; i < n; ++i) {
    scales[i] = 10.0 / double(1 + i % 100);
    truth[i] = scales[i] * (i % 20 == 0 ? 20 : 0.5 + random.uniform());
    values[i] = truth[i] + deviations[i] * random.normal();
  }
  const Vector means = posterior_means(values, deviations, scales, 100);
  EXPECT_LT((means - truth).norm(), 0.6 * (values - truth).norm());
  EXPECT_LT((means - truth).norm(), 0.6 * (scales - truth).norm());
  EXPECT_GT(means.minCoeff(), 0);
  for (Index i = 0; i < n; ++i) {
    EXPECT_TRUE(values[i] <= 6 * deviations[i] || means[i] == values[i]) << i;
  }
}

TEST(Shrinkage, scales_that_tell_nothing_become_equal_and_good_ones_stay) {
  SeededRandom random(9);
  const Index n = 2000;
  Vector scales(n), near(n), far(n);
  for (Index i = 0; i < n; ++i) {
    scales[i] = 10.0 / double(1 + i % 100);
    near[i] = scales[i] * (0.5 + random.uniform()) + 0.3 * random.normal();
    far[i] = 1 + random.uniform() + 0.3 * random.normal();
  }
  const Vector noise = Vector::Constant(n, 0.3);
  EXPECT_EQ(likeliest_scales(near, noise, scales, 100), scales);
  const Vector flat = likeliest_scales(far, noise, scales, 100);
  EXPECT_LT((flat.array() / flat.mean() - 1).abs().maxCoeff(), 1e-12);
}

}  // namespace
}  // namespace sotto
