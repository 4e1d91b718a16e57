// From which epsilon on a plan reaches its goal.
#pragma once

#include <functional>

namespace sotto {

// The smallest epsilon from 0.001 to 100 that reaches it, where larger ones do too; infinity: none.
double least_epsilon(const std::function<bool(double epsilon)>& reaches);

}  // namespace sotto
