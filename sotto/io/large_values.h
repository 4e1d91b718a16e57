// Public numbers are smaller than 1e75, so that sums of their products of order 4 are numbers.
// Private ones are clipped to declared bounds instead, and no refusal depends on them.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "sotto/base/error.h"

namespace sotto {

inline constexpr double kLargestPublicValue = 1e75;

inline double largest_value(bool records_are_private) {
  return records_are_private ? std::numeric_limits<double>::infinity() : kLargestPublicValue;
}

// Whether the size of a number is `bound` > 0 or more, or it is NaN. Numbers without their sign are
// in the order of their bits, and NaN comes last: the differences are negative from the bound on.
// Blocks have a fixed length, so that compilers use vectors.
inline bool any_large(std::span<const double> values, double bound) {
  constexpr std::size_t kBlock = 64;
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  const std::uint64_t below = std::bit_cast<std::uint64_t>(bound) - 1;
  const auto difference = [&](double x) {
    return below - (std::bit_cast<std::uint64_t>(x) & ~kSign);
  };
  std::uint64_t all = 0;
  std::size_t i = 0;
  for (; i + kBlock <= values.size(); i += kBlock) {
    const double* block = values.data() + i;
    for (std::size_t j = 0; j < kBlock; ++j) all |= difference(block[j]);
  }
  for (; i < values.size(); ++i) all |= difference(values[i]);
  return (all & kSign) != 0;
}

// Refuses finite numbers from `bound` on.
inline void refuse_large(std::span<const double> values, double bound, const std::string& place) {
  if (!std::isfinite(bound) || !any_large(values, bound)) return;
  for (const double x : values) {
    SOTTO_REQUIRE_AT(!std::isfinite(x) || std::abs(x) < bound, place,
                     "has the number {:g}; from {:g} on, powers of numbers are not numbers: divide "
                     "all of them by one",
                     x, bound);
  }
}

}  // namespace sotto
