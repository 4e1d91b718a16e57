// Private completion, unit: one rating; positions public. Alternating least squares on noisy
// right-hand sides, for ratings whose positions say nothing of tastes.
//
// The start is that of private_model: biases, and tastes for features of the positions. Then items
// and users take turns: with the factors f of the other side held, the row r solves
//   y_r = sum_e q_e (x_e - biases_e) + noise,  q_e = f_e over its norm,
// whose matrices P_r = sum q f^T and Q_r = sum q q^T carry no values and are public. Under normal
// priors the row is  t P^T (t P P^T + s Q + V I)^-1 y,  V the variance of the noise: where noise
// drowns a row it stays at zero. Only y_r is released, one query of release/rating_sums.h a half
// sweep; coefficients are functions of earlier releases, shares and the number of sweeps are fixed
// in advance.
//
// Cost: 2 sweeps of entries * rank^2. Privacy: release/rating_sums.md, adaptive composition.
#pragma once

#include <vector>

#include "sotto/complete/private_model.h"

namespace sotto {

struct PrivateAlsPlan {
  PrivateModelPlan start;
  int half_sweeps = 0;
  double half_sweep = 0;  // share of the budget of each
  std::int64_t values = 0;

  std::vector<double> shares() const;
};

PrivateAlsPlan plan_private_als(const ObservedEntries& positions, double epsilon, Index rank);

// The values in `positions` are not looked at.
CompletionModel fit_private_als(const ObservedEntries& positions, const PrivateAlsPlan& plan,
                                LowRank kind, Index rank, RatingSums& sums);

}  // namespace sotto
