// Private completion, unit: one rating; positions public. A linear model of noisy sums.
//
// Released, once: the sum of all values, of those of every row of every mode, and for every user
// the sums of values times the leading features of the items (position_features), all of them
// weighted by how many ratings the user has (sums_design); and the sum of squares. All are linear
// in the values or their squares with public coefficients (release/rating_sums.h). The model
//   x = mean + user + item + context + f_i . w + w' f_u + sum_k a_uk f_ik + error
// with independent normal priors is then known through Q^T x + noise, and its posterior mean
//   theta = D Z^T Q (Q^T (Z D Z^T + s I) Q + V)^-1 (Q^T x + noise)
// follows by conjugate gradients (sums_posterior). The design Z, the queries Q and the variances V
// of the noise are public, so a sum with little noise counts in full and any other as little as it
// is worth. The prior variances D and s are public shares of the variance of a rating, which is one
// of the releases; the sums show how large the effects of a block are, and D follows.
//
// Cost: about 250 steps of entries * (order + 4 tastes) flops.
// Privacy: everything after the releases is a function of them. release/rating_sums.md.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sotto/complete/fit/model.h"
#include "sotto/release/rating_sums.h"
#include "sotto/tensor/ratings.h"

namespace sotto {

// Shares of the budget, and how the weight of a rating is divided. Fixed by public numbers.
struct PrivateSumsPlan {
  double squares = 0, sums = 0;  // of the budget
  double most_for_mean = 0;      // of the weight of a rating
  double least_for_levels = 0, most_for_levels = 0;
  // The errors, in widths of the range, that the noise may leave in the mean and in a user's level.
  double mean_error = 0, level_error = 0;
  double items = 0, each_context = 0, tastes = 0;  // of what mean and level leave; sum to 1
  std::vector<bool> asks;                          // the modes whose rows have sums
  Index taste_count = 0;
  bool positions_tell = true;  // of tastes; if not, none are asked for
  std::int64_t values = 0;     // numbers released in total

  std::vector<double> shares() const;  // of all releases that are made
  // What the sums of each kind get of the budget where levels take half of what they may. By these
  // the kind of noise is chosen.
  std::vector<double> parts() const;
};

// The plan depends on epsilon and on the number of ratings per user. The smaller the noise, the
// larger the part of the tastes. Where positions do not tell, there are no tastes, and the mean
// gets more: nearly everything where less is expected from effects than the noise of the mean
// costs.
PrivateSumsPlan plan_private_sums(const RatingShape& shape, double epsilon, Index rank);

// What this method releases under the settings of the run.
std::vector<PlannedRelease> planned_releases(const PrivateSumsPlan& plan,
                                             const RatingPlan& settings, const RatingShape& shape);

// The error to expect, in standard deviations of a rating, by public numbers.
Forecast error_forecast(const PrivateSumsPlan& plan, const RatingPlan& settings,
                        const RatingShape& shape);

// Where positions say nothing about tastes (a grid of ratings without gaps), no row that an entry
// uses has coefficients. Plain sums are then asked for instead, so the list of releases stays the
// same.
void ask_for_something(Matrix& table, std::span<const std::int32_t> used);

struct PrivateSumsFit {
  CompletionModel model;
  double rating_variance = 0;  // as released, within public bounds
};

// Releases what the plan lists and learns the model: CP, or Tucker with a fixed core. Does not look
// at the values in `positions`.
PrivateSumsFit fit_private_sums(const ObservedEntries& positions, const PrivateSumsPlan& plan,
                                LowRank kind, Index rank, RatingSums& sums);

}  // namespace sotto
