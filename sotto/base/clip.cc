#include "sotto/base/clip.h"

#include <algorithm>

namespace sotto {

double clipped(double x, double low, double high) { return std::clamp(x, low, high); }

}  // namespace sotto
