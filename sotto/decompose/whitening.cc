#include "sotto/decompose/whitening.h"

#include <cmath>

#include "sotto/base/error.h"
#include "sotto/decompose/block.h"
#include "sotto/linalg/spectral.h"
#include "sotto/tensor/contraction.h"

namespace sotto {
namespace {

// Eigenvalues below this share of the largest are rounding errors.
constexpr double kWhiteningTolerance = 1e-12;

Whitening from_eigenpairs(const Eigenpairs& pairs) {
  const Vector root = pairs.values.cwiseSqrt();
  return {pairs.vectors * root.cwiseInverse().asDiagonal(), pairs.vectors * root.asDiagonal()};
}

Index count_positive(const Vector& values) {
  return (values.array() > kWhiteningTolerance * values.cwiseAbs().maxCoeff()).count();
}

// Raises the least eigenvalue of T(I,I,theta) by subgradient steps until T(I,I,theta) is safely
// positive definite; returns that matrix. Steps shrink as 1/sqrt(t); the best theta is kept.
Matrix positive_contraction(const SymmetricTensor& tensor, Vector theta) {
  constexpr int kSteps = 2000;
  constexpr double kEnough = 0.05;  // least over largest eigenvalue
  const Index k = tensor.dim();
  Matrix best;
  double best_share = -1;
  for (int t = 1; t <= kSteps; ++t) {
    const Matrix m = contract_to_matrix(tensor, theta);
    const Eigenpairs pairs = leading_eigenpairs(m, k);
    Index least = 0;
    const double share = pairs.values.minCoeff(&least) / pairs.values.cwiseAbs().maxCoeff();
    if (share > best_share) {
      best_share = share;
      best = m;
    }
    if (best_share > kEnough || tensor.order() == 4) break;
    const Vector slope = contract(tensor, pairs.vectors.col(least));
    theta += slope / slope.norm() / std::sqrt(static_cast<double>(t));
    theta.normalize();
  }
  return best;
}

}  // namespace

Whitening whitening_from_moment(const Matrix& moment, Index k) {
  const Eigenpairs pairs = leading_eigenpairs(0.5 * (moment + moment.transpose()), moment.rows());
  const Index rank = count_positive(pairs.values);
  SOTTO_REQUIRE(rank >= k,
                "cannot whiten {} components: the second moment has numerical rank {} (positive "
                "eigenvalues above {} of the largest)",
                k, rank, kWhiteningTolerance);
  // Order by value, not by absolute value: negative eigenvalues are noise here.
  Eigenpairs top{Vector(k), Matrix(moment.rows(), k)};
  for (Index from = 0, to = 0; to < k; ++from) {
    if (pairs.values[from] <= 0) continue;
    top.values[to] = pairs.values[from];
    top.vectors.col(to++) = pairs.vectors.col(from);
  }
  return from_eigenpairs(top);
}

Whitening whitening_from_tensor(const SymmetricTensor& tensor, Index k, std::uint64_t seed) {
  SOTTO_REQUIRE_AT(1 <= k && k <= tensor.dim(), "`components`",
                   "must be between 1 and the dimension {}, got {}", tensor.dim(), k);
  SeededRandom random(seed, 1);
  const Vector theta = random_unit_block(tensor.dim(), 1, random);
  const Eigenpairs subspace = leading_eigenpairs(contract_to_matrix(tensor, theta), k);
  const Index rank = (subspace.values.cwiseAbs().array() >
                      kWhiteningTolerance * subspace.values.cwiseAbs().maxCoeff())
                         .count();
  SOTTO_REQUIRE(rank == k, "cannot whiten {} components: T(I,I,theta) has numerical rank {}", k,
                rank);
  const SymmetricTensor core = transform(tensor, subspace.vectors);
  const Matrix moment =
      positive_contraction(core, (subspace.vectors.transpose() * theta).normalized());
  const Eigenpairs pairs = leading_eigenpairs(moment, k);
  SOTTO_REQUIRE(pairs.values.minCoeff() > kWhiteningTolerance * pairs.values.cwiseAbs().maxCoeff(),
                "no direction makes T(I,I,theta) positive definite on {} components; give a second "
                "moment, or ask for fewer components",
                k);
  const Whitening inner = from_eigenpairs(pairs);
  return {subspace.vectors * inner.whiten, subspace.vectors * inner.unwhiten};
}

Decomposition whitened_power_method(const SymmetricTensor& tensor, const Whitening& whitening,
                                    const PowerOptions& options, const ProgressCallback& progress) {
  const SymmetricTensor core = transform(tensor, whitening.whiten);
  TensorOracle oracle(core);
  Decomposition result = robust_power_method(oracle, options, progress);
  Matrix vectors = whitening.unwhiten * result.factors[0];
  for (Index j = 0; j < vectors.cols(); ++j) {
    const double length = vectors.col(j).norm();
    vectors.col(j) /= length;
    const double scale = std::pow(length, tensor.order());
    result.weights[j] *= scale;
    if (result.residuals.size() > 0) result.residuals[j] *= scale;
  }
  result.factors[0] = std::move(vectors);
  result.sort_by_weight();
  return result;
}

}  // namespace sotto
