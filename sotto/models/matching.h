// Matches found components to true ones, one to one and with the least total cost.
#pragma once

#include <vector>

#include "sotto/linalg/matrix.h"

namespace sotto {

// The permutation p with the least sum of cost(i, p(i)) (Kuhn 1955, by shortest augmenting paths
// with potentials). O(k^3).
std::vector<Index> least_cost_matching(const Matrix& cost);

}  // namespace sotto
