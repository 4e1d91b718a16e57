// For tests: work on a given number of threads.
#pragma once

#include <omp.h>

namespace sotto {

// Sets the number of threads for its lifetime.
class ThreadCount {
 public:
  explicit ThreadCount(int threads) { omp_set_num_threads(threads); }
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;
  ~ThreadCount() { omp_set_num_threads(before_); }

 private:
  int before_ = omp_get_max_threads();
};

// Returns work(), done on this many threads.
template <class Work>
auto on_threads(int threads, Work work) {
  const ThreadCount count(threads);
  return work();
}

}  // namespace sotto
