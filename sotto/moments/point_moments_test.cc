#include "sotto/moments/point_moments.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/linalg/testing/random_matrix.h"
#include "sotto/tensor/testing/memory_source.h"

namespace sotto {
namespace {

RowMatrix drawn(RowMatrix rows, double radius) {
  for (Index i = 0; i < rows.rows(); ++i) {
    rows.row(i) *= std::min(1.0, radius / rows.row(i).norm());
  }
  return rows;
}

// T(a, b, c) of the sum of z^(x)3, from the definition.
double naive_cube(const RowMatrix& z, Index a, Index b, Index c) {
  long double sum = 0;
  for (Index n = 0; n < z.rows(); ++n) sum += (long double)(z(n, a)) * z(n, b) * z(n, c);
  return double(sum);
}

TEST(PointMoments, match_their_naive_twins) {
  const Index n = 5000, d = 6, q = 4;
  const RowMatrix rows = random_matrix(n, d, 1);
  const Vector centre = random_matrix(d, 1, 2);
  const Matrix w = random_matrix(d, q, 3);
  for (const bool sparse : {false, true}) {
    for (const double radius : {kNoBound, 2.0}) {
      MemorySource source(rows, sparse);
      const RowMatrix z = drawn(rows, radius).rowwise() - centre.transpose();
      const PointSums sums = sum_moments(source, centre, radius);
      EXPECT_EQ(sums.records, n);
      EXPECT_LE((sums.first.transpose() - z.colwise().sum()).norm(), 1e-12 * n);
      EXPECT_LE((sums.second - z.transpose() * z).norm(), 1e-12 * n);
      for (const double reach : {kNoBound, 3.0}) {
        const RowMatrix y = drawn(z * w, reach);
        const SymmetricTensor cubes = sum_cubes(source, centre, w, radius, reach);
        for_unique_entries(q, 3, [&](const std::vector<Index>& i, double) {
          EXPECT_NEAR(cubes.at(i), naive_cube(y, i[0], i[1], i[2]), 1e-12 * n);
        });
      }
    }
  }
}

TEST(PointMoments, wide_sparse_records_are_summed_without_their_zeros) {
  const Index n = 300, d = kWideDimension + 50, q = 3;
  const RowMatrix rows = random_points(n, d, 1, 0.01);
  const Vector centre = random_matrix(d, 1, 2);
  const Matrix w = random_matrix(d, q, 3);
  MemorySource sparse(rows, true), dense(rows);
  const PointSpread spread = point_spread(sparse), twin = point_spread(dense);
  EXPECT_EQ(spread.records, n);
  EXPECT_LE((spread.mean - rows.colwise().mean().transpose()).norm(), 1e-12);
  const double variance = (rows.rowwise() - rows.colwise().mean()).squaredNorm() / n;
  EXPECT_NEAR(spread.total_variance, variance, 1e-12 * variance);
  EXPECT_NEAR(twin.total_variance, variance, 1e-12 * variance);
  const SymmetricTensor cubes = sum_cubes(sparse, centre, w), same = sum_cubes(dense, centre, w);
  for_unique_entries(q, 3, [&](const std::vector<Index>& i, double) {
    EXPECT_NEAR(cubes.at(i), same.at(i), 1e-10 * std::abs(same.at(i)) + 1e-9);
  });
  EXPECT_EQ(CubeSum(centre, w, kNoBound, kNoBound).block_rows(sparse), block_rows(sparse));
  // A private sum takes its records clipped, in the blocks of its rounding bound.
  EXPECT_EQ(CubeSum(centre, w, 1.0, kNoBound).block_rows(sparse), record_block_rows(d));
}

TEST(PointMoments, statistics_keep_their_digits_far_from_the_origin) {
  const RowMatrix rows = random_matrix(9000, 4, 4);
  const Vector far = Vector::Constant(4, 1e7);
  MemorySource source(RowMatrix(rows.rowwise() + far.transpose()));
  const PointStatistics found = point_statistics(source);
  const Eigen::RowVectorXd mean = rows.colwise().mean();
  const RowMatrix z = rows.rowwise() - mean;
  EXPECT_LE((found.mean - far - mean.transpose()).norm(), 1e-8);
  // The points themselves were rounded to 1e-9; the plain formula E[xx^T] - mm^T would be off by
  // 0.01.
  EXPECT_LE((found.covariance - z.transpose() * z / 9000).norm(), 1e-9);
}

TEST(PointMoments, an_overflowing_record_counts_as_zero) {
  RowMatrix rows = random_matrix(10, 3, 5);
  rows.row(4) *= 1e200;
  MemorySource source(rows);
  const PointSums sums = sum_moments(source, Vector::Zero(3), 0.5);
  rows.row(4).setZero();
  MemorySource other(rows);
  const PointSums without = sum_moments(other, Vector::Zero(3), 0.5);
  EXPECT_EQ(sums.first, without.first);
  EXPECT_EQ(sums.second, without.second);
}

TEST(PointMoments, no_number_passes_more_additions_than_stated) {
  for (const Index d : {1, 20, 300, 5000}) {
    const Index n = 3000000, rows = record_block_rows(d);
    EXPECT_GE(record_depth(d, n), rows + n / rows);
  }
}

}  // namespace
}  // namespace sotto
