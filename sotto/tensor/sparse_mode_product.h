// Products of a sparse tensor with matrices in all modes but one.
#pragma once

#include <span>

#include "sotto/tensor/sparse_fibres.h"

namespace sotto {

// Y = X x_n U_n^T over all modes n but that of the fibres, as a matrix of its rows; columns are in
// C order of the others. Cost 2 nnz (prod of ranks) flops; rows are independent.
RowMatrix sparse_mode_products(const SparseFibres& fibres, std::span<const Matrix> u);

}  // namespace sotto
