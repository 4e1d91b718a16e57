// Ratings for published methods that use them without noise, for reproduction and comparison.
//
// The values leave without any guarantee, and the same call denies the run its guarantee: no
// certificate over them can say "proved".
#pragma once

#include <string>
#include <vector>

#include "sotto/release/private_run.h"
#include "sotto/release/rating_sums.h"

namespace sotto {

// The values, clipped to the range. NaN is refused. The certificate gives `why` as the reason.
std::vector<double> values_without_guarantee(RatingValues values, const ValueBounds& bounds,
                                             const std::string& why, PrivateRun& run);

}  // namespace sotto
