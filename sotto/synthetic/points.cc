#include "sotto/synthetic/points.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sotto/base/error.h"
#include "sotto/base/parallel.h"
#include "sotto/base/random.h"
#include "sotto/decompose/block.h"
#include "sotto/linalg/spectral.h"

namespace sotto {
namespace {

// Streams of one seed: the components, and from first_record on one for each record.
constexpr std::uint64_t kPointComponentStream = 21;
constexpr std::uint64_t first_record = std::uint64_t{1} << 32;

Vector make_weights(const PointModel& model) {
  Vector weights = Vector::LinSpaced(model.components, 2.0, 1.0);
  if (!model.weights.empty()) {
    SOTTO_REQUIRE_AT(static_cast<std::int64_t>(model.weights.size()) == model.components,
                     "`weights`", "expected {} weights, one a component, got {}", model.components,
                     model.weights.size());
    weights = Eigen::Map<const Vector>(model.weights.data(), model.components);
  }
  SOTTO_REQUIRE_AT(weights.minCoeff() > 0, "`weights`", "probabilities must be above 0");
  return weights / weights.sum();
}

// Random directions, all scaled by one factor so that the two nearest are `distance` apart.
Matrix separated_means(const PointModel& model, double distance, SeededRandom& random) {
  const Matrix directions = random_unit_block(model.dim, model.components, random);
  double nearest = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < model.components; ++i) {
    for (Index j = 0; j < i; ++j) {
      nearest = std::min(nearest, (directions.col(i) - directions.col(j)).norm());
    }
  }
  if (model.components == 1) return directions * distance;
  SOTTO_REQUIRE_AT(nearest > 1e-6, "`dim`", "{} means in {} dimensions coincide", model.components,
                   model.dim);
  return directions * (distance / nearest);
}

}  // namespace

OptionTable PointModel::table() {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  return OptionTable()
      .choice("model", model,
              "orthonormal: components of unit length at right angles; mixture: Gaussians of one "
              "spherical variance")
      .integer("dim", 'd', dim, {1, 1000000}, "dimension of a record")
      .integer("components", 'k', components, {1, 1000000}, "number of latent components")
      .integer("records", 'n', records, {1, most}, "number of records")
      .reals("weights", weights, {0, 1e300, true},
             "probabilities of the components, scaled to sum 1 (none given: from 2 down to 1)")
      .real("noise", 0, noise, {0, 1e300}, "approximate length of the noise of a record")
      .flag("centred", centred,
            "records with mean zero, whose third moment contains only the components")
      .real("separation", 0, separation, {0, 1e6, true},
            "mixture: distance of the two nearest means, in standard deviations of a coordinate")
      .real("max-norm", 0, max_norm, {0, 1e300}, "clip records to this norm; 0: no clipping")
      .integer("seed", 0, seed, {0, most}, "seed of components and records");
}

double PointModel::deviation() const { return noise / std::sqrt(static_cast<double>(dim)); }

SyntheticPoints::SyntheticPoints(const PointModel& model) : model_(model) {
  SOTTO_REQUIRE_AT(model.components <= model.dim, "`components`",
                   "cannot exceed the dimension {}, got {}", model.dim, model.components);
  SOTTO_REQUIRE_AT(!model.is_mixture() || !model.centred, "`centred`",
                   "only works with `model` orthonormal");
  SOTTO_REQUIRE_AT(!model.is_mixture() || model.noise > 0, "`noise`",
                   "must be above 0: the separation of the means is measured in it");
  SeededRandom random(static_cast<std::uint64_t>(model.seed), kPointComponentStream);
  vectors_ = model.is_mixture()
                 ? separated_means(model, model.separation * model.deviation(), random)
                 : orthonormal_columns(random_unit_block(model.dim, model.components, random));
  weights_ = make_weights(model);
  cumulated_.resize(weights_.size());
  std::partial_sum(weights_.begin(), weights_.end(), cumulated_.begin());
}

void SyntheticPoints::make_record(Index number, double* values) const {
  SeededRandom random(static_cast<std::uint64_t>(model_.seed),
                      first_record + static_cast<std::uint64_t>(number));
  const auto found = std::upper_bound(cumulated_.begin(), cumulated_.end(), random.uniform());
  const Index h = std::min<Index>(found - cumulated_.begin(), weights_.size() - 1);
  double c = 1;
  if (model_.centred) c = std::cbrt(4.0) * (random.below(3) == 0 ? 1.0 : -0.5);
  Eigen::Map<Vector> x(values, dim());
  x = c * vectors_.col(h);
  if (model_.noise > 0) {
    const double scale = model_.deviation();
    for (double& value : x) value += scale * random.normal();
  }
  const double norm = x.norm();
  // Slightly below the bound, so that rounding cannot lift the norm above it.
  if (model_.max_norm > 0 && norm > model_.max_norm) x *= model_.max_norm * (1 - 1e-15) / norm;
}

Index SyntheticPoints::fill(Index max_rows, PointBlock& block) {
  const Index rows = std::min(max_rows, model_.records - next_);
  block.is_sparse = false;
  block.dense.resize(rows, dim());
  parallel_for(rows, {0}, [&](Index r) { make_record(next_ + r, block.dense.row(r).data()); });
  next_ += rows;
  return rows;
}

}  // namespace sotto
