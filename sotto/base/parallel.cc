#include "sotto/base/parallel.h"

#include <omp.h>
#include <pthread.h>

#include <algorithm>
#include <mutex>
#include <vector>

namespace sotto {
namespace {

void* wait_for(void* gate) {
  const std::lock_guard lock(*static_cast<std::mutex*>(gate));
  return nullptr;
}

// How many of `wanted` threads there can be at the same time. All are gone afterwards.
int possible_threads(int wanted) {
  std::mutex gate;
  std::vector<pthread_t> threads;
  threads.reserve(static_cast<std::size_t>(wanted));
  {
    const std::lock_guard closed(gate);
    for (pthread_t thread{}; std::ssize(threads) < wanted; threads.push_back(thread)) {
      if (::pthread_create(&thread, nullptr, wait_for, &gate) != 0) break;
    }
  }
  for (const pthread_t thread : threads) ::pthread_join(thread, nullptr);
  return static_cast<int>(threads.size());
}

}  // namespace

void take_threads(int asked) {
  const int wanted = asked - 1;  // beside this one
  const int possible = possible_threads(wanted);
  // At the limit, the threads would take what the work needs.
  omp_set_num_threads(possible == wanted ? asked : 1 + possible / 2);
#pragma omp parallel
  {}  // they are started now, and kept
}

}  // namespace sotto
