// Private completion, unit: one rating; positions public. Noisy gradient steps on all biases and
// factors at once (release/rating_gradients.h), for comparison with sums.h and als.h.
//
//   x = middle + mean + biases + sum_r a_r b_r + error, contexts without factors.
// A step takes each parameter p, touched by n entries of curvature h, from the noisy sum g over a
// sample of rate q to
//   p + step (g / q - penalty p) / (n h + penalty),
// where the penalty is s/t + step v / (2 q^2 n h t) for a prior variance t, an error variance s and
// noise of variance v. It is that of a normal posterior which also counts the noise that the steps
// leave behind. So parameters that few ratings touch stay near zero. The result is the mean of the
// second half of the steps.
//
// Cost: steps * (rate * entries + parameters). Privacy: release/rating_gradients.md.
#pragma once

#include "sotto/complete/fit/model.h"
#include "sotto/release/rating_gradients.h"
#include "sotto/tensor/ratings.h"

namespace sotto {

// Rate, steps, clip and noise, chosen from public numbers.
GradientPlan plan_private_sgd(const RatingShape& shape, const PrivacyTarget& target,
                              const ValueBounds& bounds, Index rank);

// Does not look at the values in `positions`. CP only.
CompletionModel fit_private_sgd(const ObservedEntries& positions, const GradientPlan& plan,
                                Index rank, std::uint64_t seed, RatingGradients& gradients);

}  // namespace sotto
