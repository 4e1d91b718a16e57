// Bisection over the doubles themselves.
//
// Every inverse in the accountants ("the smallest epsilon with ...") is a monotone predicate, and
// the answer must lie on its safe side. Bisecting the bit patterns ends, after at most 64 steps, at
// two neighbouring doubles: the returned one satisfies the predicate, the one before it does not.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "sotto/base/error.h"

namespace sotto {

// The smallest double x in [low, high], 0 <= low, for which holds(x), where holds() turns from
// false to true once. holds(high) must be true.
template <class Predicate>
double first_true(double low, double high, Predicate holds) {
  if (holds(low)) return low;
  SOTTO_REQUIRE(holds(high), "no value up to {:g} meets the privacy target", high);
  auto no = std::bit_cast<std::uint64_t>(low);
  auto yes = std::bit_cast<std::uint64_t>(high);
  while (yes - no > 1) {
    const std::uint64_t middle = no + (yes - no) / 2;
    (holds(std::bit_cast<double>(middle)) ? yes : no) = middle;
  }
  return std::bit_cast<double>(yes);
}

}  // namespace sotto
