#include "sotto/moments/mixture_expectation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sotto/base/random.h"
#include "sotto/linalg/testing/random_matrix.h"
#include "sotto/linalg/testing/threads.h"
#include "sotto/tensor/testing/memory_source.h"

namespace sotto {
namespace {

GaussianMixture some_mixture(Index d, Index k) {
  GaussianMixture mixture{random_matrix(d, k, 1), Vector::LinSpaced(k, 1, 2), 0.7};
  mixture.weights /= mixture.weights.sum();
  return mixture;
}

// w_i times the density, from the definition.
double joint(const Vector& x, const GaussianMixture& m, Index i) {
  const double d = static_cast<double>(x.size());
  return m.weights[i] * std::exp(-(x - m.means.col(i)).squaredNorm() / (2 * m.variance)) /
         std::pow(2 * std::numbers::pi * m.variance, d / 2);
}

TEST(MixtureExpectation, wide_sparse_points_give_the_sums_of_dense_ones) {
  const Index n = 2500, d = kWideDimension + 1, k = 3;
  GaussianMixture mixture = some_mixture(d, k);
  mixture.means *= 0.02;  // responsibilities between 0 and 1
  const RowMatrix rows = random_points(n, d, 2, 0.01);
  MemorySource sparse(rows, true), dense(rows);
  const MixtureSums found = expected_sums(sparse, mixture), twin = expected_sums(dense, mixture);
  EXPECT_EQ(found.records, n);
  EXPECT_GE(twin.counts.minCoeff(), 1);
  EXPECT_LE((found.counts - twin.counts).norm(), 1e-8);
  EXPECT_LE((found.offsets - twin.offsets).norm(), 1e-8 * twin.offsets.norm());
  EXPECT_NEAR(found.scatter, twin.scatter, 1e-9 * twin.scatter);
  EXPECT_NEAR(found.log_likelihood, twin.log_likelihood, 1e-9 * std::abs(twin.log_likelihood));
}

TEST(MixtureExpectation, sums_match_their_naive_twins) {
  const Index n = 3000, d = 5, k = 3;
  const GaussianMixture mixture = some_mixture(d, k);
  const RowMatrix rows = 1.5 * random_matrix(n, d, 2);
  for (const double norm : {kNoBound, 1.2}) {
    const ContributionClip clip{0.8, norm};
    Vector counts = Vector::Zero(k);
    Matrix offsets = Matrix::Zero(d, k);
    double scatter = 0, likelihood = 0;
    for (Index a = 0; a < n; ++a) {
      const Vector x = rows.row(a);
      Vector r(k);
      for (Index i = 0; i < k; ++i) r[i] = joint(x, mixture, i);
      likelihood += std::log(r.sum());
      r /= r.sum();
      Matrix v(d + 1, k);
      for (Index i = 0; i < k; ++i) v.col(i) << 0.8 * r[i], r[i] * (x - mixture.means.col(i));
      v *= std::min(1.0, norm / v.norm());
      counts += v.row(0).transpose() / 0.8;
      offsets += v.bottomRows(d);
      for (Index i = 0; i < k; ++i) scatter += v.col(i).tail(d).dot(x - mixture.means.col(i));
    }
    MemorySource source(rows);
    const MixtureSums sums = expected_sums(source, mixture, kNoBound, clip);
    EXPECT_EQ(sums.records, n);
    EXPECT_LE((sums.counts - counts).norm(), 1e-12 * n);
    EXPECT_LE((sums.offsets - offsets).norm(), 1e-12 * n);
    EXPECT_NEAR(sums.scatter, scatter, 1e-11 * n);
    EXPECT_NEAR(sums.log_likelihood, likelihood, 1e-11 * n);
  }
}

TEST(MixtureExpectation, does_not_depend_on_the_number_of_threads) {
  MemorySource source(RowMatrix(random_matrix(5000, 100, 3)));
  const GaussianMixture mixture = some_mixture(100, 12);
  const auto sums = [&] { return expected_sums(source, mixture); };
  const MixtureSums one = on_threads(1, sums), three = on_threads(3, sums);
  EXPECT_EQ(one.offsets, three.offsets);
  EXPECT_EQ(one.counts, three.counts);
  EXPECT_EQ(one.log_likelihood, three.log_likelihood);
}

TEST(MixtureExpectation, stays_finite_far_away_and_without_variance) {
  GaussianMixture mixture = some_mixture(3, 2);
  RowMatrix points = random_matrix(4, 3, 4);
  points.row(0) *= 1e8;
  points.row(1) = mixture.means.col(1).transpose();
  for (const double variance : {1e-300, 0.0}) {
    mixture.variance = variance;
    const RowMatrix r = responsibilities(points, mixture);
    for (Index i = 0; i < 4; ++i) EXPECT_NEAR(r.row(i).sum(), 1, 1e-15);
    EXPECT_EQ(r(1, 1), 1);
  }
}

}  // namespace
}  // namespace sotto
