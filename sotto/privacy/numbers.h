// Numbers that the accountants share.
#pragma once

#include <limits>

namespace sotto {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();  // no answer
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kUnit = std::numeric_limits<double>::epsilon();  // bounds of rounding

}  // namespace sotto
