#include "sotto/models/least_epsilon.h"

#include <cmath>
#include <limits>

namespace sotto {

double least_epsilon(const std::function<bool(double epsilon)>& reaches) {
  double low = 1e-3, high = 100;
  if (!reaches(high)) return std::numeric_limits<double>::infinity();
  for (int step = 0; step < 40; ++step) {
    const double middle = std::sqrt(low * high);
    (reaches(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace sotto
