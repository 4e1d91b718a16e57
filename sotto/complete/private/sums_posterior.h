// What noisy sums of ratings tell about the unknowns of their linear model (sums_design.h).
//
// First, how large the unknowns are. Each block has a prior variance. Where people chose what they
// rate, rows have effects and tastes. The sums of a block show its variance by the method of
// moments, with an error that is known from public numbers; where they show less than the prior
// says, the prior is lowered as far as the error permits. Where places are random, nothing is
// expected: most likely a mode has no effects, and otherwise their variance may be any. The
// likelihood of its sums, with the law of the noise, says how likely each variance is; effects are
// shrunk as in the mean over all of them, and there are no slopes. So what does not stand out of
// noise hardly moves the prediction from the mean, and weak effects count for what they are worth.
// Then the posterior mean of all unknowns, by conjugate gradients.
#pragma once

#include "sotto/complete/private/sums_design.h"

namespace sotto::private_sums {

// Noise of one variance in every sum.
struct NoisySums {
  Answers sums;
  double variance = 0;
  RatingNoise noise = RatingNoise::laplace;
};

// The priors after the evidence. `rating`: the variance of a rating.
Priors lowered_by_evidence(Priors priors, const Design& design, const NoisySums& found,
                           double rating);

// The posterior mean. Laplace noise is worth less than its variance to a weak signal; a second
// round takes that into account.
Unknowns posterior_mean(const Design& design, const Priors& priors, const NoisySums& found,
                        double rating);

}  // namespace sotto::private_sums
