// Random input for the property tests of the accountants.
#pragma once

#include <rapidcheck.h>

#include <cmath>

namespace sotto::testing {

// A number between low and high, uniform in its logarithm.
inline double log_uniform(double low, double high) {
  const double unit = *rc::gen::inRange(0, 1 << 30) / double(1 << 30);
  return low * std::pow(high / low, unit);
}

}  // namespace sotto::testing
