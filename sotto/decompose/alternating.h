// Alternating power iterations for tensors without symmetry, order 3 to 5: CP decomposition when
// the factors of each mode are near-orthogonal.
//
// For each component, L random starts form one block. A sweep updates mode after mode by u_m <-
// T(.., I at m, ..)/|.|. The start with the largest value is kept, polished and deflated.
#pragma once

#include "sotto/decompose/power.h"
#include "sotto/tensor/oracle.h"

namespace sotto {

Decomposition alternating_power_method(ModeOracle& oracle, const PowerOptions& options,
                                       const ProgressCallback& progress = {});

}  // namespace sotto
