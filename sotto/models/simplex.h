// Projects a vector that should be a distribution onto the distributions.
#pragma once

#include "sotto/linalg/matrix.h"

namespace sotto {

// The nearest distribution in Euclidean distance (Held, Wolfe & Crowder 1974). O(n log n).
Vector project_to_simplex(const Vector& v);

// Projects each column up to its sign, which is chosen so that its sum is not negative.
Matrix project_columns(const Matrix& columns);

// Imtiaz & Sarwate 2018: negative entries become zero, the rest is scaled to sum to one. A column
// without a positive entry becomes uniform.
Matrix truncate_columns(const Matrix& columns);

}  // namespace sotto
