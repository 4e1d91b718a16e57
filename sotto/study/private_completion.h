// Completion as published by Wei et al. 2022 and completion by this library, on entries with a test
// set: the comparison of their Figures 2 to 4.
//
// The paper reads the range of the values off the data. Here it is the range of the training
// entries, for the published methods and for those of this library alike: the data is public. The
// noise comes from a seed, so that every figure can be reproduced.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sotto/complete/private/published.h"
#include "sotto/tensor/observed.h"

namespace sotto {

struct CompletionProblem {
  ObservedEntries train, test;
  PublishedSettings settings;  // except clip and seed
  bool scaled = false;         // slices brought to mean 0 and variance 1 first (bi_scaling.h)
};

// RMSE on the test entries; NaN when the gradients grew without bound. `clip` is m of gradient
// perturbation and L of output perturbation.
struct PublishedRun {
  Perturbation perturbed = Perturbation::input;
  double epsilon = 1;
  double clip = 1;
};
double published_completion_error(const CompletionProblem& problem, const PublishedRun& run,
                                  std::uint64_t seed);

// The same gradients without noise (output perturbation whose noise is below 1e-5 of the values).
double exact_completion_error(const CompletionProblem& problem, std::uint64_t seed);

// What `sotto complete` takes by itself, pure epsilon.
double strict_completion_error(const CompletionProblem& problem, double epsilon,
                               std::uint64_t seed);

// The mean of the training entries everywhere.
double mean_completion_error(const CompletionProblem& problem);

// That mean with Laplace noise which costs all of epsilon.
double private_mean_completion_error(const CompletionProblem& problem, double epsilon,
                                     std::uint64_t seed);

// What Figures 2 to 4 measure in one trial at one epsilon: names, and the errors in their order.
// "small" and "large" are clipping constants of 0.01 and 1.
const std::vector<std::string>& completion_measures();
std::vector<double> completion_errors(const CompletionProblem& problem, double epsilon,
                                      std::uint64_t seed);

}  // namespace sotto
