// Private completion, unit: one rating; positions public. Every rating with noise of its own, and
// what that tells of a model with a low-rank part.
//
// Released: y_e = x_e + noise of a known law for every entry e. The model is
//   x_e = mean + effects of its rows + sum_k a_uk f_ik + error,
// rows normal around zero. The variances of the effects, of every column of the factors and of the
// error are unknown, too. So effects and columns that do not stand out of the noise shrink to
// nothing. All of it is sampled in turn (Gibbs; Salakhutdinov & Mnih 2008). Laplace noise is normal
// noise whose variance is exponential, one for each entry, sampled with the rest (Park & Casella
// 2008): it is worth up to twice as much as normal noise of its variance. The mean over the samples
// of the product of the factors is cut to the wanted rank.
//
// The same for any number of threads. Cost: 300 sweeps, fewer above a million entries, of entries *
// rank^2 flops. Privacy: the release is release_values of release/rating_sums.h; the rest is a
// function of it and of public numbers.
#pragma once

#include <span>

#include "sotto/complete/fit/model.h"
#include "sotto/release/rating_sums.h"
#include "sotto/tensor/ratings.h"

namespace sotto {

// Whether to take this rather than sums, by public numbers: where a low-rank part of usual size
// stands out of the noise; and if the positions tell of tastes, which sums learn with less noise,
// only where there is little noise at all.
bool prefers_noisy_ratings(const RatingShape& shape, double epsilon);

// `values`: as released by release_values, one a position. Does not look at the values in
// `positions`.
CompletionModel fit_noisy_ratings(const ObservedEntries& positions, std::span<const double> values,
                                  const RatingPlan& settings, LowRank kind, Index rank);

}  // namespace sotto
