#include "sotto/moments/component_expectation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sotto/base/error.h"
#include "sotto/linalg/spectral.h"
#include "sotto/linalg/testing/random_matrix.h"
#include "sotto/linalg/testing/threads.h"
#include "sotto/moments/mixture_expectation.h"
#include "sotto/moments/testing/some_components.h"
#include "sotto/tensor/testing/memory_source.h"

namespace sotto {
namespace {

Matrix covariance_of(const GaussianMixture& m, Index i) {
  const Index d = m.dim();
  if (m.kind == CovarianceKind::full) return m.covariances.col(i).reshaped(d, d);
  if (m.kind == CovarianceKind::diagonal) return m.covariances.col(i).asDiagonal();
  const double variance = m.kind == CovarianceKind::common ? m.variance : m.covariances(0, i);
  return variance * Matrix::Identity(d, d);
}

// w_i times the density, from the definition.
double component_joint(const Vector& x, const GaussianMixture& m, Index i) {
  const Matrix covariance = covariance_of(m, i);
  const Vector z = x - m.means.col(i);
  const Vector values = ascending_eigenpairs(covariance).values;
  return m.weights[i] * std::exp(-0.5 * z.dot(solve_positive_definite(covariance, z))) /
         std::sqrt((2 * std::numbers::pi * values).prod());
}

TEST(ComponentExpectation, sums_match_their_naive_twins) {
  const Index n = 1500, d = 3, k = 4;
  const RowMatrix rows = 1.5 * random_matrix(n, d, 2);
  for (const auto& [kind, name] : enum_names(CovarianceKind{})) {
    const GaussianMixture mixture = some_components(kind, d, k);
    const Index size = covariance_size(kind, d);
    for (const double norm : {kNoBound, 2.0}) {
      const ComponentClip clip{0.8, 0.3, norm};
      Matrix expected = Matrix::Zero(1 + d + size, k);
      double likelihood = 0;
      for (Index a = 0; a < n; ++a) {
        const Vector x = rows.row(a);
        Vector r(k);
        for (Index i = 0; i < k; ++i) r[i] = component_joint(x, mixture, i);
        likelihood += std::log(r.sum());
        r /= r.sum();
        Matrix v(1 + d + size, k);
        for (Index i = 0; i < k; ++i) {
          const Eigenpairs pairs = ascending_eigenpairs(covariance_of(mixture, i));
          const Matrix root = kind == CovarianceKind::full
                                  ? Matrix(pairs.vectors * pairs.values.cwiseSqrt().asDiagonal())
                                  : Matrix(covariance_of(mixture, i).cwiseSqrt());
          const Vector z = pseudo_inverse(root) * (x - mixture.means.col(i));
          Vector second = Vector::Constant(1, z.squaredNorm() / std::sqrt(3.0));
          if (kind == CovarianceKind::diagonal) second = z.cwiseAbs2();
          if (kind == CovarianceKind::full) second = (z * z.transpose()).reshaped();
          v.col(i) << 0.8 * r[i], r[i] * z, 0.3 * r[i] * second;
        }
        v *= std::min(1.0, norm / v.norm());
        v.row(0) /= 0.8;
        v.bottomRows(size) /= 0.3;
        expected += v;
      }
      MemorySource source(rows);
      const ComponentSums sums = component_sums(source, mixture, kNoBound, clip);
      EXPECT_EQ(sums.records, n);
      EXPECT_LE((sums.counts.transpose() - expected.row(0)).norm(), 1e-11 * n) << name;
      EXPECT_LE((sums.offsets - expected.middleRows(1, d)).norm(), 1e-11 * n) << name;
      EXPECT_LE((sums.seconds - expected.bottomRows(size)).norm(), 1e-10 * n) << name;
      EXPECT_NEAR(sums.log_likelihood, likelihood, 1e-10 * n) << name;
    }
  }
}

TEST(ComponentExpectation, agrees_with_the_sums_about_a_common_variance) {
  const GaussianMixture mixture = some_components(CovarianceKind::common, 5, 3);
  const RowMatrix rows = random_matrix(2000, 5, 3);
  MemorySource source(rows);
  const MixtureSums old = expected_sums(source, mixture);
  const ComponentSums sums = component_sums(source, mixture);
  const double s = std::sqrt(mixture.variance);
  EXPECT_LE((sums.counts - old.counts).norm(), 1e-9);
  EXPECT_LE((s * sums.offsets - old.offsets).norm(), 1e-9);
  EXPECT_NEAR(mixture.variance * std::sqrt(5.0) * sums.seconds.sum(), old.scatter, 1e-8);
  EXPECT_NEAR(sums.log_likelihood, old.log_likelihood, 1e-8);
  EXPECT_LE((component_responsibilities(rows, mixture) - responsibilities(rows, mixture)).norm(),
            1e-10);
}

TEST(ComponentExpectation, wide_sparse_points_give_the_sums_of_dense_ones) {
  const Index n = 200, d = kWideDimension + 30, k = 3;
  const RowMatrix rows = random_points(n, d, 4, 0.02);
  MemorySource sparse(rows, true), dense(rows);
  PointBlock block;
  block.is_sparse = true;
  block.sparse = rows.sparseView();
  for (const auto& [kind, name] : enum_names(CovarianceKind{})) {
    if (kind == CovarianceKind::full) continue;  // takes zeros, too
    GaussianMixture mixture = some_components(kind, d, k);
    mixture.means *= 0.02;  // responsibilities between 0 and 1
    const ComponentSums found = component_sums(sparse, mixture);
    const ComponentSums twin = component_sums(dense, mixture);
    EXPECT_LE((found.counts - twin.counts).norm(), 1e-8) << name;
    EXPECT_LE((found.offsets - twin.offsets).norm(), 1e-8 * twin.offsets.norm()) << name;
    EXPECT_LE((found.seconds - twin.seconds).norm(), 1e-8 * twin.seconds.norm()) << name;
    EXPECT_NEAR(found.log_likelihood, twin.log_likelihood, 1e-6) << name;
    EXPECT_LE((responsibilities(block, mixture) - responsibilities(rows, mixture)).norm(), 1e-8)
        << name;
    EXPECT_LE((log_likelihoods(block, mixture) - log_likelihoods(rows, mixture)).norm(), 1e-7)
        << name;
  }
}

TEST(ComponentExpectation, does_not_depend_on_the_number_of_threads) {
  MemorySource source(RowMatrix(random_matrix(20000, 12, 3)));
  const GaussianMixture mixture = some_components(CovarianceKind::full, 12, 5);
  const auto sums = [&] { return component_sums(source, mixture); };
  const ComponentSums one = on_threads(1, sums), three = on_threads(3, sums);
  EXPECT_EQ(one.seconds, three.seconds);
  EXPECT_EQ(one.log_likelihood, three.log_likelihood);
}

TEST(ComponentExpectation, refuses_covariances_that_are_not_positive) {
  for (const auto& [kind, name] : enum_names(CovarianceKind{})) {
    GaussianMixture mixture = some_components(kind, 3, 2);
    mixture.variance = 0;
    mixture.covariances.setZero();
    EXPECT_THROW(ComponentUnits{mixture}, Error) << name;
  }
}

}  // namespace
}  // namespace sotto
