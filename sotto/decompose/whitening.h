// Components that are independent but not orthogonal, by whitening (Anandkumar et al. 2014).
//
// If T = sum w_i a_i^(x)p and M = sum c_i a_i a_i^T with all c_i > 0, then W = U S^(-1/2) from the
// top k eigenpairs of M makes the vectors sqrt(c_i) W^T a_i orthonormal, so T(W,..,W) is k x .. x k
// and orthogonally decomposable. With B = (W^T)^+ a component (lambda, v) of it maps back to the
// direction B v with weight lambda |B v|^p.
#pragma once

#include <cstdint>

#include "sotto/decompose/power.h"
#include "sotto/tensor/symmetric_tensor.h"

namespace sotto {

struct Whitening {
  Matrix whiten;    // W, d x k
  Matrix unwhiten;  // B = (W^T)^+, d x k
};

// From a positive semi-definite second moment. Refuses a moment with fewer than k eigenvalues that
// are positive beyond rounding, and names its numerical rank.
Whitening whitening_from_moment(const Matrix& moment, Index k);

// From the tensor alone (Wang & Anandkumar 2016, appendix B): the top-k subspace of T(I,I,theta)
// for a random theta. Within it theta is improved until the k x k matrix T(I,I,theta) is positive
// definite. Its least eigenvalue is concave in theta, with subgradient T(z,z,.) at the eigenvector
// z, and independent components always admit such a theta. Order 4 with positive weights needs no
// search, since T(I,I,theta,theta) is semi-definite.
Whitening whitening_from_tensor(const SymmetricTensor& tensor, Index k, std::uint64_t seed);

// Decomposes T(W,..,W) by the robust power method and maps the components back. Residuals are
// those of the whitened problem, in the scale of the weights.
Decomposition whitened_power_method(const SymmetricTensor& tensor, const Whitening& whitening,
                                    const PowerOptions& options,
                                    const ProgressCallback& progress = {});

}  // namespace sotto
