#include "sotto/models/gaussian_mixture.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/base/progress.h"
#include "sotto/decompose/power.h"
#include "sotto/linalg/gemm.h"
#include "sotto/linalg/spectral.h"
#include "sotto/models/component_mixture.h"
#include "sotto/models/matching.h"
#include "sotto/moments/sparse_records.h"
#include "sotto/tensor/contraction.h"

namespace sotto {
namespace {

// Now and then an eigenvalue of noise passes the edge of its law, and the variance in that law is
// estimated from the smaller eigenvalues.
constexpr double kEdgeMargin = 1.5;
// A component with a smaller share of the points keeps its mean.
constexpr double kLeastShare = 1e-9;
// Wide points are kept in memory up to so many numbers, or half of those of their covariance.
constexpr Index kKeptNumbers = Index{1} << 22;
// Noise has no eigenvalues to converge to.
constexpr int kMostRounds = 8;

// From the leading eigenpairs, largest value first, and the mean of the d - k + 1 smallest values.
MixtureSpectrum spectrum_of(const Vector& mean, const Eigenpairs& leading, double variance, Index k,
                            const CovarianceNoise& noise) {
  const Index signal = k - 1;
  MixtureSpectrum spectrum;
  spectrum.mean = mean;
  spectrum.variance = std::max(variance, 0.0);
  const double floor = std::max(noise.edge(mean.size(), spectrum.variance),
                                kRankTolerance * std::max(leading.values[0], 0.0));
  spectrum.rank = (leading.values.array() - spectrum.variance > floor).count();
  spectrum.values = (leading.values.head(signal).array() - spectrum.variance).max(floor);
  spectrum.vectors = leading.vectors.leftCols(signal);
  return spectrum;
}

}  // namespace

OptionTable MixtureOptions::table() {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  return OptionTable()
      .integer("components", 'k', components, {1, 10000}, "number of Gaussians")
      .required()
      .choice("covariance", covariance,
              "common: one variance for all components; spherical: a variance for each component; "
              "diagonal: variances of the coordinates for each component; full: a covariance "
              "matrix for each component")
      .integer(
          "refine", 0, refine, {0, 10000},
          "expectation-maximisation steps (none given: 5 after moments, 2 with `epsilon`, where "
          "each is a release; without moments until the likelihood hardly grows, 4 with `epsilon`)")
      .integer("starts", 'L', starts, {1, 1000000}, "random starts for each component")
      .integer("iterations", 'R', iterations, {1, 1000000}, "power iterations for each component")
      .integer("seed", 0, seed, {0, most}, "seed of the random starts");
}

void MixtureOptions::check(Index dim, std::optional<Index> records) const {
  SOTTO_REQUIRE_AT(
      covariance != CovarianceKind::full || dim <= kMostFullDimensions, "`covariance`",
      "full covariances are found in up to {} dimensions, the points have {}; diagonal "
      "ones in any number",
      kMostFullDimensions, dim);
  if (!records) return;
  SOTTO_REQUIRE(*records > dim,
                "too few points: moments in {} dimensions need more than {}, got {}", dim, dim,
                *records);
  SOTTO_REQUIRE_AT(components < *records, "`components`", "{} need more than {} points, got {}",
                   components, components, *records);
}

Matrix MixtureSpectrum::whiten() const {
  return vectors * values.cwiseSqrt().cwiseInverse().asDiagonal();
}

Matrix MixtureSpectrum::unwhiten() const { return vectors * values.cwiseSqrt().asDiagonal(); }

double CovarianceNoise::edge(Index dim, double variance) const {
  const double ratio = std::sqrt(static_cast<double>(dim) / static_cast<double>(records));
  const double sampling = variance * (2 * ratio + ratio * ratio);
  // A symmetric matrix of isometric noise has norm sqrt(2 d) deviation.
  return kEdgeMargin * std::hypot(sampling, deviation * std::sqrt(2.0 * static_cast<double>(dim)));
}

MixtureSpectrum mixture_spectrum(const Vector& mean, const Matrix& covariance, Index k,
                                 const CovarianceNoise& noise) {
  const Index d = mean.size();
  const Matrix symmetric = 0.5 * (covariance + covariance.transpose());
  if (d > kWideDimension) {
    return wide_mixture_spectrum(
        mean, [&](const RowMatrix& block) { return RowMatrix(multiply(symmetric, block)); },
        symmetric.trace(), k, noise);
  }
  Eigenpairs pairs = leading_eigenpairs(symmetric, d);
  // Sorted by value: a negative eigenvalue is noise, however large.
  std::vector<Index> order(static_cast<std::size_t>(d));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return pairs.values[a] > pairs.values[b]; });
  const Eigenpairs sorted{pairs.values(order), pairs.vectors(Eigen::all, order).leftCols(k - 1)};
  return spectrum_of(mean, sorted, sorted.values.tail(d - k + 1).mean(), k, noise);
}

MixtureSpectrum wide_mixture_spectrum(const Vector& mean, const BlockOperator& covariance,
                                      double trace, Index k, const CovarianceNoise& noise) {
  KrylovOptions options;
  options.rounds = kMostRounds;
  const Eigenpairs leading = largest_eigenpairs(covariance, mean.size(), k, options);
  const double others = trace - leading.values.head(k - 1).sum();
  return spectrum_of(mean, leading, others / static_cast<double>(mean.size() - k + 1), k, noise);
}

SymmetricTensor with_constant(const SymmetricTensor& third) {
  const Index last = third.dim();
  SymmetricTensor whole(last + 1, 3);
  auto next = whole.packed().begin();
  for_unique_entries(last + 1, 3, [&](const std::vector<Index>& i, double) {
    if (i[2] < last) {
      *next++ = third.at(i);
    } else if (i[1] < last) {
      *next++ = i[0] == i[1] ? 1.0 : 0.0;
    } else {
      *next++ = i[0] < last ? 0.0 : 1.0;
    }
  });
  return whole;
}

Decomposition decompose_mixture(const std::optional<SymmetricTensor>& third,
                                const MixtureOptions& options, const ProgressCallback& progress) {
  SymmetricTensor whole(1, 3);
  whole.packed()[0] = 1;
  if (third) whole = with_constant(*third);
  PowerOptions power;
  power.components = whole.dim();
  power.starts = options.starts;
  power.iterations = options.iterations;
  power.seed = options.seed;
  TensorOracle oracle(whole);
  Decomposition found = robust_power_method(oracle, power, progress);
  throw_if_stopped(found.status == Status::stopped);  // a part of the components is no model
  return found;
}

GaussianMixture recover_mixture(const MixtureSpectrum& spectrum, const Decomposition& components) {
  // In the model every lambda is above 1.
  const Vector lambda = components.weights.cwiseMax(1.0);
  const Matrix heads = components.vectors().topRows(spectrum.values.size());
  GaussianMixture mixture;
  mixture.means =
      multiply(spectrum.unwhiten(), heads * lambda.asDiagonal()).colwise() + spectrum.mean;
  mixture.weights = lambda.array().square().inverse();
  mixture.weights /= mixture.weights.sum();
  mixture.variance = spectrum.variance;
  return mixture;
}

GaussianMixture maximise(const GaussianMixture& mixture, const MixtureSums& sums) {
  GaussianMixture next = mixture;
  const double total = sums.counts.sum();
  double explained = 0;
  for (Index i = 0; i < mixture.components(); ++i) {
    if (sums.counts[i] <= kLeastShare * total) continue;
    const Vector step = sums.offsets.col(i) / sums.counts[i];
    next.means.col(i) += step;
    explained += sums.counts[i] * step.squaredNorm();
  }
  next.weights = (sums.counts / total).cwiseMax(kLeastShare);
  next.weights /= next.weights.sum();
  // sum r |x - mu'|^2 = sum r |x - mu|^2 - N_i |mu' - mu|^2
  next.variance =
      std::max(0.0, sums.scatter - explained) / (total * static_cast<double>(mixture.dim()));
  return next;
}

namespace {

std::pair<Index, MixtureSpectrum> public_spectrum(PointSource& source,
                                                  const MixtureOptions& options) {
  const Index d = source.dim(), k = options.components;
  if (is_wide(source.is_sparse(), d)) {
    if (const auto kept = SparseRecords::read(source, std::max(kKeptNumbers, d * d / 2))) {
      options.check(d, kept->records());
      const auto covariance = [&](const RowMatrix& block) { return kept->covariance_times(block); };
      return {kept->records(),
              wide_mixture_spectrum(kept->mean(), covariance, kept->total_variance(), k,
                                    {kept->records(), 0})};
    }
  }
  // Too few points are refused before so many moments are taken.
  if (d > kWideDimension && !source.records()) options.check(d, point_spread(source).records);
  const PointStatistics moments = point_statistics(source);
  options.check(d, moments.records);
  return {moments.records,
          mixture_spectrum(moments.mean, moments.covariance, k, {moments.records, 0})};
}

}  // namespace

MixtureFit fit_mixture(PointSource& source, const MixtureOptions& options,
                       const ProgressCallback& progress) {
  const Index k = options.components;
  options.check(source.dim(), source.records());
  if (!starts_from_moments(options, source.dim())) {
    return fit_components(source, options, progress);
  }
  MixtureFit fit;
  std::tie(fit.records, fit.spectrum) = public_spectrum(source, options);
  SOTTO_REQUIRE_AT(fit.spectrum.rank >= k - 1, "`components`",
                   "{} means span {} dimensions, the covariance of these points has numerical rank "
                   "{} above its noise: ask for at most {} components",
                   k, k - 1, fit.spectrum.rank, fit.spectrum.rank + 1);
  std::optional<SymmetricTensor> third;
  if (k > 1) {
    third.emplace(k - 1, 3);
    third->add_scaled(1 / static_cast<double>(fit.records),
                      sum_cubes(source, fit.spectrum.mean, fit.spectrum.whiten()));
  }
  fit.components = decompose_mixture(third, options, progress);
  fit.mixture = fit.spectral = recover_mixture(fit.spectrum, fit.components);
  for (std::int64_t step = 0; step < options.steps(); ++step) {
    if (!report_progress(progress, {"refinement", step, options.steps()})) {
      fit.components.status = Status::stopped;
      break;
    }
    const MixtureSums sums = expected_sums(source, fit.mixture);
    fit.log_likelihood.push_back(sums.log_likelihood / static_cast<double>(fit.records));
    const GaussianMixture next = maximise(fit.mixture, sums);
    fit.movement = (next.means - fit.mixture.means).colwise().norm().maxCoeff();
    fit.mixture = next;
  }
  if (fit.components.status != Status::stopped) {
    fit.final_log_likelihood =
        expected_sums(source, fit.mixture).log_likelihood / static_cast<double>(fit.records);
  }
  sort_by_weight(fit.mixture);
  sort_by_weight(fit.spectral);
  return fit;
}

void sort_by_weight(GaussianMixture& mixture) {
  std::vector<Index> order(static_cast<std::size_t>(mixture.components()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return mixture.weights[a] > mixture.weights[b]; });
  mixture.means = Matrix(mixture.means(Eigen::all, order));
  mixture.weights = Vector(mixture.weights(order));
  if (mixture.kind != CovarianceKind::common) {
    mixture.covariances = Matrix(mixture.covariances(Eigen::all, order));
  }
}

MixtureError mixture_error(const Matrix& true_means, const Vector& true_weights,
                           const GaussianMixture& found) {
  const Index k = found.components();
  SOTTO_REQUIRE(true_means.rows() == found.dim() && true_means.cols() == k,
                "true means {} x {}, found {} x {}", true_means.rows(), true_means.cols(),
                found.dim(), k);
  Matrix cost(k, k);
  for (Index i = 0; i < k; ++i) {
    cost.row(i) = (found.means.colwise() - true_means.col(i)).colwise().squaredNorm();
  }
  const std::vector<Index> match = least_cost_matching(cost);
  MixtureError error{0, true_weights.size() == k ? 0 : std::numeric_limits<double>::quiet_NaN()};
  for (Index i = 0; i < k; ++i) {
    error.mean = std::max(error.mean, std::sqrt(cost(i, match[i])));
    if (true_weights.size() == k) {
      error.weight = std::max(error.weight, std::abs(found.weights[match[i]] - true_weights[i]));
    }
  }
  return error;
}

}  // namespace sotto
