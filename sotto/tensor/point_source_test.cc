#include "sotto/tensor/point_source.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <limits>
#include <memory>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/tensor/read_ahead.h"
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

void square(Index, Eigen::Ref<RowMatrix> s) { s = s.array().square().matrix().eval(); }

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
        const RowMatrix squares = s.array().square();
        const RowMatrix mapped = start + naive_product(x.transpose(), squares);
        y = start;
        add_mapped_product(block, u, square, y);
        EXPECT_LE((y - mapped).norm(), 1e-13 * (1 + mapped.norm()));
        EXPECT_LE((squared_norms(block) - x.rowwise().squaredNorm()).norm(), 1e-13 * x.norm());
      }
    }
  }
}

TEST(PointProducts, map_sees_every_row_once_with_its_number) {
  for (const bool sparse : {false, true}) {
    const RowMatrix x = random_rows(1500, 600, 5, 0.1), u = random_rows(600, 3, 6);
    const PointBlock block = make_block(x, sparse);
    std::vector<int> seen(1500);
    RowMatrix y = RowMatrix::Zero(600, 3);
    const ScoreMap keep_one_row = [&](Index first, Eigen::Ref<RowMatrix> s) {
      for (Index r = 0; r < s.rows(); ++r) {
        ++seen[static_cast<std::size_t>(first + r)];
        if (first + r != 1234) s.row(r).setZero();
      }
    };
    add_mapped_product(block, u, keep_one_row, y);
    EXPECT_EQ(seen, std::vector<int>(1500, 1));
    const RowMatrix expected = x.row(1234).transpose() * (x.row(1234) * u);
    EXPECT_LE((y - expected).norm(), 1e-12 * expected.norm());
  }
}

TEST(PointProducts, do_not_depend_on_the_number_of_threads) {
  const int before = omp_get_max_threads();
  for (const bool sparse : {false, true}) {
    const PointBlock block = make_block(random_rows(3000, 300, 7, 0.5), sparse);
    const RowMatrix u = random_rows(300, 19, 8);
    RowMatrix first;
    for (const int threads : {1, 3, 4, 7}) {
      omp_set_num_threads(threads);
      RowMatrix y = RowMatrix::Zero(300, 19);
      add_mapped_product(block, u, square, y);
      add_transposed_product(block, scores(block, u), y);
      if (threads == 1) first = y;
      EXPECT_EQ(y, first) << threads << " threads";
    }
  }
  omp_set_num_threads(before);
}

TEST(PointProducts, refuse_shapes_that_do_not_fit) {
  const PointBlock block = make_block(random_rows(4, 3, 9), false);
  RowMatrix y = RowMatrix::Zero(3, 2);
  EXPECT_THROW(scores(block, RowMatrix::Zero(4, 2)), Error);
  EXPECT_THROW(add_transposed_product(block, RowMatrix::Zero(3, 2), y), Error);
  EXPECT_THROW(add_transposed_product(block, RowMatrix::Zero(4, 1), y), Error);
  EXPECT_THROW(add_mapped_product(block, RowMatrix::Zero(3, 1), square, y), Error);
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

// All records that come, with the sizes of the blocks.
std::vector<Index> read_all(PointSource& source, const ReadSchedule& schedule, RowMatrix& all) {
  std::vector<Index> sizes;
  Index done = 0;
  PointBlock block;
  while (done < schedule.total) {
    const Index want =
        std::min({schedule.block, schedule.batch - done % schedule.batch, schedule.total - done});
    const Index rows = source.read(want, block);
    if (rows == 0) break;
    all.conservativeResize(done + rows, source.dim());
    all.bottomRows(rows) = block.dense;
    EXPECT_EQ(block.first_record, done);
    done += rows;
    sizes.push_back(rows);
  }
  return sizes;
}

TEST(ReadAhead, hands_out_the_same_records_cut_at_the_batches) {
  const RowMatrix rows = random_rows(100, 3, 12);
  const ReadSchedule schedule{16, 40, 90};
  ReadAhead ahead(std::make_unique<MemorySource>(rows), schedule);
  RowMatrix all;
  EXPECT_EQ(read_all(ahead, schedule, all), (std::vector<Index>{16, 16, 8, 16, 16, 8, 10}));
  EXPECT_EQ(all, rows.topRows(90));
}

TEST(ReadAhead, ends_with_its_source) {
  const RowMatrix rows = random_rows(50, 3, 13);
  const ReadSchedule schedule{16, 40, 1000};
  ReadAhead ahead(std::make_unique<MemorySource>(rows), schedule);
  RowMatrix all;
  EXPECT_EQ(read_all(ahead, schedule, all), (std::vector<Index>{16, 16, 8, 10}));
  EXPECT_EQ(all, rows);
}

TEST(ReadAhead, throws_the_error_of_its_source_after_the_good_blocks) {
  RowMatrix rows = random_rows(50, 3, 14);
  rows(20, 0) = std::numeric_limits<double>::quiet_NaN();
  ReadAhead ahead(std::make_unique<MemorySource>(rows), {16, 1000, 1000});
  PointBlock block;
  EXPECT_EQ(ahead.read(16, block), 16);
  EXPECT_THROW(ahead.read(16, block), Error);
}

TEST(ReadAhead, rewinds_and_refuses_another_schedule) {
  const RowMatrix rows = random_rows(20, 3, 15);
  ReadAhead ahead(std::make_unique<MemorySource>(rows), {16, 1000, 1000});
  PointBlock block;
  EXPECT_EQ(ahead.read(16, block), 16);
  ahead.rewind();
  EXPECT_EQ(ahead.read(16, block), 16);
  EXPECT_EQ(block.dense, rows.topRows(16));
  EXPECT_THROW(ahead.read(15, block), Error);
}

TEST(ReadAhead, can_be_left_at_any_time) {
  const RowMatrix rows = random_rows(1000, 3, 16);
  for (int reads = 0; reads < 20; ++reads) {
    ReadAhead ahead(std::make_unique<MemorySource>(rows), {10, 1000, 1000});
    PointBlock block;
    for (int r = 0; r < reads; ++r) EXPECT_EQ(ahead.read(10, block), 10);
  }
}

}  // namespace
}  // namespace sotto
