#include "sotto/moments/component_expectation.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/linalg/counts.h"
#include "sotto/linalg/gemm.h"
#include "sotto/linalg/kernels/differences.h"
#include "sotto/linalg/spectral.h"
#include "sotto/moments/record_questions.h"

namespace sotto {
namespace {

void require_component_shapes(Index dim, const GaussianMixture& mixture) {
  SOTTO_REQUIRE(dim == mixture.dim(), "points of dimension {} and means of dimension {}", dim,
                mixture.dim());
}

// Logarithms of w_i times the density: rows x k.
Matrix log_joints(const Matrix& points, const ComponentUnits& units, Index k) {
  Matrix logs(points.rows(), k);
  for (Index i = 0; i < k; ++i) {
    logs.col(i) =
        units.log_height(i) - 0.5 * units.offsets(points, i).rowwise().squaredNorm().array();
  }
  return logs;
}

// |z_i|^2 of each point: rows x k.
Matrix round_squares(const double* points, Index rows, const RowMatrix& centres,
                     const ComponentUnits& units, Index k) {
  RowMatrix distances(rows, centres.cols());
  kernels::squared_differences(points, rows, centres, distances.data());
  Matrix squares(rows, k);
  for (Index i = 0; i < k; ++i) {
    squares.col(i) = distances.col(i) / (units.deviation(i) * units.deviation(i));
  }
  return squares;
}

// Sparse points, and what |z_i|^2 = sum_j p_ij (x_j - mu_ij)^2 needs of them: only the entries that
// are not zero differ from a point at the origin.
struct WidePoints {
  WidePoints(const PointBlock& points, const GaussianMixture& mixture, const ComponentUnits& units)
      : precisions(units.deviations().array().square().inverse()), squared(points) {
    squared.sparse.coeffs() = squared.sparse.coeffs().square();
    const RowMatrix scaled = precisions.cwiseProduct(mixture.means);
    squares = scores(squared, precisions) - 2 * scores(points, scaled);
    squares.rowwise() += scaled.cwiseProduct(mixture.means).colwise().sum();
    squares = squares.cwiseMax(0.0);
  }

  RowMatrix precisions;  // p, d x k
  PointBlock squared;    // every entry
  Matrix squares;        // |z_i|^2, rows x k
};

Matrix log_joints(const Matrix& squares, const ComponentUnits& units) {
  Matrix logs(squares.rows(), squares.cols());
  for (Index i = 0; i < squares.cols(); ++i) {
    logs.col(i) = units.log_height(i) - 0.5 * squares.col(i).array();
  }
  return logs;
}

// Turns the logarithms into responsibilities; returns the logarithms of their sums.
Vector normalise_logs(Matrix& logs) {
  const Vector largest = logs.rowwise().maxCoeff();
  logs = (logs.colwise() - largest).array().exp();
  const Vector sums = logs.rowwise().sum();
  logs.array().colwise() /= sums.array();
  return largest.array() + sums.array().log();
}

// |S(z)|^2 of each row.
Vector squared_seconds(const Matrix& z, CovarianceKind kind) {
  if (kind == CovarianceKind::diagonal) return z.array().square().square().rowwise().sum();
  const Vector squares = z.rowwise().squaredNorm().array().square();
  return kind == CovarianceKind::full ? squares : Vector(squares / static_cast<double>(z.cols()));
}

// Sum of r S(z) over the rows.
Vector sum_of_seconds(const Matrix& z, const Vector& r, CovarianceKind kind) {
  if (kind == CovarianceKind::full) {
    return multiply_transposed(Matrix(r.asDiagonal() * z), z).reshaped();
  }
  Vector squares = z.array().square().matrix().transpose() * r;
  if (kind == CovarianceKind::diagonal) return squares;
  return Vector::Constant(1, squares.sum() / std::sqrt(static_cast<double>(z.cols())));
}

}  // namespace

ComponentUnits::ComponentUnits(const GaussianMixture& mixture)
    : mixture_(mixture), log_heights_(mixture.components()) {
  const Index d = mixture.dim(), k = mixture.components();
  const CovarianceKind kind = mixture.kind;
  SOTTO_REQUIRE(
      mixture.weights.size() == k && (kind == CovarianceKind::common ||
                                      (mixture.covariances.cols() == k &&
                                       mixture.covariances.rows() == covariance_size(kind, d))),
      "a mixture of {} in {} dimensions has {} weights, and covariances {} x {}", k, d,
      mixture.weights.size(), mixture.covariances.rows(), mixture.covariances.cols());
  if (kind != CovarianceKind::full) deviations_.resize(d, k);
  for (Index i = 0; i < k; ++i) {
    double log_root = 0;
    bool positive = false;
    if (kind == CovarianceKind::full) {
      const Eigenpairs pairs = ascending_eigenpairs(mixture.covariances.col(i).reshaped(d, d));
      const Vector root = pairs.values.cwiseMax(0.0).cwiseSqrt();
      roots_.emplace_back(pairs.vectors * root.asDiagonal());
      inverse_roots_.emplace_back(root.cwiseInverse().asDiagonal() * pairs.vectors.transpose());
      log_root = root.array().log().sum();
      positive = inverse_roots_.back().allFinite();
    } else {
      if (kind == CovarianceKind::common) {
        deviations_.col(i).setConstant(std::sqrt(mixture.variance));
      } else if (kind == CovarianceKind::spherical) {
        deviations_.col(i).setConstant(std::sqrt(mixture.covariances(0, i)));
      } else {
        deviations_.col(i) = mixture.covariances.col(i).cwiseSqrt();
      }
      log_root = deviations_.col(i).array().log().sum();
      positive = deviations_.col(i).minCoeff() > 0;
    }
    SOTTO_REQUIRE(positive && std::isfinite(log_root),
                  "the covariance of component {} is not positive", i + 1);
    log_heights_[i] = std::log(std::max(mixture.weights[i], 1e-300)) - log_root -
                      0.5 * static_cast<double>(d) * std::log(2 * std::numbers::pi);
  }
}

Matrix ComponentUnits::offsets(const Matrix& points, Index i) const {
  const Matrix centred = points.rowwise() - mixture_.means.col(i).transpose();
  if (!roots_.empty()) {
    return multiply(centred, inverse_roots_[static_cast<std::size_t>(i)].transpose());
  }
  return centred * deviations_.col(i).cwiseInverse().asDiagonal();
}

Vector ComponentUnits::unscaled(Index i, const Vector& z) const {
  if (!roots_.empty()) return roots_[static_cast<std::size_t>(i)] * z;
  return deviations_.col(i).cwiseProduct(z);
}

Matrix ComponentUnits::unscaled(Index i, const Matrix& m) const {
  if (!roots_.empty()) {
    const Matrix& root = roots_[static_cast<std::size_t>(i)];
    return root * m * root.transpose();
  }
  return deviations_.col(i).asDiagonal() * m * deviations_.col(i).asDiagonal();
}

double ComponentUnits::largest_inverse() const {
  if (roots_.empty()) return 1 / deviations_.minCoeff();
  double largest = 0;
  for (const Matrix& inverse : inverse_roots_) {
    largest = std::max(largest, inverse.cwiseAbs().maxCoeff());
  }
  return largest;
}

RowMatrix component_responsibilities(const RowMatrix& points, const GaussianMixture& mixture) {
  require_component_shapes(points.cols(), mixture);
  Matrix logs = log_joints(points, ComponentUnits(mixture), mixture.components());
  normalise_logs(logs);
  return logs;
}

Vector component_log_likelihoods(const RowMatrix& points, const GaussianMixture& mixture) {
  require_component_shapes(points.cols(), mixture);
  Matrix logs = log_joints(points, ComponentUnits(mixture), mixture.components());
  return normalise_logs(logs);
}

RowMatrix component_responsibilities(const PointBlock& points, const GaussianMixture& mixture) {
  require_component_shapes(points.dim(), mixture);
  const ComponentUnits units(mixture);
  Matrix logs = log_joints(WidePoints(points, mixture, units).squares, units);
  normalise_logs(logs);
  return logs;
}

Vector component_log_likelihoods(const PointBlock& points, const GaussianMixture& mixture) {
  require_component_shapes(points.dim(), mixture);
  const ComponentUnits units(mixture);
  Matrix logs = log_joints(WidePoints(points, mixture, units).squares, units);
  return normalise_logs(logs);
}

void ComponentSum::add_piece(const Matrix& points, RowMatrix& part) const {
  const Index d = mixture_.dim(), k = mixture_.components();
  Matrix r = log_joints(points, units_, k);
  part(0, cols() - 1) += normalise_logs(r).sum();
  const bool clipped = clip_.norm != kNoBound;
  if (clipped) {
    const double counts = clip_.count_scale * clip_.count_scale;
    const double seconds = clip_.second_scale * clip_.second_scale;
    Vector squares = Vector::Zero(points.rows());
    for (Index i = 0; i < k; ++i) {
      const Matrix z = units_.offsets(points, i);
      squares.array() +=
          r.col(i).array().square() * (counts + z.rowwise().squaredNorm().array() +
                                       seconds * squared_seconds(z, mixture_.kind).array());
    }
    r.array().colwise() *= shrink_factors(squares, clip_.norm).array();
  }
  for (Index i = 0; i < k; ++i) {
    const Matrix z = units_.offsets(points, i);
    double* to = part.data() + i * width();
    to[0] += r.col(i).sum();
    Eigen::Map<Vector>(to + 1, d) += z.transpose() * r.col(i);
    Eigen::Map<Vector>(to + 1 + d, width() - 1 - d) += sum_of_seconds(z, r.col(i), mixture_.kind);
  }
}

void ComponentSum::add_round_piece(const double* points, Index rows, const RowMatrix& centres,
                                   RowMatrix& part) const {
  const Index d = mixture_.dim(), k = mixture_.components();
  const Matrix squares = round_squares(points, rows, centres, units_, k);
  Matrix r = log_joints(squares, units_);
  part(0, cols() - 1) += normalise_logs(r).sum();
  if (clip_.norm != kNoBound) {
    const double counts = clip_.count_scale * clip_.count_scale;
    const double seconds = clip_.second_scale * clip_.second_scale / static_cast<double>(d);
    const Vector norms =
        (r.array().square() * (counts + squares.array() + seconds * squares.array().square()))
            .rowwise()
            .sum();
    r.array().colwise() *= shrink_factors(norms, clip_.norm).array();
  }
  RowMatrix weights = RowMatrix::Zero(rows, centres.cols());
  weights.leftCols(k) = r;
  RowMatrix offsets = RowMatrix::Zero(d, centres.cols());
  kernels::add_weighted_differences(points, rows, centres, weights.data(), offsets.data());
  for (Index i = 0; i < k; ++i) {
    double* to = part.data() + i * width();
    to[0] += r.col(i).sum();
    Eigen::Map<Vector>(to + 1, d) += offsets.col(i) / units_.deviation(i);
    to[1 + d] += r.col(i).dot(squares.col(i)) / std::sqrt(static_cast<double>(d));
  }
}

void ComponentSum::of_rows(const RowMatrix& rows, RowMatrix& part) const {
  part.setZero(1, cols());
  const bool round =
      mixture_.kind == CovarianceKind::common || mixture_.kind == CovarianceKind::spherical;
  const RowMatrix centres = round ? kernels::padded_centres(mixture_.means) : RowMatrix();
  for_pieces(0, rows.rows(), [&](Index first, Index last) {
    if (round) {
      add_round_piece(rows.data() + first * rows.cols(), last - first, centres, part);
    } else {
      add_piece(rows.middleRows(first, last - first), part);
    }
  });
}

// With s = sum r x and q = sum r x^2: sum r z = (s - mu sum r) / l and
// sum r z^2 = (q - 2 mu s + mu^2 sum r) / l^2.
void ComponentSum::of_wide(const PointBlock& block, RowMatrix& part) const {
  const Index d = mixture_.dim(), k = mixture_.components();
  const WidePoints points(block, mixture_, units_);
  Matrix r = log_joints(points.squares, units_);
  part.setZero(1, cols());
  part(0, cols() - 1) = normalise_logs(r).sum();
  RowMatrix first = RowMatrix::Zero(d, k), second = RowMatrix::Zero(d, k);
  add_transposed_product(block, r, first);
  const bool diagonal = mixture_.kind == CovarianceKind::diagonal;
  if (diagonal) add_transposed_product(points.squared, r, second);
  for (Index i = 0; i < k; ++i) {
    const auto mean = mixture_.means.col(i);
    double* to = part.data() + i * width();
    const double count = r.col(i).sum();
    to[0] = count;
    Eigen::Map<Vector>(to + 1, d) =
        (first.col(i) - count * mean).cwiseQuotient(units_.deviations().col(i));
    if (diagonal) {
      const Vector about =
          second.col(i) - 2 * mean.cwiseProduct(first.col(i)) + count * mean.cwiseAbs2();
      Eigen::Map<Vector>(to + 1 + d, d) =
          about.cwiseProduct(points.precisions.col(i)).cwiseMax(0.0);
    } else {
      to[1 + d] = r.col(i).dot(points.squares.col(i)) / std::sqrt(static_cast<double>(d));
    }
  }
}

ComponentSums component_sums(PointSource& source, const GaussianMixture& mixture, double radius,
                             const ComponentClip& clip) {
  require_component_shapes(source.dim(), mixture);
  const Index d = mixture.dim(), k = mixture.components();
  const Index size = covariance_size(mixture.kind, d);
  const RecordTotal found = sum_from_beginning(source, ComponentSum(mixture, radius, clip));
  const Eigen::Map<const Matrix> numbers(found.sum.data(), 1 + d + size, k);
  return {found.records, numbers.row(0).transpose(), numbers.middleRows(1, d),
          numbers.bottomRows(size), found.sum(0, found.sum.cols() - 1)};
}

void ComponentSum::write(ByteWriter& bytes) const {
  write_kind(SumKind::components, bytes);
  bytes.integer(static_cast<std::int64_t>(mixture_.kind));
  for (const double number :
       {radius_, clip_.count_scale, clip_.second_scale, clip_.norm, mixture_.variance}) {
    bytes.real(number);
  }
  write_matrix(mixture_.means, bytes);
  write_matrix(mixture_.weights, bytes);
  if (mixture_.kind != CovarianceKind::common) write_matrix(mixture_.covariances, bytes);
}

std::unique_ptr<RecordSum> ComponentSum::read(ByteReader& bytes) {
  GaussianMixture mixture;
  const std::int64_t kind = bytes.integer();
  SOTTO_REQUIRE(0 <= kind && kind < std::ssize(enum_names(CovarianceKind{})),
                "a question has the unknown kind of covariance {}", kind);
  mixture.kind = static_cast<CovarianceKind>(kind);
  const double radius = bytes.real();
  ComponentClip clip;
  clip.count_scale = bytes.real();
  clip.second_scale = bytes.real();
  clip.norm = bytes.real();
  mixture.variance = bytes.real();
  mixture.means = read_matrix(bytes);
  mixture.weights = read_vector(bytes);
  if (mixture.kind != CovarianceKind::common) mixture.covariances = read_matrix(bytes);
  return std::make_unique<ComponentSum>(mixture, radius, clip);
}

}  // namespace sotto
