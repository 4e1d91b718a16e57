// Tests that tell neighbours apart: each makes one number of a run, large where the run looks like
// one over `there` (audit.md, 4).
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "sotto/audit/seen_run.h"

namespace sotto::audit {

inline constexpr std::size_t kWholeRun = std::numeric_limits<std::size_t>::max();

struct Score {
  std::string name;
  std::size_t reads;  // how many releases from the beginning; kWholeRun: all that leaves
  std::function<double(const SeenRun&)> of;
};

// Fitted to the first `fitted` runs of each side and to the pairs with the same noise.
std::vector<Score> make_scores(const NeighbourRuns& runs, std::size_t fitted);

}  // namespace sotto::audit
