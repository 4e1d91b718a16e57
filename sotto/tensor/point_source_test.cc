#include "sotto/tensor/point_source.h"

#include <gtest/gtest.h>

#include <limits>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/tensor/testing/memory_source.h"

namespace sotto {
namespace {

RowMatrix random_rows(Index rows, Index columns, std::uint64_t seed, double kept = 1) {
  SeededRandom random(seed);
  RowMatrix m(rows, columns);
  for (Index i = 0; i < m.size(); ++i) {
    const double value = random.normal();
    m.data()[i] = random.uniform() < kept ? value : 0;
  }
  return m;
}

PointBlock make_block(const RowMatrix& rows, bool sparse) {
  MemorySource source(rows, sparse);
  PointBlock block;
  source.read(rows.rows(), block);
  return block;
}

// One multiplication at a time.
RowMatrix naive_product(const RowMatrix& a, const RowMatrix& b) {
  RowMatrix c = RowMatrix::Zero(a.rows(), b.cols());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < b.cols(); ++j) {
      for (Index t = 0; t < a.cols(); ++t) c(i, j) += a(i, t) * b(t, j);
    }
  }
  return c;
}

TEST(PointProducts, equal_the_naive_products) {
  for (const bool sparse : {false, true}) {
    for (const Index d : {1, 7, 130}) {
      for (const Index rows : {1, 5, 700}) {
        const RowMatrix x = random_rows(rows, d, 1, 0.3), u = random_rows(d, 11, 2);
        const PointBlock block = make_block(x, sparse);
        const RowMatrix s = naive_product(x, u);
        EXPECT_LE((scores(block, u) - s).norm(), 1e-13 * (1 + s.norm()));
        const RowMatrix z = random_rows(rows, 11, 3), start = random_rows(d, 11, 4);
        const RowMatrix expected = start + naive_product(x.transpose(), z);
        RowMatrix y = start;
        add_transposed_product(block, z, y);
        EXPECT_LE((y - expected).norm(), 1e-13 * (1 + expected.norm()));
        EXPECT_LE((squared_norms(block) - x.rowwise().squaredNorm()).norm(), 1e-13 * x.norm());
      }
    }
  }
}

TEST(PointProducts, refuse_shapes_that_do_not_fit) {
  const PointBlock block = make_block(random_rows(4, 3, 9), false);
  RowMatrix y = RowMatrix::Zero(3, 2);
  EXPECT_THROW(scores(block, RowMatrix::Zero(4, 2)), Error);
  EXPECT_THROW(add_transposed_product(block, RowMatrix::Zero(3, 2), y), Error);
  EXPECT_THROW(add_transposed_product(block, RowMatrix::Zero(4, 1), y), Error);
}

TEST(PointSource, refuses_nan_and_infinity_naming_the_record) {
  for (const bool sparse : {false, true}) {
    for (const double bad :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
          -std::numeric_limits<double>::infinity()}) {
      RowMatrix rows = random_rows(20, 5, 10, 0.8);
      rows(16, 3) = bad;
      MemorySource source(rows, sparse);
      PointBlock block;
      EXPECT_EQ(source.read(10, block), 10);
      try {
        source.read(10, block);
        ADD_FAILURE() << "not refused";
      } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "memory: record 17 has a value that is NaN or infinite");
      }
    }
  }
}

TEST(PointSource, accepts_the_largest_finite_values) {
  RowMatrix rows(2, 2);
  rows << 1.7e308, 1.7e308, -1.7e308, 5e-324;
  MemorySource source(rows);
  PointBlock block;
  EXPECT_EQ(source.read(2, block), 2);
}

TEST(PointSource, skips_and_rewinds) {
  const RowMatrix rows = random_rows(30, 4, 11);
  MemorySource source(rows);
  PointBlock block;
  EXPECT_EQ(source.skip(12), 12);
  EXPECT_EQ(source.read(5, block), 5);
  EXPECT_EQ(block.first_record, 12);
  EXPECT_EQ(block.dense, rows.middleRows(12, 5));
  source.rewind();
  EXPECT_EQ(source.position(), 0);
  EXPECT_EQ(source.skip(100), 30);
  EXPECT_EQ(source.read(1, block), 0);
  MemorySource once(rows, false, MemorySource::Knows::nothing);
  EXPECT_THROW(once.rewind(), Error);
}

}  // namespace
}  // namespace sotto
