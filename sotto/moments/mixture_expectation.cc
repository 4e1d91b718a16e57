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

// A block of fewer differences takes less time than starting the threads.
constexpr Index kWorthThreads = 1 << 22;

// Points are stored column by column here, so that every step is one pass over long columns.

// |x - mu_i|^2: rows x k.
Matrix squared_distances(const Matrix& points, const GaussianMixture& mixture) {
  Matrix distances = Matrix::Zero(points.rows(), mixture.components());
  for (Index i = 0; i < distances.cols(); ++i) {
    for (Index j = 0; j < points.cols(); ++j) {
      distances.col(i).array() += (points.col(j).array() - mixture.means(j, i)).square();
    }
  }
  return distances;
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

struct PieceSums {
  Vector counts;
  Matrix offsets;
  double scatter = 0;
  double log_sums = 0;
};

PieceSums sum_piece(const Matrix& points, const GaussianMixture& mixture,
                    const ContributionClip& clip) {
  const Matrix distances = squared_distances(points, mixture);
  auto [r, log_sums] = posterior(distances, mixture);
  if (clip.norm != kNoBound) {
    const double square = clip.count_scale * clip.count_scale;
    const Vector norms = (r.array().square() * (distances.array() + square)).rowwise().sum().sqrt();
    r.array().colwise() *=
        norms.unaryExpr([&](double n) { return n > clip.norm ? clip.norm / n : 1.0; }).array();
  }
  PieceSums sums{r.colwise().sum().transpose(), Matrix(mixture.dim(), mixture.components()),
                 r.cwiseProduct(distances).sum(), log_sums.sum()};
  for (Index i = 0; i < r.cols(); ++i) {
    for (Index j = 0; j < points.cols(); ++j) {
      sums.offsets(j, i) = (r.col(i).array() * (points.col(j).array() - mixture.means(j, i))).sum();
    }
  }
  return sums;
}

}  // namespace

RowMatrix responsibilities(const RowMatrix& points, const GaussianMixture& mixture) {
  require_dim(points.cols(), mixture);
  return posterior(squared_distances(points, mixture), mixture).shares;
}

Vector log_likelihoods(const RowMatrix& points, const GaussianMixture& mixture) {
  require_dim(points.cols(), mixture);
  const Posterior found = posterior(squared_distances(points, mixture), mixture);
  return found.log_sums.array() - log_norming(mixture);
}

MixtureSums expected_sums(PointSource& source, const GaussianMixture& mixture, double radius,
                          const ContributionClip& clip) {
  const Index d = mixture.dim();
  require_dim(source.dim(), mixture);
  MixtureSums total{0, Vector::Zero(mixture.components()), Matrix::Zero(d, mixture.components())};
  double log_sums = 0;
  total.records = for_record_blocks(source, radius, [&](const RowMatrix& x) {
    const Index pieces = (x.rows() + kSumPiece - 1) / kSumPiece;
    std::vector<PieceSums> parts(static_cast<std::size_t>(pieces));
    [[maybe_unused]] const bool share = x.size() * mixture.components() > kWorthThreads;
#pragma omp parallel for schedule(dynamic) if (share)
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
  total.log_likelihood = log_sums - static_cast<double>(total.records) * log_norming(mixture);
  return total;
}

}  // namespace sotto
