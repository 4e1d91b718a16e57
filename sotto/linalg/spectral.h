// Small dense problems: eigenpairs of symmetric matrices, orthonormal bases, linear systems.
// Eigen's solvers take seconds to compile, so only this file uses them.
#pragma once

#include "sotto/linalg/matrix.h"

namespace sotto {

// Eigenvalues below this share of the largest are rounding errors.
inline constexpr double kRankTolerance = 1e-10;

struct Eigenpairs {
  Vector values;   // k
  Matrix vectors;  // d x k, orthonormal columns
};

// The k eigenpairs of largest absolute value, in decreasing order of it. Reads the lower triangle.
Eigenpairs leading_eigenpairs(const Matrix& symmetric, Index k);

// All eigenpairs, smallest value first. Reads the lower triangle.
Eigenpairs ascending_eigenpairs(const Matrix& symmetric);

// V diag(values) V^T: the matrix with these eigenpairs, or a function of one.
Matrix with_spectrum(const Matrix& vectors, const Vector& values);

// x with A x = b for a symmetric positive definite A. Reads the lower triangle of A.
Vector solve_positive_definite(const Matrix& a, const Vector& b);

// X with A X = B for a symmetric positive semidefinite A. A is scaled to a unit diagonal first, and
// kept solvable where it is singular by a diagonal that no other solution feels (1e-14).
Matrix solve_semidefinite(const Matrix& a, const Matrix& b);

// The pseudo-inverse, k x d, of a d x k matrix of few columns.
Matrix pseudo_inverse(const Matrix& a);

// Q of the thin QR factorisation, with the signs that Householder reflections leave.
Matrix householder_basis(const Matrix& a);

// Q of the thin QR factorisation with a non-negative diagonal of R: an orthonormal basis of the
// columns. Vector j is in the span of the first j columns and points the way of column j.
Matrix orthonormal_columns(const Matrix& a);

}  // namespace sotto
