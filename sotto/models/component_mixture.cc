#include "sotto/models/component_mixture.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/linalg/spectral.h"

namespace sotto {
namespace {

// The sample in which a start is sought.
constexpr Index kSampledNumbers = 200000, kLeastSample = 1000, kMostSample = 10000;
constexpr Index kMostSampledNumbers = 2000000;  // or 20 points a component
constexpr int kLloydSteps = 8, kSampleSteps = 12;
// Variances stay above this share of the mean variance of a coordinate.
constexpr double kVarianceFloor = 1e-6;
// The likelihood of a point grows by less: converged.
constexpr double kLikelihoodTolerance = 1e-4;
// A component with a smaller share of the points keeps its mean and covariance.
constexpr double kLeastComponentShare = 1e-9;

// Evenly spaced records.
RowMatrix sample_records(PointSource& source, Index records, Index k) {
  const Index usual = std::clamp(kSampledNumbers / source.dim(), kLeastSample, kMostSample);
  const Index wanted = std::max(std::min(usual, kMostSampledNumbers / source.dim() + 1), 20 * k);
  const Index apart = std::max<Index>(1, records / wanted);
  RowMatrix sample((records + apart - 1) / apart, source.dim());
  Index next = 0, passed = 0;
  for_point_blocks(source, [&](const PointBlock& block) {
    for (Index i = (apart - passed % apart) % apart; i < block.rows(); i += apart) {
      if (block.is_sparse) {
        sample.row(next++) = block.sparse.row(i);
      } else {
        sample.row(next++) = block.dense.row(i);
      }
    }
    passed += block.rows();
  });
  return sample;
}

Vector squared_distances_to(const RowMatrix& points, const Vector& centre) {
  return (points.rowwise() - centre.transpose()).rowwise().squaredNorm();
}

// k-means++ (Arthur & Vassilvitskii 2007): each centre is a point, drawn by its squared distance
// from those before.
Matrix spread_centres(const RowMatrix& points, Index k, SeededRandom& random) {
  Matrix centres(points.cols(), k);
  Vector nearest = Vector::Ones(points.rows());
  for (Index i = 0; i < k; ++i) {
    double left = random.uniform() * nearest.sum();
    Index chosen = 0;
    while (chosen + 1 < points.rows() && left >= nearest[chosen]) left -= nearest[chosen++];
    centres.col(i) = points.row(chosen).transpose();
    const Vector distances = squared_distances_to(points, centres.col(i));
    nearest = i == 0 ? distances : Vector(nearest.cwiseMin(distances));
  }
  return centres;
}

struct NearestCentre {
  std::vector<Index> of;  // each point
  double square = 0;      // mean of the squared distances
};
NearestCentre nearest_centres(const RowMatrix& points, const Matrix& centres) {
  Matrix distances(points.rows(), centres.cols());
  for (Index i = 0; i < centres.cols(); ++i) {
    distances.col(i) = squared_distances_to(points, centres.col(i));
  }
  NearestCentre found;
  found.of.resize(static_cast<std::size_t>(points.rows()));
  for (Index a = 0; a < points.rows(); ++a) {
    found.square += distances.row(a).minCoeff(&found.of[static_cast<std::size_t>(a)]);
  }
  found.square /= static_cast<double>(points.rows());
  return found;
}

// A spherical mixture about the centres after some Lloyd steps, in the form of `kind`.
GaussianMixture about_centres(const RowMatrix& points, Matrix centres, CovarianceKind kind,
                              double floor) {
  const Index d = points.cols(), k = centres.cols();
  NearestCentre nearest;
  Vector counts;
  for (int step = 0; step < kLloydSteps; ++step) {
    nearest = nearest_centres(points, centres);
    Matrix sums = Matrix::Zero(d, k);
    counts = Vector::Zero(k);
    for (Index a = 0; a < points.rows(); ++a) {
      const Index i = nearest.of[static_cast<std::size_t>(a)];
      sums.col(i) += points.row(a).transpose();
      ++counts[i];
    }
    for (Index i = 0; i < k; ++i) {
      if (counts[i] > 0) centres.col(i) = sums.col(i) / counts[i];
    }
  }
  GaussianMixture mixture;
  mixture.means = std::move(centres);
  mixture.weights = (counts.array() + 1) / (counts.sum() + static_cast<double>(k));
  mixture.kind = kind;
  mixture.variance = nearest.square / static_cast<double>(d) + floor;
  if (kind == CovarianceKind::common) return mixture;
  mixture.covariances = Matrix::Constant(covariance_size(kind, d), k, mixture.variance);
  if (kind == CovarianceKind::full) {
    mixture.covariances = (mixture.variance * Matrix::Identity(d, d)).reshaped().replicate(1, k);
  }
  mixture.variance = 0;
  return mixture;
}

// The common variance after a step: every component adds what it has about its new mean.
double pooled_factor(const ComponentSums& sums, const Vector& counts, const Matrix& steps,
                     double bias) {
  const auto d = static_cast<double>(steps.rows());
  const double about_old = std::sqrt(d) * sums.seconds.sum() / bias;
  const double moved = (steps.colwise().squaredNorm() * counts).value();
  return (about_old - moved) / (d * counts.sum());
}

// The covariance of component i after a step of its mean, in the units of the component.
Vector next_covariance(const GaussianMixture& mixture, const ComponentUnits& units, Index i,
                       const Vector& second, const Vector& step, const ComponentLimits& limits) {
  const Index d = mixture.dim();
  const auto limited = [&](const auto& factors) {
    return factors.array().max(limits.least_factor).min(limits.most_factor).matrix().eval();
  };
  if (mixture.kind == CovarianceKind::full) {
    const Matrix about_new = second.reshaped(d, d) - step * step.transpose();
    const Eigenpairs pairs = ascending_eigenpairs(about_new);
    const Matrix next = units.unscaled(i, with_spectrum(pairs.vectors, limited(pairs.values)));
    return (0.5 * (next + next.transpose()) + limits.floor * Matrix::Identity(d, d)).reshaped();
  }
  Vector factors(second.size());
  if (mixture.kind == CovarianceKind::spherical) {
    const auto dims = static_cast<double>(d);
    factors[0] = second[0] / std::sqrt(dims) - step.squaredNorm() / dims;
  } else {
    factors = second - step.cwiseAbs2();
  }
  return mixture.covariances.col(i).cwiseProduct(limited(factors)).array() + limits.floor;
}

}  // namespace

GaussianMixture maximise_components(const GaussianMixture& mixture, const ComponentSums& sums,
                                    const ComponentLimits& limits) {
  const ComponentUnits units(mixture);
  const double total = std::max(sums.counts.sum(), limits.least_count);
  const Vector counts = sums.counts.cwiseMax(limits.least_count);
  GaussianMixture next = mixture;
  Matrix steps = Matrix::Zero(mixture.dim(), mixture.components());
  for (Index i = 0; i < mixture.components(); ++i) {
    if (counts[i] <= kLeastComponentShare * total) continue;
    steps.col(i) = sums.offsets.col(i) / counts[i];
    const double length = steps.col(i).norm();
    if (length > limits.longest_step) steps.col(i) *= limits.longest_step / length;
    next.means.col(i) += units.unscaled(i, Vector(steps.col(i)));
    if (mixture.kind == CovarianceKind::common) continue;
    next.covariances.col(i) =
        next_covariance(mixture, units, i, sums.seconds.col(i) / (counts[i] * limits.second_bias),
                        steps.col(i), limits);
  }
  if (mixture.kind == CovarianceKind::common) {
    next.variance *= std::clamp(pooled_factor(sums, counts, steps, limits.second_bias),
                                limits.least_factor, limits.most_factor);
    next.variance += limits.floor;
  }
  next.weights = (counts / counts.sum()).cwiseMax(kLeastComponentShare);
  next.weights /= next.weights.sum();
  return next;
}

GaussianMixture start_among(const RowMatrix& points, Index k, CovarianceKind kind,
                            std::uint64_t seed, double floor, int starts) {
  const Points source = points_in_memory(points);
  GaussianMixture best;
  double highest = -std::numeric_limits<double>::infinity();
  for (int start = 0; start < starts; ++start) {
    SeededRandom random(seed, static_cast<std::uint64_t>(start));
    GaussianMixture mixture = about_centres(points, spread_centres(points, k, random), kind, floor);
    for (int step = 0; step < kSampleSteps; ++step) {
      mixture = maximise_components(mixture, component_sums(*source, mixture), {.floor = floor});
    }
    const double likelihood = component_sums(*source, mixture).log_likelihood;
    if (best.components() == 0 || likelihood > highest) {
      best = std::move(mixture);
      highest = likelihood;
    }
  }
  return best;
}

std::int64_t free_numbers(CovarianceKind kind, Index dim, Index k) {
  const std::int64_t spread = kind == CovarianceKind::common     ? 1
                              : kind == CovarianceKind::full     ? k * dim * (dim + 1) / 2
                              : kind == CovarianceKind::diagonal ? k * dim
                                                                 : k;
  return k - 1 + k * dim + spread;
}

double schwarz_criterion(const GaussianMixture& mixture, Index records, double log_likelihood) {
  const auto n = static_cast<double>(records);
  return -2 * n * log_likelihood +
         static_cast<double>(free_numbers(mixture.kind, mixture.dim(), mixture.components())) *
             std::log(n);
}

bool starts_from_moments(const MixtureOptions& options, Index dim) {
  return options.covariance == CovarianceKind::common && options.components <= dim;
}

MixtureFit fit_components(PointSource& source, const MixtureOptions& options,
                          const ProgressCallback& progress) {
  const Index k = options.components;
  const PointSpread moments = point_spread(source);
  options.check(source.dim(), moments.records);
  const double variance = moments.total_variance / static_cast<double>(source.dim());
  SOTTO_REQUIRE(variance > 0, "all points are the same");
  const ComponentLimits limits{.floor = kVarianceFloor * variance};
  MixtureFit fit;
  fit.records = moments.records;
  fit.mixture = start_among(sample_records(source, moments.records, k), k, options.covariance,
                            static_cast<std::uint64_t>(options.seed), limits.floor);
  fit.components.status = options.refine ? Status::completed : Status::iteration_limit;
  const std::int64_t most = options.component_steps();
  for (std::int64_t step = 0;; ++step) {
    if (!report_progress(progress, {"refinement", step, most})) {
      fit.components.status = Status::stopped;
      break;
    }
    const ComponentSums sums = component_sums(source, fit.mixture);
    const double before = fit.final_log_likelihood;
    fit.final_log_likelihood = sums.log_likelihood / static_cast<double>(fit.records);
    if (!options.refine && step > 0 && fit.final_log_likelihood < before + kLikelihoodTolerance) {
      fit.components.status = Status::converged;
      break;
    }
    if (step == most) break;
    fit.log_likelihood.push_back(fit.final_log_likelihood);
    const GaussianMixture next = maximise_components(fit.mixture, sums, limits);
    fit.movement = (next.means - fit.mixture.means).colwise().norm().maxCoeff();
    fit.mixture = next;
  }
  sort_by_weight(fit.mixture);
  fit.spectral = fit.mixture;
  return fit;
}

}  // namespace sotto
