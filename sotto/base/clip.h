// The clips that sensitivities rest on: all of them are this one function, which stands in a file
// of its own so that a program with planted faults can drop it (tests/audit/faults.cc).
#pragma once

namespace sotto {

// The number of [low, high] that is nearest to x.
double clipped(double x, double low, double high);

}  // namespace sotto
