#include "sotto/models/private_components.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/linalg/spectral.h"

namespace sotto {
namespace {

// Public constants of the method, tuned on synthetic mixtures (docs/mixture.md).
constexpr double kMeanShare = 0.03, kSecondShare = 0.07, kCoverShare = 0.4, kStepShare = 0.5;
constexpr std::int64_t kCoverSteps = 3;
constexpr double kComponentStepGrowth =
    2;  // the last step has this many times the share of the first
constexpr Index kCoverForEach = 3, kLeastCover = 10;
// Offsets are clipped at sqrt(d) + tail deviations.
constexpr double kTail = 0.5;
// Scales of counts and squares in a contribution, as a share of the longest offset.
constexpr double kCountShare = 0.4, kSquareShare = 0.5;
// A component keeps this share of an equal one.
constexpr double kLeastOfEqual = 0.05;
constexpr double kMostChange = 10;        // of a variance in one step
constexpr double kLeastDeviation = 1e-4;  // in units of the bound on the norm
constexpr Index kDrawn = 4000;            // points drawn from the cover
constexpr double kKnownShare = 3;         // deviations of noise by which a share stands out

// |S(z)| of a typical point with |z|^2 = square: component_expectation.h.
double second_norm(CovarianceKind kind, double d, double square) {
  if (kind == CovarianceKind::full) return square;
  return (kind == CovarianceKind::diagonal ? std::sqrt(3.0) : 1) * square / std::sqrt(d);
}

// The mean of f(|z|^2) over standard Gaussian z, by the density of |z| on a grid.
template <class F>
double over_gaussian_norms(double d, F f) {
  constexpr int kCells = 2000;
  const double low = std::max(0.0, std::sqrt(d) - 7), width = (std::sqrt(d) + 7 - low) / kCells;
  double total = 0, sum = 0;
  for (int cell = 0; cell < kCells; ++cell) {
    const double norm = low + (cell + 0.5) * width;
    // relative to the density at sqrt(d)
    const double density =
        std::exp((d - 1) * std::log(norm / std::sqrt(d)) - (norm * norm - d) / 2);
    total += density;
    sum += density * f(norm * norm);
  }
  return sum / total;
}

// Points of the Gaussian of the first two moments, none outside of the ball.
RowMatrix draw_gaussian(const Vector& mean, const Matrix& covariance, double floor, double radius,
                        SeededRandom& random) {
  const Eigenpairs pairs = ascending_eigenpairs(covariance);
  const Matrix root = pairs.vectors * pairs.values.cwiseMax(floor).cwiseSqrt().asDiagonal();
  RowMatrix drawn(kDrawn, mean.size());
  Vector normal(mean.size());
  for (Index a = 0; a < kDrawn; ++a) {
    for (double& x : normal) x = random.normal();
    drawn.row(a) = mean + root * normal;
    drawn.row(a) *= std::min(1.0, radius / drawn.row(a).norm());
  }
  return drawn;
}

RowMatrix draw_from(const GaussianMixture& mixture, SeededRandom& random) {
  const ComponentUnits units(mixture);
  RowMatrix drawn(kDrawn, mixture.dim());
  Vector normal(mixture.dim());
  for (Index a = 0; a < kDrawn; ++a) {
    double left = random.uniform();
    Index i = 0;
    while (i + 1 < mixture.components() && left >= mixture.weights[i]) left -= mixture.weights[i++];
    for (double& x : normal) x = random.normal();
    drawn.row(a) = mixture.means.col(i) + units.unscaled(i, normal);
  }
  return drawn;
}

// A private step. `known` is set to the number of components whose share stands out of the noise.
GaussianMixture noisy_step(PrivatePoints& points, const GaussianMixture& mixture, double mu,
                           Index& known) {
  const BiasedClip clip = component_clip(mixture.kind, mixture.dim());
  const Noisy<ComponentSums> noisy = points.components(mixture, clip.clip, mu).value();
  ComponentLimits limits;
  limits.least_count = kLeastOfEqual / static_cast<double>(mixture.components());
  limits.longest_step = std::sqrt(static_cast<double>(mixture.dim())) + kTail;
  limits.least_factor = 1 / kMostChange;
  limits.most_factor = kMostChange;
  const double least = kLeastDeviation * points.max_norm();
  limits.floor = least * least;
  limits.second_bias = clip.second_bias;
  const double deviation = noisy.deviation / clip.clip.count_scale;
  known = (noisy.value.counts.array() > kKnownShare * deviation).count();
  GaussianMixture next = maximise_components(mixture, noisy.value, limits);
  draw_means_into_ball(next, points.max_norm());
  return next;
}

}  // namespace

Index cover_components(Index k) { return std::max(kCoverForEach * k, kLeastCover); }

BiasedClip component_clip(CovarianceKind kind, Index dim) {
  const auto d = static_cast<double>(dim);
  const double longest = std::sqrt(d) + kTail;
  BiasedClip made;
  made.clip.count_scale = kCountShare * longest;
  made.clip.second_scale = kSquareShare * longest / second_norm(kind, d, longest * longest);
  made.clip.norm = longest * std::hypot(1, kCountShare, kSquareShare);
  const auto kept = [&](double square) {
    const double second = made.clip.second_scale * second_norm(kind, d, square);
    return std::min(1.0,
                    made.clip.norm / std::hypot(made.clip.count_scale, std::sqrt(square), second));
  };
  made.second_bias = over_gaussian_norms(d, [&](double square) { return kept(square) * square; }) /
                     (d * over_gaussian_norms(d, kept));
  return made;
}

std::vector<MixtureRelease> component_releases(Index dim, const MixtureOptions& options) {
  const Index k = options.components, cover = cover_components(k);
  const std::int64_t steps = options.private_component_steps();
  std::vector<MixtureRelease> list;
  const auto add = [&](const char* what, std::int64_t values, double share, double sensitivity,
                       const char* unit) {
    list.push_back(mixture_release(what, values, share, sensitivity, unit));
  };
  add(kPointMeanRelease, dim, kMeanShare, 2, "max-norm");
  add(kPointSecondRelease, dim * (dim + 1) / 2, kSecondShare, std::sqrt(2.0), "max-norm^2");
  for (std::int64_t step = 0; step < kCoverSteps; ++step) {
    add(kPointComponentRelease, cover * component_values(CovarianceKind::spherical, dim),
        kCoverShare / kCoverSteps, 2, "of its clip");
  }
  double growth = 0;
  const auto weight = [&](std::int64_t step) {
    return std::pow(kComponentStepGrowth, steps > 1 ? double(step) / double(steps - 1) : 0);
  };
  for (std::int64_t step = 0; step < steps; ++step) growth += weight(step);
  for (std::int64_t step = 0; step < steps; ++step) {
    add(kPointComponentRelease, k * component_values(options.covariance, dim),
        kStepShare * weight(step) / growth, 2, "of its clip");
  }
  return list;
}

PrivateMixtureFit fit_private_components(PrivatePoints& points, const PrivateMixturePlan& plan,
                                         const MixtureOptions& options,
                                         const ProgressCallback& progress) {
  const Index d = points.dim(), k = options.components;
  const auto seed = static_cast<std::uint64_t>(options.seed);
  auto next = plan.releases.begin();
  const Vector mean = points.mean((next++)->mu).value().value;
  const Noisy<Matrix> second = points.second_moment((next++)->mu).value();
  const double least = kLeastDeviation * points.max_norm();
  const double floor =
      std::max(second.deviation * std::sqrt(static_cast<double>(d)), least * least);
  SeededRandom random(seed, 1);
  const RowMatrix spread =
      draw_gaussian(mean, second.value - mean * mean.transpose(), floor, points.max_norm(), random);
  PrivateMixtureFit fit;
  fit.status = Status::completed;
  fit.mixture = start_among(spread, cover_components(k), CovarianceKind::spherical, seed, floor);
  const auto report = [&] {
    return report_progress(progress, {"refinement", next - plan.releases.begin(),
                                      static_cast<std::int64_t>(plan.releases.size())});
  };
  for (std::int64_t step = 0; step < kCoverSteps; ++step, ++next) {
    throw_if_stopped(!report());
    fit.mixture = noisy_step(points, fit.mixture, next->mu, fit.known);
  }
  fit.mixture =
      start_among(draw_from(fit.mixture, random), k, options.covariance, seed, least * least);
  draw_means_into_ball(fit.mixture, points.max_norm());
  fit.known = std::min(fit.known, k);
  for (; next != plan.releases.end(); ++next) {
    throw_if_stopped(!report());
    fit.mixture = noisy_step(points, fit.mixture, next->mu, fit.known);
  }
  sort_by_weight(fit.mixture);
  return fit;
}

}  // namespace sotto
