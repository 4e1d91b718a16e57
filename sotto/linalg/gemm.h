// The GEMM seam: every general matrix product of the library goes through here.
//
// Eigen computes each panel on one thread; panels have a fixed size and are shared out by OpenMP,
// so the answer does not depend on the number of threads. docs/performance.md has the measurements
// behind the choice of Eigen over a system BLAS.
#pragma once

#include "sotto/linalg/matrix.h"

namespace sotto {

using MatrixView = Eigen::Ref<const Matrix, 0, Eigen::OuterStride<>>;

Matrix multiply(const MatrixView& a, const MatrixView& b);             // A B
Matrix multiply_transposed(const MatrixView& a, const MatrixView& b);  // A^T B

}  // namespace sotto
