// The leading eigenpairs of a symmetric operator that is known only through its products.
//
// Block Krylov with Rayleigh-Ritz (Musco & Musco 2015), restarted with the best Ritz vectors until
// the residuals are small: a few products with a block a little wider than k, whatever the
// spectrum. Small operators are written out and solved densely.
// Cost: (steps + 1) products with V x (k + extra) blocks a round, and O(V ((steps+1)(k+extra))^2).
#pragma once

#include <cstdint>
#include <functional>

#include "sotto/linalg/spectral.h"

namespace sotto {

using BlockOperator = std::function<RowMatrix(const RowMatrix&)>;

struct KrylovOptions {
  Index extra = 8;          // columns of the block beyond k
  int steps = 4;            // products before a restart
  int rounds = 30;          // restarts at most
  double tolerance = 1e-8;  // residual |A v - theta v| against the largest |theta|
  std::uint64_t seed = 0;
};

// The k algebraically largest eigenpairs, largest first. After `rounds` rounds the best ones so far
// are returned: a spectrum without a gap has no k-th eigenvector to converge to, and any vector of
// its eigenspace serves.
Eigenpairs largest_eigenpairs(const BlockOperator& apply, Index dim, Index k,
                              const KrylovOptions& options = {});

}  // namespace sotto
