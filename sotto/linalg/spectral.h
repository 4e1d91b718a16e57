// Small dense spectral problems: eigenpairs of symmetric matrices and orthonormal bases.
#pragma once

#include "sotto/linalg/matrix.h"

namespace sotto {

// Eigenvalues below this share of the largest are rounding.
inline constexpr double kRankTolerance = 1e-10;

struct Eigenpairs {
  Vector values;   // k
  Matrix vectors;  // d x k, orthonormal columns
};

// The k eigenpairs of largest absolute value, in decreasing order of it. Reads the lower triangle.
Eigenpairs leading_eigenpairs(const Matrix& symmetric, Index k);

// Q of the thin QR factorisation with a non-negative diagonal of R: an orthonormal basis of the
// columns, the j-th in the span of the first j, and each pointing the way of its column.
Matrix orthonormal_columns(const Matrix& a);

}  // namespace sotto
