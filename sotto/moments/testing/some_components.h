// For tests: a mixture of each kind of covariance.
#pragma once

#include "sotto/linalg/testing/random_matrix.h"
#include "sotto/moments/gaussian_mixture.h"

namespace sotto {

inline GaussianMixture some_components(CovarianceKind kind, Index d, Index k) {
  GaussianMixture mixture{random_matrix(d, k, 1), Vector::LinSpaced(k, 1, 2), 0.7, kind};
  mixture.weights /= mixture.weights.sum();
  if (kind == CovarianceKind::common) return mixture;
  mixture.covariances = random_matrix(covariance_size(kind, d), k, 2).array().square() + 0.3;
  if (kind != CovarianceKind::full) return mixture;
  for (Index i = 0; i < k; ++i) {
    const Matrix root = random_matrix(d, d, 3 + static_cast<std::uint64_t>(i));
    mixture.covariances.col(i) =
        (root * root.transpose() + 0.3 * Matrix::Identity(d, d)).reshaped();
  }
  return mixture;
}

}  // namespace sotto
