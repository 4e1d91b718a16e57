#include "sotto/moments/mixture_expectation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "sotto/base/error.h"
#include "sotto/linalg/counts.h"
#include "sotto/linalg/kernels/differences.h"
#include "sotto/moments/component_expectation.h"
#include "sotto/moments/record_questions.h"

namespace sotto {
namespace {

// |x - mu_i|^2: rows x k. Stored column by column, so that what follows is passes over long
// columns.
Matrix squared_distances(const double* points, Index rows, const RowMatrix& means, Index k) {
  RowMatrix squares(rows, means.cols());
  kernels::squared_differences(points, rows, means, squares.data());
  return squares.leftCols(k);
}

Matrix squared_distances(const RowMatrix& points, const GaussianMixture& mixture) {
  return squared_distances(points.data(), points.rows(), kernels::padded_centres(mixture.means),
                           mixture.components());
}

// |x|^2 - 2 mu_i.x + |mu_i|^2, of sparse points.
Matrix squared_distances(const PointBlock& points, const GaussianMixture& mixture) {
  Matrix squares = -2 * scores(points, mixture.means);
  squares.colwise() += squared_norms(points);
  squares.rowwise() += mixture.means.colwise().squaredNorm();
  return squares.cwiseMax(0.0);
}

struct Posterior {
  Matrix shares;    // rows x k: the responsibilities
  Vector log_sums;  // log of the sum of w_i exp(-|x - mu_i|^2 / 2 s^2)
};

// The least distance is subtracted before the division: at least one exponent stays finite, however
// small s is.
Posterior posterior(const Matrix& distances, const GaussianMixture& mixture) {
  const double precision = 0.5 / std::max(mixture.variance, std::numeric_limits<double>::min());
  const Vector nearest = distances.rowwise().minCoeff();
  Posterior found{Matrix(distances.rows(), distances.cols()), Vector()};
  for (Index i = 0; i < distances.cols(); ++i) {
    found.shares.col(i) = std::log(std::max(mixture.weights[i], 1e-300)) -
                          (distances.col(i) - nearest).array() * precision;
  }
  const Vector largest = found.shares.rowwise().maxCoeff();
  found.shares = (found.shares.colwise() - largest).array().exp();
  const Vector sums = found.shares.rowwise().sum();
  found.shares.array().colwise() /= sums.array();
  found.log_sums = largest.array() + sums.array().log() - nearest.array() * precision;
  return found;
}

// log of (2 pi s^2)^(d/2), which every component has in common.
double log_norming(const GaussianMixture& mixture) {
  return 0.5 * static_cast<double>(mixture.dim()) *
         std::log(2 * std::numbers::pi *
                  std::max(mixture.variance, std::numeric_limits<double>::min()));
}

void require_dim(Index dim, const GaussianMixture& mixture) {
  SOTTO_REQUIRE(dim == mixture.dim(), "points of dimension {} and means of dimension {}", dim,
                mixture.dim());
}

// Adds the sums of a piece: counts, offsets, scatter and logarithms, one after the other. `means`
// are those of the mixture, padded.
void add_piece(const double* points, Index rows, const RowMatrix& means,
               const GaussianMixture& mixture, const ContributionClip& clip, RowMatrix& sum) {
  const Matrix distances = squared_distances(points, rows, means, mixture.components());
  auto [r, log_sums] = posterior(distances, mixture);
  if (clip.norm != kNoBound) {
    const double square = clip.count_scale * clip.count_scale;
    const Vector norms = (r.array().square() * (distances.array() + square)).rowwise().sum().sqrt();
    r.array().colwise() *=
        norms.unaryExpr([&](double n) { return n > clip.norm ? clip.norm / n : 1.0; }).array();
  }
  const Index k = r.cols(), d = mixture.dim();
  sum.leftCols(k) += r.colwise().sum();
  RowMatrix weights = RowMatrix::Zero(rows, means.cols());
  weights.leftCols(k) = r;
  RowMatrix offsets = RowMatrix::Zero(d, means.cols());
  kernels::add_weighted_differences(points, rows, means, weights.data(), offsets.data());
  Eigen::Map<Matrix>(sum.data() + k, d, k) += offsets.leftCols(k);
  sum(0, k * (d + 1)) += r.cwiseProduct(distances).sum();
  sum(0, k * (d + 1) + 1) += log_sums.sum();
}

}  // namespace

RowMatrix responsibilities(const RowMatrix& points, const GaussianMixture& mixture) {
  require_dim(points.cols(), mixture);
  if (mixture.kind != CovarianceKind::common) return component_responsibilities(points, mixture);
  return posterior(squared_distances(points, mixture), mixture).shares;
}

Vector log_likelihoods(const RowMatrix& points, const GaussianMixture& mixture) {
  require_dim(points.cols(), mixture);
  if (mixture.kind != CovarianceKind::common) return component_log_likelihoods(points, mixture);
  const Posterior found = posterior(squared_distances(points, mixture), mixture);
  return found.log_sums.array() - log_norming(mixture);
}

RowMatrix responsibilities(const PointBlock& points, const GaussianMixture& mixture) {
  require_dim(points.dim(), mixture);
  if (is_wide(points.is_sparse, points.dim()) && mixture.kind != CovarianceKind::full) {
    if (mixture.kind != CovarianceKind::common) return component_responsibilities(points, mixture);
    return posterior(squared_distances(points, mixture), mixture).shares;
  }
  RowMatrix found(points.rows(), mixture.components());
  Index next = 0;
  for_dense_rows(points, [&](const RowMatrix& rows) {
    found.middleRows(next, rows.rows()) = responsibilities(rows, mixture);
    next += rows.rows();
  });
  return found;
}

Vector log_likelihoods(const PointBlock& points, const GaussianMixture& mixture) {
  require_dim(points.dim(), mixture);
  if (is_wide(points.is_sparse, points.dim()) && mixture.kind != CovarianceKind::full) {
    if (mixture.kind != CovarianceKind::common) return component_log_likelihoods(points, mixture);
    const Posterior found = posterior(squared_distances(points, mixture), mixture);
    return found.log_sums.array() - log_norming(mixture);
  }
  Vector found(points.rows());
  Index next = 0;
  for_dense_rows(points, [&](const RowMatrix& rows) {
    found.segment(next, rows.rows()) = log_likelihoods(rows, mixture);
    next += rows.rows();
  });
  return found;
}

void ExpectationSum::of_rows(const RowMatrix& rows, RowMatrix& part) const {
  part.setZero(1, cols());
  const RowMatrix means = kernels::padded_centres(mixture_.means);
  for_pieces(0, rows.rows(), [&](Index first, Index last) {
    add_piece(rows.data() + first * rows.cols(), last - first, means, mixture_, clip_, part);
  });
}

void ExpectationSum::of_wide(const PointBlock& block, RowMatrix& part) const {
  const Index k = mixture_.components(), d = mixture_.dim();
  const Matrix distances = squared_distances(block, mixture_);
  const auto [r, log_sums] = posterior(distances, mixture_);
  part.resize(1, cols());
  part.leftCols(k) = r.colwise().sum();
  RowMatrix sum = RowMatrix::Zero(d, k);
  add_transposed_product(block, r, sum);
  Eigen::Map<Matrix>(part.data() + k, d, k) =
      sum - RowMatrix(mixture_.means * part.leftCols(k).asDiagonal());
  part(0, k * (d + 1)) = r.cwiseProduct(distances).sum();
  part(0, k * (d + 1) + 1) = log_sums.sum();
}

MixtureSums expected_sums(PointSource& source, const GaussianMixture& mixture, double radius,
                          const ContributionClip& clip) {
  const Index d = mixture.dim(), k = mixture.components();
  require_dim(source.dim(), mixture);
  const RecordTotal found = sum_from_beginning(source, ExpectationSum(mixture, radius, clip));
  const double* numbers = found.sum.data();
  MixtureSums total{found.records, found.sum.leftCols(k).transpose(),
                    Eigen::Map<const Matrix>(numbers + k, d, k), numbers[k * (d + 1)]};
  total.log_likelihood =
      numbers[k * (d + 1) + 1] - static_cast<double>(total.records) * log_norming(mixture);
  return total;
}

void ExpectationSum::write(ByteWriter& bytes) const {
  write_kind(SumKind::expectation, bytes);
  for (const double number : {radius_, clip_.count_scale, clip_.norm, mixture_.variance}) {
    bytes.real(number);
  }
  write_matrix(mixture_.means, bytes);
  write_matrix(mixture_.weights, bytes);
}

std::unique_ptr<RecordSum> ExpectationSum::read(ByteReader& bytes) {
  const double radius = bytes.real(), scale = bytes.real(), norm = bytes.real();
  GaussianMixture mixture;
  mixture.variance = bytes.real();
  mixture.means = read_matrix(bytes);
  mixture.weights = read_vector(bytes);
  return std::make_unique<ExpectationSum>(std::move(mixture), radius,
                                          ContributionClip{scale, norm});
}

}  // namespace sotto
