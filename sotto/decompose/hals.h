// Non-negative least squares by coordinate descent over columns (hierarchical alternating least
// squares, Cichocki & Phan 2009), for the factor of one mode.
#pragma once

#include "sotto/linalg/matrix.h"

namespace sotto {

// Lowers |A K^T - X|^2 over A >= 0 from where A stands, given M = X K and G = K^T K:
//   a_r <- max(0, a_r + (m_r - A g_r) / g_rr), column after column, a few rounds.
Matrix hals(const Matrix& m, const Matrix& gram, Matrix a);

// The same for one row.
Vector hals_row(const Vector& y, const Matrix& gram, Vector a);

}  // namespace sotto
