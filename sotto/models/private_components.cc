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
constexpr double kMeanShare = 0.03, kSecondShare = 0.07;
// Where cells give the start: in at most three directions, whose bins make some 64 to 2000 cells.
constexpr double kCellShare = 0.25, kStepShareAfterCells = 0.65;
constexpr Index kMostDirections = 3, kBins[kMostDirections] = {64, 32, 12};
constexpr double kReach = 3;        // of the grid, in deviations of the points
constexpr double kKnownCell = 4.2;  // deviations of noise by which the share of a cell stands out
constexpr Index kLeastBlocks = 3;   // in a direction, where cells are joined
constexpr int kStartsFromCells = 24;
// Where a cover does.
constexpr double kCoverShare = 0.4, kStepShareAfterCover = 0.5;
constexpr std::int64_t kCoverSteps = 3;
constexpr Index kCoverForEach = 3, kLeastCover = 10;
constexpr double kComponentStepGrowth =
    2;  // the last step has this many times the share of the first
// Offsets are clipped at sqrt(d) + tail deviations.
constexpr double kTail = 0.5;
// Scales of counts and squares in a contribution, as a share of the longest offset.
constexpr double kCountShare = 0.4, kSquareShare = 0.5;
// A component keeps this share of an equal one.
constexpr double kLeastOfEqual = 0.05;
constexpr double kMostChange = 10;        // of a variance in one step
constexpr double kLeastDeviation = 1e-4;  // in units of the bound on the norm
constexpr Index kDrawn = 4000;            // points drawn from a released density
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

// The directions in which the points spread most, and what is left in the others.
struct Spread {
  PointGrid grid;
  Matrix rest;  // a root of the covariance in the other directions
};
Spread spread_of(const Vector& mean, const Matrix& covariance, Index q, double floor) {
  const Eigenpairs pairs = ascending_eigenpairs(covariance);
  const Vector deviations = pairs.values.cwiseMax(floor).cwiseSqrt();
  const Index d = mean.size();
  return {{mean, pairs.vectors.rightCols(q), kReach * deviations.tail(q), kBins[q - 1]},
          pairs.vectors.leftCols(d - q) * deviations.head(d - q).asDiagonal()};
}

// The block of `side` cells in every direction in which a cell lies.
Index block_of(const PointGrid& grid, Index cell, Index side) {
  Index block = 0;
  for (Index j = grid.dims() - 1; j >= 0; --j) {
    block = block * (grid.bins / side) + grid.interval(cell, j) / side;
  }
  return block;
}

// Shares that stand out of the noise: those of cells, then of what is left in blocks of more and
// more cells, which share it equally.
Vector shares_that_stand_out(const PointGrid& grid, const Noisy<Vector>& shares) {
  const Index cells = shares.value.size();
  Vector kept = Vector::Zero(cells);
  for (Index side = 1; kLeastBlocks * side <= grid.bins && grid.bins % side == 0; side *= 2) {
    Vector left = Vector::Zero(cells), count = Vector::Zero(cells);  // at the place of a block
    const auto open = [&](Index cell) { return kept[cell] == 0; };
    for (Index cell = 0; cell < cells; ++cell) {
      if (!open(cell)) continue;
      left[block_of(grid, cell, side)] += shares.value[cell];
      ++count[block_of(grid, cell, side)];
    }
    for (Index cell = 0; cell < cells; ++cell) {
      const Index block = block_of(grid, cell, side);
      const bool known = left[block] > kKnownCell * shares.deviation * std::sqrt(count[block]);
      if (open(cell) && known) kept[cell] = left[block] / count[block];
    }
  }
  if (kept.sum() == 0) kept.setOnes();
  return kept;
}

// Points of the density that the cells are.
RowMatrix draw_from(const Spread& spread, const Vector& shares, SeededRandom& random) {
  const PointGrid& grid = spread.grid;
  std::vector<double> until(static_cast<std::size_t>(shares.size()));
  std::partial_sum(shares.begin(), shares.end(), until.begin());
  RowMatrix drawn(kDrawn, grid.centre.size());
  Vector y(grid.dims()), normal(spread.rest.cols());
  for (Index a = 0; a < kDrawn; ++a) {
    const auto at =
        std::upper_bound(until.begin(), until.end() - 1, random.uniform() * until.back());
    for (Index j = 0; j < y.size(); ++j) {
      const double interval = double(grid.interval(at - until.begin(), j)) + random.uniform();
      y[j] = interval * grid.width(j) - grid.reach[j];
    }
    for (double& x : normal) x = random.normal();
    drawn.row(a) = grid.centre + grid.directions * y + spread.rest * normal;
  }
  return drawn;
}

Index grid_cells(Index q) {
  Index cells = 1;
  for (Index j = 0; j < q; ++j) cells *= kBins[q - 1];
  return cells;
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

Index grid_directions(Index dim, Index k) {
  return std::min(dim, k - 1) <= kMostDirections ? std::min({dim, k, kMostDirections}) : 0;
}

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
  const Index k = options.components;
  const std::int64_t steps = options.private_component_steps();
  std::vector<MixtureRelease> list;
  const auto add = [&](const char* what, std::int64_t values, double share, double sensitivity,
                       const char* unit) {
    list.push_back(mixture_release(what, values, share, sensitivity, unit));
  };
  add(kPointMeanRelease, dim, kMeanShare, 2, "max-norm");
  add(kPointSecondRelease, dim * (dim + 1) / 2, kSecondShare, std::sqrt(2.0), "max-norm^2");
  const Index q = grid_directions(dim, k);
  if (q > 0) {
    add(kPointGridRelease, grid_cells(q), kCellShare, std::sqrt(2.0), "of the records");
  } else {
    for (std::int64_t step = 0; step < kCoverSteps; ++step) {
      add(kPointComponentRelease,
          cover_components(k) * component_values(CovarianceKind::spherical, dim),
          kCoverShare / kCoverSteps, 2, "of its clip");
    }
  }
  const double step_share = q > 0 ? kStepShareAfterCells : kStepShareAfterCover;
  double growth = 0;
  const auto weight = [&](std::int64_t step) {
    return std::pow(kComponentStepGrowth, steps > 1 ? double(step) / double(steps - 1) : 0);
  };
  for (std::int64_t step = 0; step < steps; ++step) growth += weight(step);
  for (std::int64_t step = 0; step < steps; ++step) {
    add(kPointComponentRelease, k * component_values(options.covariance, dim),
        step_share * weight(step) / growth, 2, "of its clip");
  }
  return list;
}

namespace {

// The releases one after the other; what they are taken about is computed between them.
class ComponentFit {
 public:
  ComponentFit(PrivatePoints& points, const PrivateMixturePlan& plan, const MixtureOptions& options,
               const ProgressCallback& progress)
      : points_(points),
        plan_(plan),
        options_(options),
        progress_(progress),
        next_(plan.releases.begin()),
        seed_(static_cast<std::uint64_t>(options.seed)),
        random_(seed_, 1) {}

  PrivateMixtureFit run() {
    const Vector mean = points_.mean((next_++)->mu).value().value;
    const Noisy<Matrix> second = points_.second_moment((next_++)->mu).value();
    const double noise = second.deviation * std::sqrt(static_cast<double>(points_.dim()));
    const Matrix covariance = second.value - mean * mean.transpose();
    const bool cells = grid_directions(points_.dim(), options_.components) > 0;
    const double floor = std::max(noise, least_variance());
    const RowMatrix drawn =
        cells ? from_cells(mean, covariance, floor) : from_cover(mean, covariance, floor);
    fit_.status = Status::completed;
    fit_.mixture = start_among(drawn, options_.components, options_.covariance, seed_,
                               least_variance(), cells ? kStartsFromCells : kUsualStarts);
    draw_means_into_ball(fit_.mixture, points_.max_norm());
    fit_.known = std::min(fit_.known, options_.components);
    while (next_ != plan_.releases.end()) step();
    sort_by_weight(fit_.mixture);
    return std::move(fit_);
  }

 private:
  double least_variance() const {
    const double least = kLeastDeviation * points_.max_norm();
    return least * least;
  }

  void step() {
    throw_if_stopped(!report_progress(
        progress_, {"refinement", next_ - plan_.releases.begin(), std::ssize(plan_.releases)}));
    fit_.mixture = noisy_step(points_, fit_.mixture, (next_++)->mu, fit_.known);
  }

  RowMatrix from_cells(const Vector& mean, const Matrix& covariance, double floor) {
    const Index q = grid_directions(points_.dim(), options_.components);
    const Spread spread = spread_of(mean, covariance, q, floor);
    const Noisy<Vector> shares = points_.grid(spread.grid, (next_++)->mu).value();
    fit_.known = options_.components;  // until a step says otherwise
    return draw_from(spread, shares_that_stand_out(spread.grid, shares), random_);
  }

  RowMatrix from_cover(const Vector& mean, const Matrix& covariance, double floor) {
    const RowMatrix gaussian = draw_gaussian(mean, covariance, floor, points_.max_norm(), random_);
    fit_.mixture = start_among(gaussian, cover_components(options_.components),
                               CovarianceKind::spherical, seed_, floor);
    for (std::int64_t taken = 0; taken < kCoverSteps; ++taken) step();
    return draw_from(fit_.mixture, random_);
  }

  PrivatePoints& points_;
  const PrivateMixturePlan& plan_;
  const MixtureOptions& options_;
  const ProgressCallback& progress_;
  std::vector<MixtureRelease>::const_iterator next_;
  std::uint64_t seed_;
  SeededRandom random_;
  PrivateMixtureFit fit_;
};

}  // namespace

PrivateMixtureFit fit_private_components(PrivatePoints& points, const PrivateMixturePlan& plan,
                                         const MixtureOptions& options,
                                         const ProgressCallback& progress) {
  return ComponentFit(points, plan, options, progress).run();
}

}  // namespace sotto
