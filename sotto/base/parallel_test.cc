#include "sotto/base/parallel.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <atomic>
#include <new>
#include <stdexcept>
#include <vector>

namespace sotto {
namespace {

class Threads : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override { omp_set_num_threads(GetParam()); }
  void TearDown() override { omp_set_num_threads(before_); }
  int before_ = omp_get_max_threads();
};

TEST_P(Threads, every_iteration_runs_once) {
  for (const int at_a_time : {0, 1, 7}) {
    std::vector<int> seen(1000, 0);
    parallel_for(1000, {at_a_time}, [&](std::ptrdiff_t i) { ++seen[static_cast<std::size_t>(i)]; });
    EXPECT_EQ(seen, std::vector<int>(1000, 1));
  }
}

TEST_P(Threads, an_exception_of_any_iteration_comes_out) {
  for (const int at_a_time : {0, 1}) {
    for (const std::ptrdiff_t bad : {0, 57, 99}) {
      const auto body = [&](std::ptrdiff_t i) {
        if (i == bad) throw std::bad_alloc();
      };
      EXPECT_THROW(parallel_for(100, {at_a_time}, body), std::bad_alloc);
    }
  }
  // Of several, one.
  EXPECT_THROW(parallel_for(100, [](std::ptrdiff_t) { throw std::runtime_error("each"); }),
               std::runtime_error);
}

TEST_P(Threads, an_exception_of_a_work_space_comes_out_and_no_iteration_runs_without_one) {
  std::atomic<int> made = 0;
  const auto make = [&]() -> std::vector<int> {
    if (++made == 1) throw std::bad_alloc();
    return {1};
  };
  const auto body = [](std::vector<int>& work, std::ptrdiff_t) {
    if (work.size() != 1) throw std::logic_error("no work space");
  };
  EXPECT_THROW(parallel_for_with(1000, {}, make, body), std::bad_alloc);
}

TEST_P(Threads, work_spaces_end_when_the_loop_does) {
  static std::atomic<int> alive;
  alive = 0;
  struct Work {
    Work() { ++alive; }
    ~Work() { --alive; }
    Work(const Work&) = delete;
  };
  parallel_for_with(
      50, {}, [] { return Work(); }, [](Work&, std::ptrdiff_t) { EXPECT_GE(alive, 1); });
  EXPECT_EQ(alive, 0);
}

TEST_P(Threads, on_all_threads_an_exception_comes_out) {
  EXPECT_THROW(on_all_threads([] { throw std::runtime_error("each"); }), std::runtime_error);
}

INSTANTIATE_TEST_SUITE_P(Numbers, Threads, ::testing::Values(1, 4));

TEST(TakeThreads, takes_as_many_as_were_asked_for) {
  const int before = omp_get_max_threads();
  take_threads(3);
  EXPECT_EQ(omp_get_max_threads(), 3);
  take_threads(1);
  EXPECT_EQ(omp_get_max_threads(), 1);
  omp_set_num_threads(before);
}

}  // namespace
}  // namespace sotto
