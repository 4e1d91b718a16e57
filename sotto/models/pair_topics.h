// Topics from the pair moment alone: the non-negative factor B of a symmetric matrix, M ~ B B^T.
//
// (a0 + 1) E2 - a0 E1 E1^T = sum_i p_i mu_i mu_i^T with p_i = alpha_i / a0. So with b_i = sqrt(p_i)
// mu_i the topics are the non-negative factors of a matrix that is known up to noise, and |b_i|_1^2
// = p_i. Non-negative factors are unique up to order where topics have words of their own. Where
// topics are dense and alike, only the third moment tells them apart. On noisy moments this method
// recovers more than whitening does: it needs no third moment, whose noise is amplified by the
// inverse square roots of small eigenvalues, and it knows that topics have no negative words.
// Cost: O(V^2 k) per sweep, one matrix product.
// Privacy: post-processing of released moments.
#pragma once

#include <cstdint>

#include "sotto/linalg/matrix.h"

namespace sotto {

struct PairOptions {
  int starts = 4;   // random starts; the best is polished
  int sweeps = 30;  // for each start
  int polish = 70;  // more sweeps for the best
  std::uint64_t seed = 0;
};

// min |M - B B^T|_F over B >= 0, by damped sweeps over the columns:
//   b_i <- ( b_i + max(0, (M - sum_{j != i} b_j b_j^T) b_i / |b_i|^2) ) / 2.
Matrix nonnegative_factor(const Matrix& m, Index k, const PairOptions& options = {});

// The same step without damping and without max(0, .): a linear, hence unbiased, estimate of each
// column given the others.
Matrix linear_step(const Matrix& m, const Matrix& factor);

}  // namespace sotto
