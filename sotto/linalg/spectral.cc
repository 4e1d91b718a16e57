#include "sotto/linalg/spectral.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/linalg/gemm.h"

namespace sotto {

Eigenpairs leading_eigenpairs(const Matrix& symmetric, Index k) {
  const Index d = symmetric.rows();
  SOTTO_REQUIRE(symmetric.cols() == d, "eigenpairs need a square matrix, got {} x {}", d,
                symmetric.cols());
  SOTTO_REQUIRE(1 <= k && k <= d, "asked for {} eigenpairs of a {} x {} matrix", k, d, d);
  SOTTO_REQUIRE(symmetric.allFinite(), "the matrix has NaN or infinite entries");
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(symmetric);
  std::vector<Index> order(d);
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return std::abs(solver.eigenvalues()[a]) > std::abs(solver.eigenvalues()[b]);
  });
  Eigenpairs pairs{Vector(k), Matrix(d, k)};
  for (Index j = 0; j < k; ++j) {
    pairs.values[j] = solver.eigenvalues()[order[j]];
    pairs.vectors.col(j) = solver.eigenvectors().col(order[j]);
  }
  return pairs;
}

Eigenpairs ascending_eigenpairs(const Matrix& symmetric) {
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(symmetric);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Matrix with_spectrum(const Matrix& vectors, const Vector& values) {
  return multiply_by_transposed(vectors * values.asDiagonal(), vectors);
}

Vector solve_positive_definite(const Matrix& a, const Vector& b) {
  return Eigen::LLT<Matrix>(a).solve(b);
}

Matrix solve_semidefinite(const Matrix& a, const Matrix& b) {
  constexpr double kRidge = 1e-14;
  const Vector scale =
      a.diagonal().unaryExpr([](double x) { return x > 0 ? 1 / std::sqrt(x) : 1.0; });
  Matrix scaled = scale.asDiagonal() * a * scale.asDiagonal();
  scaled.diagonal().array() += kRidge * static_cast<double>(a.rows());
  for (Index j = 0; j < a.rows(); ++j) {
    if (!(a(j, j) > 0)) scaled(j, j) = 1;
  }
  const Eigen::LDLT<Matrix> factor(scaled);
  return scale.asDiagonal() * factor.solve(scale.asDiagonal() * b);
}

// By (Q R)^+ = R^+ Q^T: Eigen would take memory for as many columns as `a` has rows.
Matrix pseudo_inverse(const Matrix& a) {
  if (a.rows() > a.cols()) {
    const Matrix q = householder_basis(a);
    return pseudo_inverse(q.transpose() * a) * q.transpose();
  }
  return Eigen::CompleteOrthogonalDecomposition<Matrix>(a).pseudoInverse();
}

Matrix householder_basis(const Matrix& a) {
  return Eigen::HouseholderQR<Matrix>(a).householderQ() * Matrix::Identity(a.rows(), a.cols());
}

Matrix orthonormal_columns(const Matrix& a) {
  SOTTO_REQUIRE(a.rows() >= a.cols(), "cannot orthonormalise {} columns of length {}", a.cols(),
                a.rows());
  const Eigen::HouseholderQR<Matrix> qr(a);
  Matrix q = qr.householderQ() * Matrix::Identity(a.rows(), a.cols());
  for (Index j = 0; j < a.cols(); ++j) {
    if (qr.matrixQR()(j, j) < 0) q.col(j) *= -1;
  }
  return q;
}

}  // namespace sotto
