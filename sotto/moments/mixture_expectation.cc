#include "sotto/moments/mixture_expectation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/linalg/counts.h"

namespace sotto {
namespace {

// |x - mu_i|^2: rows x k.
RowMatrix squared_distances(const RowMatrix& points, const GaussianMixture& mixture) {
  RowMatrix distances(points.rows(), mixture.components());
  for (Index i = 0; i < distances.cols(); ++i) {
    distances.col(i) =
        (points.rowwise() - mixture.means.col(i).transpose()).rowwise().squaredNorm();
  }
  return distances;
}

// Turns squared distances into responsibilities; returns for each row the log of the sum of
// w_i exp(-|x - mu_i|^2 / 2 s^2). Distances are compared before they are divided: one exponent at
// least stays finite, however small s is.
Vector normalise(const GaussianMixture& mixture, RowMatrix& rows) {
  const double precision = 0.5 / std::max(mixture.variance, std::numeric_limits<double>::min());
  const Eigen::ArrayXd logs = mixture.weights.array().max(1e-300).log();
  Vector log_sums(rows.rows());
  for (Index n = 0; n < rows.rows(); ++n) {
    const double nearest = rows.row(n).minCoeff();
    Eigen::ArrayXd exponents = logs - (rows.row(n).transpose().array() - nearest) * precision;
    const double largest = exponents.maxCoeff();
    exponents = (exponents - largest).exp();
    const double sum = exponents.sum();
    rows.row(n) = exponents / sum;
    log_sums[n] = largest + std::log(sum) - nearest * precision;
  }
  return log_sums;
}

struct PieceSums {
  Vector counts;
  Matrix offsets;
  double scatter = 0;
  double log_sums = 0;
};

PieceSums sum_piece(const RowMatrix& points, const GaussianMixture& mixture,
                    const ContributionClip& clip) {
  const RowMatrix distances = squared_distances(points, mixture);
  RowMatrix r = distances;
  PieceSums sums;
  sums.log_sums = normalise(mixture, r).sum();
  if (clip.norm != kNoBound) {
    const double square = clip.count_scale * clip.count_scale;
    for (Index n = 0; n < r.rows(); ++n) {
      const double norm =
          std::sqrt((r.row(n).array().square() * (distances.row(n).array() + square)).sum());
      if (norm > clip.norm) r.row(n) *= clip.norm / norm;
    }
  }
  sums.counts = r.colwise().sum().transpose();
  sums.scatter = r.cwiseProduct(distances).sum();
  sums.offsets.resize(mixture.dim(), mixture.components());
  for (Index i = 0; i < r.cols(); ++i) {
    sums.offsets.col(i) =
        (points.rowwise() - mixture.means.col(i).transpose()).transpose() * r.col(i);
  }
  return sums;
}

}  // namespace

RowMatrix responsibilities(const RowMatrix& points, const GaussianMixture& mixture) {
  SOTTO_REQUIRE(points.cols() == mixture.dim(), "points of dimension {} and means of dimension {}",
                points.cols(), mixture.dim());
  RowMatrix r = squared_distances(points, mixture);
  normalise(mixture, r);
  return r;
}

MixtureSums expected_sums(PointSource& source, const GaussianMixture& mixture, double radius,
                          const ContributionClip& clip) {
  const Index d = mixture.dim();
  SOTTO_REQUIRE(source.dim() == d, "points of dimension {} and means of dimension {}", source.dim(),
                d);
  MixtureSums total{0, Vector::Zero(mixture.components()), Matrix::Zero(d, mixture.components())};
  double log_sums = 0;
  total.records = for_record_blocks(source, radius, [&](const RowMatrix& x) {
    const Index pieces = (x.rows() + kSumPiece - 1) / kSumPiece;
    std::vector<PieceSums> parts(static_cast<std::size_t>(pieces));
#pragma omp parallel for schedule(dynamic)
    for (Index p = 0; p < pieces; ++p) {
      const Index first = p * kSumPiece, rows = std::min<Index>(kSumPiece, x.rows() - first);
      parts[static_cast<std::size_t>(p)] = sum_piece(x.middleRows(first, rows), mixture, clip);
    }
    for (const PieceSums& part : parts) {
      total.counts += part.counts;
      total.offsets += part.offsets;
      total.scatter += part.scatter;
      log_sums += part.log_sums;
    }
  });
  const double norming = 0.5 * static_cast<double>(d) *
                         std::log(2 * std::numbers::pi *
                                  std::max(mixture.variance, std::numeric_limits<double>::min()));
  total.log_likelihood = log_sums - static_cast<double>(total.records) * norming;
  return total;
}

}  // namespace sotto
