#include "sotto/moments/sparse_records.h"

#include <gtest/gtest.h>

#include "sotto/linalg/testing/random_matrix.h"
#include "sotto/moments/point_moments.h"
#include "sotto/tensor/testing/memory_source.h"

namespace sotto {
namespace {

TEST(SparseRecords, products_are_those_of_the_covariance) {
  const Index n = 2500, d = 60;
  const RowMatrix rows = random_points(n, d, 1, 0.1);
  MemorySource source(rows, true);
  const auto kept = SparseRecords::read(source, n * d);
  ASSERT_TRUE(kept);
  const PointStatistics twin = point_statistics(source);
  EXPECT_EQ(kept->records(), n);
  EXPECT_LE((kept->mean() - twin.mean).norm(), 1e-14);
  EXPECT_NEAR(kept->total_variance(), twin.covariance.trace(), 1e-12);
  const RowMatrix block = random_matrix(d, 4, 2);
  EXPECT_LE((kept->covariance_times(block) - twin.covariance * block).norm(), 1e-13);
}

TEST(SparseRecords, too_many_numbers_are_not_kept) {
  const RowMatrix rows = random_points(50, 20, 3, 0.3);
  MemorySource source(rows, true);
  const Index numbers = (rows.array() != 0).count();
  EXPECT_TRUE(SparseRecords::read(source, numbers));
  EXPECT_FALSE(SparseRecords::read(source, numbers - 1));
}

}  // namespace
}  // namespace sotto
