#include "sotto/tensor/record_walk.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <limits>
#include <stdexcept>
#include <thread>

#include "sotto/base/error.h"
#include "sotto/linalg/testing/threads.h"
#include "sotto/tensor/testing/memory_source.h"

namespace sotto {
namespace {

ReadRecords in_blocks(PointSource& source, Index rows) {
  return [&source, rows](PointBlock& block) { return source.read(rows, block); };
}

void no_work(const PointBlock&, RowMatrix&) {}

// Runs `work` with 1, 2, 3 and 7 threads.
template <class Work>
void with_threads(Work work) {
  for (const int threads : {1, 2, 3, 7}) {
    SCOPED_TRACE(threads);
    on_threads(threads, work);
  }
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
    const auto add = [&](const PointBlock& block, RowMatrix&) {
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
    const ReadRecords read = [&](PointBlock& block) {
      ++asked;
      return source.read(10, block);
    };
    try {
      walk_records({read, no_work, no_work});
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
      const auto fail = [bad](const PointBlock& block, RowMatrix&) {
        if (block.first_record == 10 * bad) throw std::runtime_error("no");
      };
      EXPECT_THROW(walk_records({in_blocks(source, 10), fail, no_work}), std::runtime_error);
    }
  });
}

}  // namespace
}  // namespace sotto
