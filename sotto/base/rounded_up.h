// A bound as text that promises no more than the number itself: rounded up in decimal.
#pragma once

#include <string>

#include "sotto/base/export.h"

namespace SOTTO_API sotto {

// The shortest decimal of at most `digits` significant digits that, read as a double, is not below
// x: 1 and 0.5 stay as they are, 100.0004 becomes 100.01. x is not negative; digits is 1 to 15.
std::string rounded_up(double x, int digits = 5);

}  // namespace sotto
