#include "sotto/linalg/gemm.h"

#include <gtest/gtest.h>

#include <vector>

#include "sotto/base/error.h"
#include "sotto/linalg/spectral.h"
#include "sotto/linalg/testing/random_matrix.h"
#include "sotto/linalg/testing/threads.h"

namespace sotto {
namespace {

TEST(Gemm, equals_the_triple_loop) {
  for (const auto& [m, k, n] : {std::tuple{1, 1, 1},
                                {3, 700, 2},
                                {257, 5, 33},
                                {3, 9000, 11},
                                {900, 1100, 13},
                                {50, 70, 20},
                                {50, 70, 28},
                                {600, 40, 7}}) {
    const Matrix a = random_matrix(m, k, 1), b = random_matrix(k, n, 2);
    Matrix expected = Matrix::Zero(m, n);
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < n; ++j) {
        for (Index x = 0; x < k; ++x) expected(i, j) += a(i, x) * b(x, j);
      }
    }
    EXPECT_LT((multiply(a, b) - expected).cwiseAbs().maxCoeff(), 1e-11);
    EXPECT_LT((multiply_transposed(a.transpose(), b) - expected).cwiseAbs().maxCoeff(), 1e-11);
    EXPECT_LT((multiply_by_transposed(a, b.transpose()) - expected).cwiseAbs().maxCoeff(), 1e-11);
    EXPECT_LT((multiply_narrow(a, b) - expected).cwiseAbs().maxCoeff(), 1e-11);
    EXPECT_LT((multiply_transposed_narrow(a.transpose(), b) - expected).cwiseAbs().maxCoeff(),
              1e-11);
    RowMatrix padded = RowMatrix::Zero(k, padded_narrow(n)), into = RowMatrix::Ones(2, 2);
    padded.leftCols(n) = b;
    multiply_narrow_into(a, padded, into);
    EXPECT_LT((into.leftCols(n) - expected).cwiseAbs().maxCoeff(), 1e-11);
    EXPECT_EQ(into.rightCols(padded.cols() - n).cwiseAbs().sum(), 0);
    multiply_transposed_narrow_into(a.transpose(), padded, into);
    EXPECT_LT((into.leftCols(n) - expected).cwiseAbs().maxCoeff(), 1e-11);
    Matrix columns = Matrix::Ones(m, n);
    multiply_narrow_columns_into(a, b, columns.data());
    EXPECT_LT((columns - expected).cwiseAbs().maxCoeff(), 1e-11);
  }
}

TEST(Gemm, a_list_of_matrices_gives_the_product_of_each) {
  const Matrix all = random_matrix(90, 40, 7), b = random_matrix(40, 12, 8);
  std::vector<double> data;
  for (Index l = 0; l < 3; ++l) {
    const Matrix a = all.middleRows(30 * l, 30);
    data.insert(data.end(), a.data(), a.data() + a.size());
  }
  RowMatrix into;
  multiply_narrow_list_into({data.data(), 3, 30, 40}, b, into);
  EXPECT_LT((into - all * b).cwiseAbs().maxCoeff(), 1e-12);
  multiply_narrow_list_into({data.data(), 1, 30, 40}, b, into);
  EXPECT_LT((into - all.topRows(30) * b).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_THROW(multiply_narrow_list_into({data.data(), 3, 40, 30}, b, into), Error);
}

TEST(Gemm, gives_the_same_bits_for_any_number_of_threads) {
  const Matrix a = random_matrix(1000, 300, 3), b = random_matrix(300, 40, 4);
  const auto product = [&] { return multiply(a, b); };
  EXPECT_EQ(on_threads(1, product), on_threads(3, product));
  const Matrix long_sum = random_matrix(20, 20000, 5), few = random_matrix(20000, 10, 6);
  const auto narrow = [&] { return multiply_narrow(long_sum, few); };
  EXPECT_EQ(on_threads(1, narrow), on_threads(3, narrow));
}

TEST(Gemm, refuses_shapes_that_do_not_fit) {
  EXPECT_THROW(multiply(Matrix(2, 3), Matrix(2, 3)), Error);
  EXPECT_THROW(multiply_transposed(Matrix(2, 3), Matrix(3, 3)), Error);
  EXPECT_THROW(multiply_by_transposed(Matrix(2, 3), Matrix(3, 2)), Error);
  RowMatrix into;
  EXPECT_THROW(multiply_narrow_into(Matrix(2, 3), RowMatrix(3, 5), into), Error);
  EXPECT_THROW(multiply_narrow_into(Matrix(2, 3), RowMatrix(2, 4), into), Error);
  EXPECT_THROW(multiply_transposed_narrow_into(Matrix(2, 3), RowMatrix(3, 4), into), Error);
  EXPECT_THROW(multiply_narrow_columns_into(Matrix(2, 3), RowMatrix(2, 4), nullptr), Error);
}

TEST(Spectral, leading_eigenpairs_are_sorted_by_absolute_value_and_diagonalise) {
  const Matrix a = random_matrix(30, 30, 5);
  const Matrix s = a + a.transpose();
  const Eigenpairs p = leading_eigenpairs(s, 30);
  EXPECT_LT((p.vectors * p.values.asDiagonal() * p.vectors.transpose() - s).norm(), 1e-11);
  for (Index j = 1; j < 30; ++j) EXPECT_GE(std::abs(p.values[j - 1]), std::abs(p.values[j]));
  EXPECT_LT((with_spectrum(p.vectors, p.values) - s).norm(), 1e-11);
  EXPECT_THROW(leading_eigenpairs(s, 31), Error);
  EXPECT_THROW(leading_eigenpairs(Matrix(2, 3), 1), Error);
}

TEST(Spectral, orthonormal_columns_span_the_columns_and_keep_their_direction) {
  const Matrix a = random_matrix(20, 5, 6);
  const Matrix q = orthonormal_columns(a);
  EXPECT_LT((q.transpose() * q - Matrix::Identity(5, 5)).norm(), 1e-13);
  EXPECT_LT((q * (q.transpose() * a) - a).norm(), 1e-12);
  for (Index j = 0; j < 5; ++j) EXPECT_GT(q.col(j).dot(a.col(j)), 0);
}

}  // namespace
}  // namespace sotto
