// Differences between points and a few centres, which are never written to memory: their squared
// lengths, and their sums with weights.
//
// Centres and weights lie side by side in vector registers, and each number of a point is read in
// place. Cost 3 m d k flops each for m points and k centres.
#pragma once

#include "sotto/linalg/matrix.h"

namespace sotto::kernels {

// The centres as the kernels take them: d rows, column i is centre i. Columns of zeros are added up
// to whole registers.
RowMatrix padded_centres(const Matrix& centres);

// `points` has m rows of d numbers, without gaps, as all matrices here.
// squares (m x padded k): |x - c_i|^2, added up in the order of the coordinates.
void squared_differences(const double* points, Index m, const RowMatrix& centres, double* squares);

// sums (d x padded k) += weight_i (x - c_i) for every point, in their order; weights are m x
// padded k.
void add_weighted_differences(const double* points, Index m, const RowMatrix& centres,
                              const double* weights, double* sums);

}  // namespace sotto::kernels
