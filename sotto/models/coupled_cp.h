// Three-way blocks that share their factors: T_ab = sum_t A_a,t o A_b,t o V_t for all pairs a < b
// of modes, fitted together to the least squares by alternating over A_1, .., A_M and V.
//
// Small and dense: what compressed triples of a tensor of people are made of. The scales of the
// factors of a mode are free, those of V are one, so that blocks of different size agree.
// Cost: O(starts iterations k sum of the numbers of the blocks).
#pragma once

#include <cstdint>
#include <vector>

#include "sotto/linalg/matrix.h"

namespace sotto {

// The block of modes a < b: row i * rows_b + j, column l is T_ab(i, j, l).
struct CoupledBlock {
  std::size_t a, b;
  RowMatrix values;
};

struct CoupledOptions {
  int starts = 10;
  int iterations = 200;
  double tolerance = 1e-7;  // of the relative change of the misfit
  std::uint64_t seed = 0;
};

struct CoupledFactors {
  std::vector<Matrix> modes;  // rows of the mode x k
  Matrix other;               // columns of norm one
  double misfit = 0;          // sum of squares that is left
};

// `rows` of the modes. The best of the starts.
CoupledFactors fit_coupled(const std::vector<CoupledBlock>& blocks, const std::vector<Index>& rows,
                           Index k, const CoupledOptions& options = {});

}  // namespace sotto
