// Basic and advanced composition: the classical accounts, kept for comparison.
#pragma once

#include <span>

#include "sotto/privacy/release_record.h"

namespace sotto {

// The exact epsilon of one release at its own delta: e for pure costs, GDP for Gaussian ones, and
// log(1 + q (e^{epsilon(delta / q)} - 1)) for sampled ones (Balle, Barthe, Gaboardi 2018).
double single_epsilon(const Cost& cost, double delta);

// The sum of epsilons; delta is shared equally among the releases that are not pure.
double basic_epsilon(std::span<const Spend> spends, double delta);

// sqrt(2 log(1/d) sum e_i^2) + sum e_i (e^{e_i} - 1) (Dwork, Rothblum, Vadhan 2010), where d =
// delta if all releases are pure; else d = delta/2, and the other half is shared as in basic
// composition.
double advanced_epsilon(std::span<const Spend> spends, double delta);

}  // namespace sotto
