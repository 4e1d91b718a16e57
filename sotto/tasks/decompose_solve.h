// The methods of `sotto decompose` that find components one after the other or all at once by power
// iterations, and how well what they found fits. The tensor is public, or it was released with
// noise.
#pragma once

#include "sotto/tasks/decompose.h"
#include "sotto/tensor/prepare.h"

namespace sotto {

// The symmetric method that the task asks for.
Decomposition solve(const SymmetricInput& input, const DecomposeTask& task,
                    const PowerOptions& power, const ProgressCallback& progress);

// The same with measures of the fit; where components are not orthogonal, the advice to fit them
// jointly.
DecomposeResult run_symmetric(const SymmetricInput& input, const DecomposeTask& task,
                              DecomposeResult result, const ProgressCallback& progress);

// One component after the other of a tensor without symmetry, likewise.
DecomposeResult run_alternating(const AnyTensor& tensor, const DecomposeTask& task,
                                DecomposeResult result, const ProgressCallback& progress);

}  // namespace sotto
