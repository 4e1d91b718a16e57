// The GEMM seam: every general matrix product of the library goes through here.
//
// Eigen computes each panel on one thread; panels have a fixed size and are shared out by OpenMP,
// so the answer does not depend on the number of threads. docs/performance.md has the measurements
// behind the choice of Eigen over a system BLAS.
#pragma once

#include "sotto/linalg/matrix.h"

namespace sotto {

using MatrixView = Eigen::Ref<const Matrix, 0, Eigen::OuterStride<>>;

Matrix multiply(const MatrixView& a, const MatrixView& b);                // A B
Matrix multiply_transposed(const MatrixView& a, const MatrixView& b);     // A^T B
Matrix multiply_by_transposed(const MatrixView& a, const MatrixView& b);  // A B^T

// The same for a B of few columns, some tens, where copying A into panels would cost as much as the
// multiplication (kernels/narrow_gemm.h): A is read once, where it stands.
RowMatrix multiply_narrow(const MatrixView& a, const RowMatrix& b);             // A B
RowMatrix multiply_transposed_narrow(const MatrixView& a, const RowMatrix& b);  // A^T B

// Into a matrix that keeps its memory: new memory costs as much as a small product. B must have a
// multiple of four columns; the products above copy one that has not, and the result.
constexpr Index padded_narrow(Index columns) { return (columns + 3) / 4 * 4; }
void multiply_narrow_into(const MatrixView& a, const RowMatrix& b, RowMatrix& c);
void multiply_transposed_narrow_into(const MatrixView& a, const RowMatrix& b, RowMatrix& c);
// On one thread, for many small products; the columns of C lie one behind the other.
void multiply_narrow_columns_into(const MatrixView& a, const RowMatrix& b, double* c);

// Matrices of one size, column-major, that follow each other in memory.
struct MatrixList {
  const double* data;
  Index count, rows, columns;
};
// The products A B of all of them, each below the one before.
void multiply_narrow_list_into(const MatrixList& a, const RowMatrix& b, RowMatrix& c);

}  // namespace sotto
