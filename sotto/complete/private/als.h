// Private completion, unit: one rating; positions public. Alternating least squares on noisy
// right-hand sides, for ratings whose positions say nothing about tastes.
//
// It starts from the noisy sums (sums.h): biases, and tastes for features of the positions. Then
// items and users take turns. With the factors f of the other side fixed, row r has
//   y_r = sum_e q_e (x_e - predicted_e) + noise,  q_e = f_e over its norm.
// The matrices P_r = sum q f^T and Q_r = sum q q^T contain no values and are public. From its
// present factors the row moves by  t P^T (t P P^T + s Q + V I)^-1 y,  the posterior mean under
// normal priors, where V is the variance of the noise. The prior variance t is estimated from all y
// by the method of moments, so sums that are no more than noise move nothing. Only y_r is released,
// by one query of release/rating_sums.h per half sweep. The coefficients are functions of earlier
// releases; the shares and the number of sweeps are fixed in advance.
//
// Cost: 2 sweeps of entries * rank^2. Privacy: release/rating_sums.md, adaptive composition.
#pragma once

#include <vector>

#include "sotto/complete/private/sums.h"

namespace sotto {

struct PrivateAlsPlan {
  PrivateSumsPlan start;
  int half_sweeps = 0;
  double half_sweep = 0;  // share of the budget of each
  std::int64_t values = 0;

  std::vector<double> shares() const;
  std::vector<double> parts() const;  // as in PrivateSumsPlan
};

PrivateAlsPlan plan_private_als(const RatingShape& shape, double epsilon, Index rank);

// What this method releases under the settings of the run.
std::vector<PlannedRelease> planned_releases(const PrivateAlsPlan& plan, const RatingPlan& settings,
                                             const RatingShape& shape);

// Does not look at the values in `positions`.
CompletionModel fit_private_als(const ObservedEntries& positions, const PrivateAlsPlan& plan,
                                LowRank kind, Index rank, RatingSums& sums);

}  // namespace sotto
