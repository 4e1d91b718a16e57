// Means and variances of a release over runs, number by number.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sotto/audit/seen_run.h"

namespace sotto::audit {

using Numbers = std::vector<double>;

// The numbers of a release, or none where the run has no such release of this size.
const Numbers* release_of(const SeenRun& run, std::size_t place, std::size_t size);

struct BlockMoments {
  Numbers here, there;  // means
  Numbers variance;     // within each side, joined
  Numbers difference;   // there - here, without noise where that is known
  bool is_exact = false;

  std::size_t size() const { return here.size(); }
  // The difference in standard deviations. A number without variance counts as one with hardly any.
  double standardised(std::size_t i) const;
};

// Of the release at this place, over the first `fitted` runs.
BlockMoments moments_of(const NeighbourRuns& runs, std::size_t place, std::size_t fitted);

}  // namespace sotto::audit
