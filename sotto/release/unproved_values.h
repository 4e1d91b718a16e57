// Ratings for published methods that follow them without noise, for reproduction and comparison.
//
// The values leave with no guarantee at all, and the run is told so in the same call: no
// certificate over them can say "proved".
#pragma once

#include <string>
#include <vector>

#include "sotto/release/private_run.h"
#include "sotto/release/rating_sums.h"

namespace sotto {

// The values, clipped to the range; NaN is refused. `why` is what the certificate gives as the
// reason.
std::vector<double> values_without_guarantee(RatingValues values, const ValueBounds& bounds,
                                             const std::string& why, PrivateRun& run);

}  // namespace sotto
