// Private completion, unit: one rating; positions public. A linear model of noisy sums.
//
// Released, once each: the sum of the values of every row of every mode, the sum of their squares,
// and for every user the sums of values times the leading features of the items (position_features,
// scaled so that every rating spends its whole share). All are linear in the values with public
// coefficients (release/rating_sums.h). The model
//   x = mean + user + item + context + f_i . w + w' f_u + sum_k a_uk f_ik + error
// with independent normal priors is then known through Q^T x + noise, and its posterior mean
//   theta = D Z^T Q (Q^T (Z D Z^T + s I) Q + V)^-1 (Q^T x + noise)
// follows by conjugate gradients. The design Z, the queries Q and the variances V of the noise are
// public, so a sum with little noise counts in full and any other as little as it is worth. Laplace
// noise is worth less than its variance to a weak signal; a second round takes that into account.
// The prior variances D and s are public shares of the variance of a rating, which is one of the
// releases.
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

// Shares of the budget, and how many features users have tastes for. Fixed by public numbers.
struct PrivateSumsPlan {
  std::vector<double> modes;  // one a mode; 0 for a mode of one row
  double squares = 0;
  double tastes = 0;
  Index taste_count = 0;
  std::int64_t values = 0;    // numbers released in total
  double slope_variance = 0;  // prior of w and w', in variances of a rating

  std::vector<double> shares() const;  // of all releases that are made
};

// The plan depends on epsilon and on the number of ratings per user. The smaller the noise, the
// larger the share of the tastes and the prior variance of the slopes.
PrivateSumsPlan plan_private_sums(const RatingShape& shape, double epsilon, Index rank);

// What this method releases under the settings of the run.
std::vector<PlannedRelease> planned_releases(const PrivateSumsPlan& plan,
                                             const RatingPlan& settings, const RatingShape& shape);

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
