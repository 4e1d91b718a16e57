// What noisy sums of ratings tell about the unknowns of their linear model (sums_design.h).
//
// First, how large the unknowns are. Each block has a prior variance. The sums of the block show
// its square by the method of moments, with an error that is known from public numbers. Where they
// show less than the prior says, the prior is lowered. Where people chose what they rate, rows have
// effects and tastes, and the prior is lowered as far as the error permits. Where places are
// random, a block counts only if its effects stand out of noise; where none does, the result is the
// mean. Then the posterior mean of all unknowns, by conjugate gradients.
#pragma once

#include "sotto/complete/private/sums_design.h"

namespace sotto::private_sums {

// Noise of one variance in every sum.
struct NoisySums {
  Answers sums;
  double variance = 0;
  RatingNoise noise = RatingNoise::laplace;
};

// The priors after the evidence, none above what it was. `rating`: the variance of a rating.
Priors lowered_by_evidence(Priors priors, const Design& design, const NoisySums& found,
                           double rating);

// The posterior mean. Laplace noise is worth less than its variance to a weak signal; a second
// round takes that into account.
Unknowns posterior_mean(const Design& design, const Priors& priors, const NoisySums& found,
                        double rating);

}  // namespace sotto::private_sums
