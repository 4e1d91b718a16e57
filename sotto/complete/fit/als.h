// Alternating least squares over the observed entries: each row of a mode is the exact minimiser of
//   sum_e (x_e - x^_e)^2 + lambda_m |a - centre_m|^2 + shrink_m bias^2
// with everything else fixed, found together with the bias of the row; a Tucker core likewise, all
// of it at once. The penalties are met once a row, as in Wei et al. 2022, objectives (6) and (7).
//
// `variational` (CP only) replaces the best row by a Gaussian posterior under the prior
// N(centre_m, noise / lambda_m), mean field between modes (Lim & Teh 2007, for any order): the
// second moment of a product of independent rows is the entrywise product of their second moments,
// so a row costs what it did, and rows with few entries count for as little as they are known. The
// variance of the noise is learnt. This keeps sparse ratings from being fitted too closely; no
// early stop is needed.
//
// The same result, to the last bit, for any number of threads: a row is solved by one of them.
// Cost of an epoch: entries * order * rank * S flops (CP; S the padded rank) and dims * rank^3 / 3;
// Tucker adds entries * rank^(2 order) for the core. Variational: rank * S numbers a row to keep.
#pragma once

#include <memory>
#include <vector>

#include "sotto/complete/fit/model.h"
#include "sotto/complete/fit/solver.h"

namespace sotto {

constexpr Index kMaxAlsCoreSize = 1024;  // numbers, whose square is a matrix to factor

struct AlsSettings {
  std::vector<double> lambda;  // one a mode; 0: none (kernels/row_system.h), not for `variational`
  std::vector<double> centre;  // one a mode
  double core_lambda = 1e-4;   // 0: none
  double core_centre = 0;      // on the superdiagonal
  bool train_biases = false;
  std::vector<double> bias_shrink;  // one a mode
  bool variational = false;
};

// `entries` and `model` must outlive the solver.
std::unique_ptr<Solver> make_als(const ObservedEntries& entries, const AlsSettings& settings,
                                 CompletionModel& model);

}  // namespace sotto
