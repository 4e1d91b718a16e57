// Products of a dense tensor with a matrix in one mode, and the bases of its modes: what Tucker
// models are made of.
#pragma once

#include <span>
#include <vector>

#include "sotto/linalg/matrix.h"
#include "sotto/tensor/dense_tensor.h"

namespace sotto {

// A dense tensor in C order that lies elsewhere.
struct TensorView {
  std::vector<Index> dims;
  const double* values;
};
TensorView view_of(const DenseTensor& tensor);

// X x_m U^T: mode m, of d rows, is replaced by the columns of U (d x r). 2 N r flops.
DenseTensor mode_product(const TensorView& tensor, Index mode, const Matrix& u);
DenseTensor mode_product(const DenseTensor& tensor, Index mode, const Matrix& u);

// X x_1 U_1^T x_2 U_2^T .. over all modes but `skip` (none for -1), the mode that shrinks the
// tensor most first.
DenseTensor mode_products(const DenseTensor& tensor, std::span<const Matrix> u, Index skip = -1);

// The same over the modes from `first` >= 1 on, and over those before `last` < order, for a few
// places of the other modes at a time: the product of the tensor with one matrix is never in memory
// as a whole, and its parts stay in the cache. Other u[m] are not read.
DenseTensor trailing_mode_products(const DenseTensor& tensor, std::span<const Matrix> u,
                                   Index first);
DenseTensor leading_mode_products(const DenseTensor& tensor, std::span<const Matrix> u, Index last);

// X_(m) X_(m)^T, d x d; N d flops.
Matrix unfolding_gram(const DenseTensor& tensor, Index mode);

// The r leading left singular vectors of X_(m), largest first; columns beyond the rank of X_(m) are
// made up to be orthonormal.
Matrix leading_mode_basis(const DenseTensor& tensor, Index mode, Index r);

// X_(m) as a matrix of d rows, columns in C order of the other modes.
RowMatrix unfolding(const TensorView& tensor, Index mode);
RowMatrix unfolding(const DenseTensor& tensor, Index mode);

// The sequentially truncated HOSVD (Vannieuwenhoven, Vandebril, Meerbergen 2012): the leading basis
// of each mode on what the modes before have left, and the core of all bases.
struct ModeBases {
  std::vector<Matrix> bases;
  DenseTensor core;
};
ModeBases sequential_bases(const DenseTensor& tensor, const std::vector<Index>& ranks);

}  // namespace sotto
