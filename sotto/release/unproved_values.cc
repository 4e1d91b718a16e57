#include "sotto/release/unproved_values.h"

#include <algorithm>

#include "sotto/release/access.h"

namespace sotto {

std::vector<double> values_without_guarantee(RatingValues values, const ValueBounds& bounds,
                                             const std::string& why, PrivateRun& run) {
  run.deny(why);
  std::vector<double> bare = ReleaseAccess::take(std::move(values));
  refuse_nan(bare);
  for (double& x : bare) x = std::clamp(x, bounds.low, bounds.high);
  return bare;
}

}  // namespace sotto
