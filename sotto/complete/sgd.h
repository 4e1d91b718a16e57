// Stochastic gradient descent over the observed entries (Wei et al. 2022, objectives (6) and (7)).
//
// For each entry, in the order of a fresh permutation each epoch, with e = x - x^:
//   a^m   <- a^m + 2 step (e dx^/da^m - lambda_m (a^m - centre_m))      every mode m
//   G     <- G + 2 step (e dx^/dG - lambda_g G)                         Tucker
//   bias  <- bias + 2 step (e - lambda_b bias)                          where biases are trained
// The penalties are met once an entry, so that a row with n entries is penalised n lambda_m. The
// paper's objective is that with centre 0.
//
// Entries are cut into blocks (blocks.h); the blocks of a stratum run in parallel. They share no
// row. The core of a Tucker model they do share: each block moves its own copy, and the stratum
// ends with the mean of the copies, weighted by their entries (one block: the algorithm as
// published). The result is the same, to the last bit, for any number of threads.
// Cost: 5 O S flops an entry (CP), 6 rank^(O-1) S (Tucker); 16 bytes an entry of order 3.
#pragma once

#include <memory>
#include <vector>

#include "sotto/complete/model.h"
#include "sotto/complete/solver.h"

namespace sotto {

struct SgdSettings {
  double step = 0.005;
  double decay = 1;            // the step is multiplied by it after every epoch
  std::vector<double> lambda;  // one a mode
  std::vector<double> centre;  // one a mode
  double core_lambda = 0;
  bool train_biases = false;
  double bias_lambda = 0;
  std::uint64_t seed = 0;
};

// `entries` are not kept; `model` must outlive the solver.
std::unique_ptr<Solver> make_sgd(const ObservedEntries& entries, const SgdSettings& settings,
                                 CompletionModel& model);

}  // namespace sotto
