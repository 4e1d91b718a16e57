// The topic model nearest to noisy moments. The topics must explain all of M2 and M3 at once and be
// distributions, which removes much of the noise.
//
// With p the shares of the topics, f2 = 1/(a0+1) and f3 = 2/((a0+1)(a0+2)) (topic_moments.h), it
// minimises over distributions mu_i and p
//   |M2 - f2 sum_i p_i mu_i mu_i^T|^2 / s2^2 + |M3(Q,Q,Q) - f3 sum_i p_i (Q^T mu_i)^(x)3|^2 / s3^2,
// where s2 and s3 are the deviations of isometric noise. This is the likelihood of released moments
// when the noise outweighs the sampling error of the documents. Q may have more columns than there
// are topics. The solver is accelerated projected gradients (Beck & Teboulle 2009) with
// backtracking, started from the spectral solution and restarted where the value would rise
// (O'Donoghue & Candes 2015).
// Cost: O(V^2 k + r^3 k) a step, r the columns of Q.
// Privacy: post-processing of what was released.
#pragma once

#include "sotto/models/topic_model.h"

namespace sotto {

struct NoisyTopicMoments {
  double alpha0;          // 0: single topic
  Matrix second;          // M2, V x V
  double second_noise;    // s2, up to a factor shared with s3
  Matrix basis;           // Q, V x r, orthonormal columns
  SymmetricTensor third;  // M3(Q,Q,Q)
  double third_noise;     // s3
};

// The columns of `start` must be distributions. The sum of alpha does not change.
TopicModel fit_moments(const NoisyTopicMoments& moments, const TopicModel& start, int steps);

}  // namespace sotto
