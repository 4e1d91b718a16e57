#include "sotto/linalg/krylov.h"

#include <gtest/gtest.h>

#include "sotto/base/error.h"

namespace sotto {
namespace {

// Q diag(values) Q^T for a fixed orthogonal Q.
Matrix with_spectrum(const Vector& values) {
  const Index n = values.size();
  Matrix a(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) a(i, j) = std::sin(1.0 + 3.7 * double(i) * double(j) + double(i));
  }
  const Matrix q = orthonormal_columns(a);
  return q * values.asDiagonal() * q.transpose();
}

Vector falling_spectrum(Index n) {
  Vector values(n);
  for (Index i = 0; i < n; ++i) values[i] = 1.0 / double(i + 1);
  values[n - 1] = -3;  // larger in absolute value than all others, and not wanted
  return values;
}

TEST(Krylov, finds_the_algebraically_largest_eigenpairs) {
  const Vector values = falling_spectrum(400);
  const Matrix a = with_spectrum(values);
  int products = 0;
  const BlockOperator apply = [&](const RowMatrix& b) -> RowMatrix {
    ++products;
    return a * b;
  };
  const Eigenpairs found = largest_eigenpairs(apply, 400, 6, {.tolerance = 1e-10});
  EXPECT_LT((found.values - values.head(6)).cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_LT((a * found.vectors - found.vectors * found.values.asDiagonal()).norm(), 1e-8);
  EXPECT_LT((found.vectors.transpose() * found.vectors - Matrix::Identity(6, 6)).norm(), 1e-12);
  EXPECT_GT(products, 1);  // not the dense way
}

TEST(Krylov, small_operators_are_solved_densely) {
  const Vector values = falling_spectrum(40);
  const Matrix a = with_spectrum(values);
  const Eigenpairs found =
      largest_eigenpairs([&](const RowMatrix& b) -> RowMatrix { return a * b; }, 40, 5);
  EXPECT_LT((found.values - values.head(5)).cwiseAbs().maxCoeff(), 1e-13);
}

TEST(Krylov, an_operator_of_low_rank_has_zeros_after_its_rank) {
  Vector values = Vector::Zero(300);
  values.head(3) << 3, 2, 1;
  const Matrix a = with_spectrum(values);
  const Eigenpairs found =
      largest_eigenpairs([&](const RowMatrix& b) -> RowMatrix { return a * b; }, 300, 5);
  EXPECT_LT((found.values.head(3) - values.head(3)).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT(found.values.tail(2).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(Krylov, refuses_more_eigenpairs_than_there_are) {
  const BlockOperator identity = [](const RowMatrix& b) { return b; };
  EXPECT_THROW(largest_eigenpairs(identity, 3, 4), Error);
}

}  // namespace
}  // namespace sotto
