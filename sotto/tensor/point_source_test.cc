#include "sotto/tensor/point_source.h"

#include <gtest/gtest.h>

#include <limits>

#include "sotto/base/error.h"
#include "sotto/base/keyed_digest.h"
#include "sotto/base/random.h"
#include "sotto/tensor/testing/memory_source.h"

namespace sotto {
namespace {

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
        const RowMatrix x = random_points(rows, d, 1, 0.3), u = random_points(d, 11, 2);
        const PointBlock block = make_block(x, sparse);
        const RowMatrix s = naive_product(x, u);
        EXPECT_LE((scores(block, u) - s).norm(), 1e-13 * (1 + s.norm()));
        const RowMatrix z = random_points(rows, 11, 3), start = random_points(d, 11, 4);
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
  const PointBlock block = make_block(random_points(4, 3, 9), false);
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
      RowMatrix rows = random_points(20, 5, 10, 0.8);
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
  const RowMatrix rows = random_points(30, 4, 11);
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

// Reads all records in blocks of `step`, or skips them.
KeyedDigest::Value digest_of(const RowMatrix& rows, bool sparse, Index step, const SecretKey& key,
                             bool skip = false) {
  MemorySource source(rows, sparse);
  source.keep_digest(key);
  PointBlock block;
  while (skip ? source.skip(step) > 0 : source.read(step, block) > 0) {
  }
  return source.digest();
}

TEST(PointSource, a_digest_tells_records_apart_and_not_blocks) {
  const SecretKey key = fresh_secret_key();
  RowMatrix rows(4, 3);
  rows << 1, 0, 2, 0, 0, 3, 4, 5, 6, 0, 0, 0;
  for (const bool sparse : {false, true}) {
    const auto digest = digest_of(rows, sparse, 4, key);
    for (const Index step : {1, 2, 3, 5}) {
      EXPECT_EQ(digest_of(rows, sparse, step, key), digest);
      EXPECT_EQ(digest_of(rows, sparse, step, key, true), digest);
    }
    EXPECT_NE(digest_of(rows, sparse, 4, fresh_secret_key()), digest);
    EXPECT_NE(digest_of(rows.topRows(3), sparse, 4, key), digest);
    for (Index n = 0; n < rows.size(); ++n) {
      RowMatrix other = rows;
      other.data()[n] += 1;
      EXPECT_NE(digest_of(other, sparse, 4, key), digest);
    }
    RowMatrix swapped = rows;
    swapped.row(0).swap(swapped.row(1));
    EXPECT_NE(digest_of(swapped, sparse, 4, key), digest);
  }
  EXPECT_NE(digest_of(rows, false, 4, key), digest_of(rows, true, 4, key));
  // The same numbers, cut into records of another length.
  const RowMatrix reshaped = Eigen::Map<const RowMatrix>(rows.data(), 3, 4);
  EXPECT_NE(digest_of(rows, false, 4, key), digest_of(reshaped, false, 4, key));
}

TEST(PointSource, a_digest_begins_anew_with_each_pass) {
  MemorySource source(RowMatrix::Ones(5, 2));
  EXPECT_EQ(source.digest(), KeyedDigest::Value{});
  source.keep_digest(fresh_secret_key());
  const auto empty = source.digest();
  source.skip(3);
  const auto three = source.digest();
  EXPECT_NE(three, empty);
  source.rewind();
  EXPECT_EQ(source.digest(), empty);
  source.skip(3);
  EXPECT_EQ(source.digest(), three);
  EXPECT_THROW(source.keep_digest(fresh_secret_key()), Error);
}

TEST(PointSource, refuses_an_order_it_cannot_read_in) {
  RowMatrix rows(3, 1);
  rows << 1, 2, 3;
  MemorySource pipe(rows, false, MemorySource::Knows::nothing);
  EXPECT_THROW(pipe.read_in_order({2, 1, 0}), Error);
  MemorySource source(rows);
  EXPECT_THROW(source.read_in_order({1, 0}), Error);
  source.read_in_order({2, 0, 1});
  PointBlock block;
  EXPECT_EQ(source.read(2, block), 2);
  EXPECT_EQ(block.dense, (RowMatrix(2, 1) << 3, 1).finished());
  EXPECT_THROW(source.read_in_order({0, 1, 2}), Error);
}

}  // namespace
}  // namespace sotto
