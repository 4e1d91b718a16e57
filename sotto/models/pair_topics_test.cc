#include "sotto/models/pair_topics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/models/topic_evaluation.h"

namespace sotto {
namespace {

// Columns b_i = sqrt(p_i) mu_i; the first `own` words of each topic are its alone.
Matrix separable_factor(Index v, Index k, Index own, std::uint64_t seed) {
  SeededRandom random(seed);
  Matrix b(v, k);
  for (double& x : b.reshaped()) x = std::pow(random.uniform(), 3);
  for (Index i = 0; i < k * own; ++i) {
    for (Index t = 0; t < k; ++t) b(i, t) = t == i / own ? 0.5 + random.uniform() : 0;
  }
  Vector shares(k);
  for (double& p : shares) p = 0.5 + random.uniform();
  shares /= shares.sum();
  b.array().rowwise() /= b.array().colwise().sum();
  return b * shares.cwiseSqrt().asDiagonal();
}

// Noise on a symmetric matrix, isometric.
Matrix symmetric_noise(Index v, double deviation, std::uint64_t seed) {
  SeededRandom random(seed);
  Matrix noise(v, v);
  for (Index i = 0; i < v; ++i) {
    for (Index j = 0; j <= i; ++j) {
      noise(i, j) = noise(j, i) = deviation * random.normal() / (i == j ? 1 : std::sqrt(2.0));
    }
  }
  return noise;
}

PairOptions patient(int starts) {
  PairOptions options;
  options.starts = starts;
  options.sweeps = 100;
  options.polish = 3000;
  return options;
}

double distance(const Matrix& m, const Matrix& b) { return (m - b * b.transpose()).norm(); }

TEST(PairTopics, recovers_separable_factors_of_an_exact_matrix) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Matrix truth = separable_factor(40, 4, 3, seed);
    const Matrix m = truth * truth.transpose();
    const Matrix found = nonnegative_factor(m, 4, patient(8));
    EXPECT_GE(found.minCoeff(), 0);
    EXPECT_LT(mean_total_variation(truth, found), 1e-6);  // whatever the order
    EXPECT_LT(distance(m, found), 1e-6 * m.norm());
  }
}

TEST(PairTopics, more_starts_never_end_farther_after_the_sweeps) {
  const Matrix truth = separable_factor(30, 5, 2, 4);
  const Matrix m = truth * truth.transpose() + symmetric_noise(30, 1e-4, 5);
  PairOptions options;
  options.polish = 0;
  double last = std::numeric_limits<double>::infinity(), first = 0;
  for (const int starts : {1, 2, 4, 8, 16}) {
    options.starts = starts;
    const double now = distance(m, nonnegative_factor(m, 5, options));
    EXPECT_LE(now, last * (1 + 1e-12)) << starts;
    if (starts == 1) first = now;
    last = now;
  }
  EXPECT_LT(last, first);
}

TEST(PairTopics, polishing_comes_nearer_and_a_seed_repeats) {
  const Matrix truth = separable_factor(30, 4, 2, 6);
  const Matrix m = truth * truth.transpose() + symmetric_noise(30, 1e-4, 7);
  PairOptions rough;
  rough.polish = 0;
  EXPECT_LT(distance(m, nonnegative_factor(m, 4)), distance(m, nonnegative_factor(m, 4, rough)));
  EXPECT_EQ(nonnegative_factor(m, 4), nonnegative_factor(m, 4));
  PairOptions other;
  other.seed = 1;
  EXPECT_NE(nonnegative_factor(m, 4), nonnegative_factor(m, 4, other));
}

// Given the other columns, the step returns the true column plus noise of a known size and no bias.
TEST(PairTopics, a_linear_step_from_the_truth_is_the_truth_plus_the_noise_it_says) {
  const Index v = 30, k = 3;
  const Matrix truth = separable_factor(v, k, 2, 8);
  const Matrix m = truth * truth.transpose();
  EXPECT_LT((linear_step(m, truth) - truth).norm(), 1e-13);
  const double deviation = 1e-3;
  Matrix sum = Matrix::Zero(v, k), squares = Matrix::Zero(v, k);
  const int runs = 400;
  for (int r = 0; r < runs; ++r) {
    const Matrix noisy = m + symmetric_noise(v, deviation, 100 + std::uint64_t(r));
    const Matrix error = linear_step(noisy, truth) - truth;
    sum += error;
    squares += error.cwiseAbs2();
  }
  // E b / |b|^2 has variance d^2 (1 + u_w^2) / (2 |b|^2), u = b / |b|.
  double z = 0, share = 0;
  for (Index t = 0; t < k; ++t) {
    const double length = truth.col(t).norm();
    for (Index w = 0; w < v; ++w) {
      const double u = truth(w, t) / length;
      const double variance = deviation * deviation * (1 + u * u) / (2 * length * length);
      z = std::max(z, std::abs(sum(w, t)) / std::sqrt(runs * variance));
      share += squares(w, t) / (runs * variance) / double(v * k);
    }
  }
  EXPECT_LT(z, 5);
  EXPECT_NEAR(share, 1, 0.05);
}

TEST(PairTopics, refuses_more_factors_than_rows) {
  EXPECT_THROW(nonnegative_factor(Matrix::Identity(3, 3), 4), Error);
  EXPECT_THROW(nonnegative_factor(Matrix::Ones(3, 4), 2), Error);
}

}  // namespace
}  // namespace sotto
