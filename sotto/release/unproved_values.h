// Ratings for published methods that follow them without noise, for reproduction and comparison.
//
// The values leave with no guarantee at all, and the ledger says so in the same call: no
// certificate over them can say "proved".
#pragma once

#include <string>
#include <vector>

#include "sotto/privacy/certificate.h"
#include "sotto/release/rating_sums.h"

namespace sotto {

// The values, clipped to the range; NaN is refused. `why` is what the certificate gives as the
// reason.
std::vector<double> values_without_guarantee(RatingValues values, const ValueBounds& bounds,
                                             const std::string& why, Ledger& ledger);

}  // namespace sotto
