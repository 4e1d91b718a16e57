// For sgd_cp.cc and sgd_tucker.cc: what a pass needs of the settings and the model.
#pragma once

#include "sotto/complete/fit/sgd.h"
#include "sotto/complete/kernels/sgd_pass.h"

namespace sotto {

template <int O>
SgdStep<O> sgd_step(const SgdSettings& settings, const PenaltyWeights& penalty,
                    CompletionModel& model, double step) {
  SgdStep<O> result;
  result.mean = model.biases.mean;
  result.step2 = 2 * step;
  result.train_biases = settings.train_biases;
  const double pull = std::min(1.0, result.step2 * penalty.core * settings.core_lambda);
  result.core_keep = 1 - pull;
  result.core_pull = pull * settings.core_centre;
  for (std::size_t m = 0; m < O; ++m) {
    result.rows[m] = model.factors[m].data();
    result.biases[m] = model.biases.rows[m].data();
    result.weights[m] = penalty.rows[m].data();
    result.lambda[m] = settings.lambda[m];
    result.centre[m] = settings.centre[m];
    result.shrink[m] = settings.train_biases ? settings.bias_shrink[m] : 0;
    result.held[m] = model.holds(static_cast<Index>(m));
  }
  return result;
}

std::unique_ptr<Solver> make_cp_sgd(const ObservedEntries& entries, const SgdSettings& settings,
                                    CompletionModel& model);
std::unique_ptr<Solver> make_tucker_sgd(const ObservedEntries& entries, const SgdSettings& settings,
                                        CompletionModel& model);

}  // namespace sotto
