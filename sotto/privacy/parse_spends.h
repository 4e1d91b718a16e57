// A list of releases as people write it on a command line:
//   gaussian:NOISE_MULTIPLIER:COUNT, laplace:SCALE:COUNT, pure:EPSILON:COUNT,
//   subsampled:NOISE_MULTIPLIER:SAMPLING_RATE:COUNT
// separated by commas; the count may be left out and is then one.
#pragma once

#include <string>
#include <vector>

#include "sotto/privacy/release_record.h"

namespace sotto {

// Refuses other text, naming `place`. The accountants check the ranges.
std::vector<Spend> parse_spends(const std::string& text, const std::string& place);

}  // namespace sotto
