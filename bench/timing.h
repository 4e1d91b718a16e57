// The best rate of several rounds: what the machine can do when nothing disturbs it.
#pragma once

#include <algorithm>
#include <chrono>

namespace sotto::bench {

// Calls `work` until about `seconds` have passed, in rounds; returns the shortest time of one call.
template <class Work>
double best_seconds(Work work, double seconds = 1.0) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  double best = 1e300;
  do {
    const auto before = Clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - before).count());
  } while (std::chrono::duration<double>(Clock::now() - start).count() < seconds);
  return best;
}

}  // namespace sotto::bench
