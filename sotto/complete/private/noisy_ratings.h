// Private completion, unit: one rating; positions public. Every rating with noise of its own, and
// what that tells of a model with a low-rank part.
//
// Released: the sum of all values, with a small share of the budget, and y_e = x_e + noise of a
// known law for every entry e. The noise of n entries leaves the mean with an error like 1/sqrt(n),
// that of the sum with one like 1/n. The model is
//   x_e = mean + effects of its rows + sum_k a_uk f_ik + error,
// rows normal around zero. The variances of the effects, of every column of the factors and of the
// error are unknown, too. So effects and columns that do not stand out of the noise shrink to
// nothing. All of it is sampled in turn (Gibbs; Salakhutdinov & Mnih 2008). Laplace noise is normal
// noise whose variance is exponential, one for each entry, sampled with the rest (Park & Casella
// 2008): it is worth up to twice as much as normal noise of its variance. The mean over the samples
// of the product of the factors is cut to the wanted rank.
//
// The same for any number of threads. Cost: 300 sweeps, fewer above a million entries, of entries *
// rank^2 flops. Privacy: the two releases are sums of release/rating_sums.h; the rest is a function
// of them and of public numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "sotto/complete/fit/model.h"
#include "sotto/release/rating_sums.h"
#include "sotto/tensor/ratings.h"

namespace sotto {

// Whether to take this rather than sums, by public numbers: where a low-rank part of usual size
// stands out of the noise; and if the positions tell of tastes, which sums learn with less noise,
// only where there is little noise at all.
bool prefers_noisy_ratings(const RatingShape& shape, double epsilon);

// Shares of the budget. Fixed by public numbers.
struct NoisyRatingsPlan {
  double sum = 0, ratings = 0;
  std::int64_t values = 0;  // numbers released in total
};

NoisyRatingsPlan plan_noisy_ratings(const RatingShape& shape, double epsilon);

std::vector<PlannedRelease> planned_releases(const NoisyRatingsPlan& plan,
                                             const RatingPlan& settings, const RatingShape& shape);

struct NoisyRatings {
  std::vector<double> value;  // one a position
  double noise_scale = 0;     // of their Laplace noise
  double mean = 0;            // of the values before their noise, with noise of its own
  double mean_deviation = 0;  // of that noise
};

NoisyRatings release_noisy_ratings(const NoisyRatingsPlan& plan, RatingSums& sums);

// Does not look at the values in `positions`.
CompletionModel fit_noisy_ratings(const ObservedEntries& positions, const NoisyRatings& ratings,
                                  const ValueBounds& bounds, LowRank kind, Index rank);

}  // namespace sotto
