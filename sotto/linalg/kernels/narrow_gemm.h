// C += A B for a narrow B, some tens of columns: the products of a stream of records with a block
// of vectors.
//
// A general product copies A into panels before it multiplies; with few columns in B the copy costs
// as much as the multiplication. Here a few rows of C stay in registers, the rows of B come from
// the cache, and each number of A is read in place, so A and A^T work equally well. Cost 2 m k n
// flops.
#pragma once

#include "sotto/linalg/matrix.h"

namespace sotto::kernels {

// A_it = data[i * row_step + t * column_step]: a row-major matrix or the transpose of one.
struct StridedMatrix {
  const double* data;
  Index rows, columns;
  Index row_step, column_step;
};

// How many columns B and C have, and how many of them are more than padding, which B has zeros in.
struct NarrowColumns {
  Index all, used;
};

// B and C are row-major without gaps.
void narrow_gemm_accumulate(const StridedMatrix& a, const double* b, double* c,
                            NarrowColumns columns);

// C = A B where the rows of A lie side by side (row_step 1). Columns of padding are 0 in C and not
// read in B.
void narrow_gemm_upright(const StridedMatrix& a, const double* b, double* c, NarrowColumns columns);

// The same for a column-major C whose columns are `step` numbers apart, without padding.
void narrow_gemm_upright_columns(const StridedMatrix& a, const double* b, double* c, Index step,
                                 NarrowColumns columns);

}  // namespace sotto::kernels
