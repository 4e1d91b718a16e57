#include "sotto/tensor/record_walk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <stdexcept>
#include <thread>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/linalg/testing/threads.h"
#include "sotto/tensor/testing/memory_source.h"

namespace sotto {
namespace {

ReadRecords in_blocks(PointSource& source, Index rows) {
  return [&source, rows](PointBlock& block) { return source.read(rows, block); };
}

void square(const PointBlock&, RowMatrix& s) { s.array() = s.array().square(); }

// Runs `work` with 1, 2, 3 and 7 threads.
template <class Work>
void with_threads(Work work) {
  for (const int threads : {1, 2, 3, 7}) {
    SCOPED_TRACE(threads);
    on_threads(threads, work);
  }
}

TEST(RecordWalk, sums_equal_the_naive_ones) {
  for (const bool sparse : {false, true}) {
    for (const Index d : {1, 7, 130}) {
      const RowMatrix x = random_points(700, d, 1, 0.3), u = random_points(d, 11, 2);
      RowMatrix expected = random_points(d, 11, 3), y = expected;
      Eigen::RowVectorXd expected_sum = Eigen::RowVectorXd::Constant(11, 0.5), sum = expected_sum;
      for (Index i = 0; i < x.rows(); ++i) {
        for (Index l = 0; l < 11; ++l) {
          const double score = x.row(i).dot(u.col(l));
          expected.col(l) += score * score * x.row(i).transpose();
          expected_sum[l] += score * score;
        }
      }
      MemorySource source(x, sparse);
      add_mapped_product(in_blocks(source, 60), u, square, y);
      source.rewind();
      add_mapped_scores(in_blocks(source, 60), u, square, sum);
      EXPECT_LE((y - expected).norm(), 1e-13 * expected.norm());
      EXPECT_LE((sum - expected_sum).norm(), 1e-13 * expected_sum.norm());
    }
  }
}

TEST(RecordWalk, sums_do_not_depend_on_the_number_of_threads) {
  for (const bool sparse : {false, true}) {
    const RowMatrix x = random_points(3000, 100, 4, 0.5), u = random_points(100, 19, 5);
    RowMatrix first_y;
    Eigen::RowVectorXd first_sum;
    with_threads([&] {
      MemorySource source(x, sparse);
      RowMatrix y = RowMatrix::Zero(100, 19);
      Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(19);
      add_mapped_product(in_blocks(source, 64), u, square, y);
      source.rewind();
      add_mapped_scores(in_blocks(source, 64), u, square, sum);
      if (first_y.size() == 0) {
        first_y = y;
        first_sum = sum;
      }
      EXPECT_EQ(y, first_y);
      EXPECT_EQ(sum, first_sum);
    });
  }
}

TEST(RecordWalk, map_sees_every_record_once_with_its_number) {
  const RowMatrix x = random_points(1000, 5, 6), u = random_points(5, 3, 7);
  with_threads([&] {
    MemorySource source(x);
    std::vector<std::atomic<int>> seen(1000);
    RowMatrix y = RowMatrix::Zero(5, 3);
    const ScoreMap keep_one = [&](const PointBlock& block, RowMatrix& s) {
      for (Index r = 0; r < s.rows(); ++r) {
        ++seen[static_cast<std::size_t>(block.first_record + r)];
        if (block.first_record + r != 777) s.row(r).setZero();
      }
    };
    add_mapped_product(in_blocks(source, 16), u, keep_one, y);
    EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](const auto& n) { return n == 1; }));
    const RowMatrix expected = x.row(777).transpose() * (x.row(777) * u);
    EXPECT_LE((y - expected).norm(), 1e-14 * expected.norm());
  });
}

// Early blocks take longest, so that the threads would add in another order if they could.
TEST(RecordWalk, adds_in_the_order_of_reading_and_one_at_a_time) {
  with_threads([&] {
    MemorySource source(random_points(40, 2, 8));
    std::atomic<int> reading = 0, adding = 0;
    Index next = 0;
    const auto read = [&](PointBlock& block) {
      EXPECT_EQ(++reading, 1);
      const Index rows = source.read(2, block);
      --reading;
      return rows;
    };
    const auto work = [&](const PointBlock& block, RowMatrix&) {
      std::this_thread::sleep_for(std::chrono::microseconds(50 * (40 - block.first_record)));
    };
    const auto add = [&](const PointBlock& block, const RowMatrix&) {
      EXPECT_EQ(++adding, 1);
      EXPECT_EQ(block.first_record, next);
      next += block.rows();
      --adding;
    };
    walk_records({read, work, add});
    EXPECT_EQ(next, 40);
  });
}

TEST(RecordWalk, throws_the_error_of_the_reader_and_does_not_ask_it_again) {
  RowMatrix rows = random_points(500, 3, 9);
  rows(333, 1) = std::numeric_limits<double>::quiet_NaN();
  with_threads([&] {
    MemorySource source(rows);
    std::atomic<int> asked = 0;
    RowMatrix y = RowMatrix::Zero(3, 2);
    const ReadRecords read = [&](PointBlock& block) {
      ++asked;
      return source.read(10, block);
    };
    try {
      add_mapped_product(read, random_points(3, 2, 10), square, y);
      ADD_FAILURE() << "not refused";
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "memory: record 334 has a value that is NaN or infinite");
    }
    EXPECT_EQ(asked, 34);
  });
}

TEST(RecordWalk, throws_the_error_of_the_work_while_other_threads_wait_for_their_turn) {
  with_threads([&] {
    for (Index bad = 0; bad < 20; ++bad) {
      MemorySource source(random_points(200, 3, 11));
      const ScoreMap fail = [bad](const PointBlock& block, RowMatrix&) {
        if (block.first_record == 10 * bad) throw std::runtime_error("no");
      };
      RowMatrix y = RowMatrix::Zero(3, 2);
      EXPECT_THROW(add_mapped_product(in_blocks(source, 10), RowMatrix::Zero(3, 2), fail, y),
                   std::runtime_error);
    }
  });
}

TEST(RecordWalk, refuses_shapes_that_do_not_fit) {
  MemorySource source(random_points(4, 3, 12));
  RowMatrix y = RowMatrix::Zero(3, 2);
  Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(2);
  EXPECT_THROW(add_mapped_product(in_blocks(source, 2), RowMatrix::Zero(3, 1), square, y), Error);
  EXPECT_THROW(add_mapped_scores(in_blocks(source, 2), RowMatrix::Zero(3, 1), square, sum), Error);
  EXPECT_THROW(add_mapped_scores(in_blocks(source, 2), RowMatrix::Zero(4, 2), square, sum), Error);
}

}  // namespace
}  // namespace sotto
