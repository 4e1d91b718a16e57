// How far the neighbours of an audit move each release, against what is charged for it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sotto/audit/seen_run.h"

namespace sotto::audit {

// A share of 1 is the sensitivity that the cost of the release stands for, at the noise that was
// seen: noise that is too small looks like a longer reach.
struct Reach {
  std::size_t place = 0;  // of the release in its run
  std::string what;
  double share = 0;
};

// Of the releases whose exact difference is known. An estimate, from all runs: nothing rests on it.
std::vector<Reach> reach_of(const NeighbourRuns& runs);

}  // namespace sotto::audit
