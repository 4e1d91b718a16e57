// W = S U for a symmetric matrix S stored as its packed upper triangle (row after row, each row
// from its diagonal on) and a narrow block U: the inner kernel of every symmetric tensor product.
//
// Each stored number is read once and used twice, for W_j += S_jk U_k and W_k += S_jk U_j, so the
// matrix is never unpacked. Cost 2 m^2 flops a column. Blocks are kept as strips: the columns are
// cut into strips of `strip_width()` or fewer, and a strip stores its rows contiguously, so that a
// row of a strip is a few vector registers.
#pragma once

#include "sotto/linalg/matrix.h"

namespace sotto::kernels {

// The columns of a full strip, and the granularity to which the last strip is padded with zeros.
Index strip_width();
Index strip_granularity();

// `width` is a multiple of strip_granularity(), at most strip_width(). `w` is added to.
// `packed` points at the diagonal element of the first row; `u` and `w` have m rows.
void packed_symm_accumulate(const double* packed, Index m, const double* u, double* w, Index width);

}  // namespace sotto::kernels
