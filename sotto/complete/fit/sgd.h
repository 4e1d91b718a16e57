// Stochastic gradient descent over the observed entries (Wei et al. 2022, objectives (6) and (7)).
//
// For each entry, in the order of a fresh permutation each epoch, with e = x - x^:
//   a^m   <- a^m + 2 step (e dx^/da^m - w lambda_m (a^m - centre_m))    every mode m
//   bias  <- bias + 2 step (e - w shrink_m bias)                        where biases are trained
//   G     <- G + 2 step (e dx^/dG - w lambda_g (G - centre_g))          Tucker
// where w is one over the number of entries of the row (of all entries for the core), so that an
// epoch applies the penalties of the objectives once. With w = 1 instead, this is the usual reading
// of the paper's updates. The objectives of the paper have centres 0.
//
// Entries are cut into blocks (kernels/blocks.h). The blocks of a stratum share no row and run in
// parallel. They do share the core of a Tucker model: each block moves its own copy, and the
// stratum ends with the mean of the copies, weighted by their entries (with one block: the
// algorithm as published). The result is the same, to the last bit, for any number of threads.
// Cost: 5 O S flops per entry (CP), 6 rank^(O-1) S (Tucker); 16 bytes per entry of order 3.
#pragma once

#include <memory>
#include <vector>

#include "sotto/complete/fit/model.h"
#include "sotto/complete/fit/penalty_weights.h"
#include "sotto/complete/fit/solver.h"

namespace sotto {

struct SgdSettings : PenaltySettings {
  double step = 0.005;
  double decay = 1;  // the step is multiplied by it after every epoch
  Penalised penalised = Penalised::once_a_row;
  std::uint64_t seed = 0;
};

// `entries` are not kept; `model` must outlive the solver.
std::unique_ptr<Solver> make_sgd(const ObservedEntries& entries, const SgdSettings& settings,
                                 CompletionModel& model);

}  // namespace sotto
