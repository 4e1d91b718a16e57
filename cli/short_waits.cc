#include "cli/short_waits.h"

#include <unistd.h>

#include <cstdlib>
#include <thread>

namespace sotto::cli {
namespace {

// Turns of a loop, about ten microseconds: longer than a parallel loop keeps one thread waiting for
// another on processors of its own, much shorter than a slice of a shared one.
constexpr const char* kTurns = "3000";

// No other thread has been started yet.
// NOLINTBEGIN(concurrency-mt-unsafe)
bool threads_may_wait() {
  const char* asked = std::getenv("OMP_NUM_THREADS");
  return asked != nullptr ? std::atoi(asked) != 1 : std::thread::hardware_concurrency() > 1;
}

}  // namespace

void start_with_short_waits(char** argv) {
  const bool chosen =
      std::getenv("OMP_WAIT_POLICY") != nullptr || std::getenv("GOMP_SPINCOUNT") != nullptr;
  if (chosen || !threads_may_wait() || setenv("GOMP_SPINCOUNT", kTurns, 0) != 0) return;
  execv("/proc/self/exe", argv);
}
// NOLINTEND(concurrency-mt-unsafe)

}  // namespace sotto::cli
