// Alternating least squares over the observed entries: each row of a mode is the exact minimiser of
//   sum_e (x_e - x^_e)^2 + lambda_m |a - centre_m|^2 + shrink_m bias^2
// with everything else fixed. The row is solved together with its bias. A Tucker core is solved in
// the same way, all at once. The penalties count once per row, as in Wei et al. 2022, objectives
// (6) and (7).
//
// `variational` (CP only) replaces the best row by a Gaussian posterior under the prior N(centre_m,
// noise / lambda_m), mean field between modes (Lim & Teh 2007, for any order). The second moment of
// a product of independent rows is the entrywise product of their second moments, so a row costs
// what it did. A row with few entries counts for as little as it is known. The variance of the
// noise is learnt. This keeps sparse ratings from being overfitted; no early stop is needed.
//
// The result is the same, to the last bit, for any number of threads: one thread solves a row.
// Cost of an epoch: entries * order * rank * S flops (CP; S is the padded rank) and
// dims * rank^3 / 3. Tucker adds entries * rank^(2 order) for the core. Variational keeps rank * S
// numbers per row.
#pragma once

#include <memory>
#include <vector>

#include "sotto/complete/fit/model.h"
#include "sotto/complete/fit/solver.h"

namespace sotto {

constexpr Index kMaxAlsCoreSize = 1024;  // numbers; a matrix of its square is factored

struct AlsSettings : PenaltySettings {  // a penalty of 0: kernels/row_system.h
  bool variational = false;             // needs penalties above 0
};

// `entries` and `model` must outlive the solver.
std::unique_ptr<Solver> make_als(const ObservedEntries& entries, const AlsSettings& settings,
                                 CompletionModel& model);

}  // namespace sotto
