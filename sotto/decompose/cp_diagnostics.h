// What tells a trustworthy CP model from one that is not.
#pragma once

#include <optional>
#include <vector>

#include "sotto/decompose/cp.h"
#include "sotto/tensor/mttkrp.h"
#include "sotto/tensor/sparse_fibres.h"

namespace sotto {

// Core consistency (Bro & Kiers 2003), in percent: the least-squares core for these factors,
//   G = X x_1 A_1^+ x_2 A_2^+ ..,
// against the one that CP assumes, 1 on the diagonal and 0 elsewhere. 100 is a perfect CP
// structure, below 50 a doubtful one, 0 and less none. `factors` carry the weights.
double core_consistency(const DenseTensor& core, Index components);
DenseTensor least_squares_core(const DenseTensor& tensor, const Factors& factors);
DenseTensor least_squares_core(FibreCache& fibres, const Factors& factors);

std::vector<DegeneratePair> degenerate_pairs(const Factors& factors);

}  // namespace sotto
