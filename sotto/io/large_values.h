// Public numbers are smaller than 1e75, so that sums of their products of order 4 are numbers.
// Private ones are clipped to declared bounds instead, and no refusal depends on them.
#pragma once

#include <cmath>
#include <limits>
#include <span>
#include <string>

#include "sotto/base/error.h"

namespace sotto {

inline constexpr double kLargestPublicValue = 1e75;

inline double largest_value(bool records_are_private) {
  return records_are_private ? std::numeric_limits<double>::infinity() : kLargestPublicValue;
}

// Refuses finite numbers from `bound` on.
inline void refuse_large(std::span<const double> values, double bound, const std::string& place) {
  if (!std::isfinite(bound)) return;
  bool large = false;
  for (const double x : values) large |= std::abs(x) >= bound;  // without an exit: vectorised
  if (!large) return;
  for (const double x : values) {
    SOTTO_REQUIRE_AT(!std::isfinite(x) || std::abs(x) < bound, place,
                     "has the number {:g}; from {:g} on, powers of numbers are not numbers: divide "
                     "all of them by one",
                     x, bound);
  }
}

}  // namespace sotto
