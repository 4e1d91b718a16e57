#include "sotto/release/private_points.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/base/unquoted.h"
#include "sotto/privacy/gaussian.h"
#include "sotto/release/access.h"
#include "sotto/release/packed_matrix.h"
#include "sotto/release/private_stream.h"
#include "sotto/release/rounding.h"

namespace sotto {
namespace {

// private_points.md, 4: covers the error of a computed norm over `width` numbers, cubed at most.
double safe(Index width) { return kSafe + 8 * gamma(2 * static_cast<double>(width) + 16); }

// Beyond these, squares and cubes could overflow.
void require_moderate(double x, const char* what) {
  SOTTO_REQUIRE(x >= 1e-60 && x <= 1e60, "{} must be between 1e-60 and 1e60, got {}", what, x);
}

void require_moderate(const Matrix& m, const char* what) {
  SOTTO_REQUIRE(m.allFinite() && (m.size() == 0 || m.cwiseAbs().maxCoeff() <= 1e60),
                "{} must be finite and at most 1e60", what);
}

// Means and inverse deviations of components, in units of the bound on the norm.
constexpr double kMostInNorms = 1e15;

// Symmetric matrices d x d, one a column, by their unique entries: those off the diagonal times
// sqrt(2), so that the norm stays the same. Other kinds of covariance as they are.
Matrix folded(const Matrix& seconds, CovarianceKind kind, Index d) {
  if (kind != CovarianceKind::full) return seconds;
  Matrix entries(d * (d + 1) / 2, seconds.cols());
  Index next = 0;
  for (Index j = 0; j < d; ++j) {
    for (Index i = 0; i <= j; ++i) {
      entries.row(next++) = (i == j ? 1.0 : std::numbers::sqrt2) * seconds.row(j * d + i);
    }
  }
  return entries;
}

Matrix unfolded(const Matrix& entries, CovarianceKind kind, Index d) {
  if (kind != CovarianceKind::full) return entries;
  Matrix seconds(d * d, entries.cols());
  Index next = 0;
  for (Index j = 0; j < d; ++j) {
    for (Index i = 0; i <= j; ++i) {
      seconds.row(j * d + i) = (i == j ? 1.0 : 1 / std::numbers::sqrt2) * entries.row(next++);
      seconds.row(i * d + j) = seconds.row(j * d + i);
    }
  }
  return seconds;
}

// The share of epsilon for a bound that has to be chosen.
constexpr double kNormShare = 0.05;

// What has left when a record cannot be read.
constexpr const char* kFirstPass = ", and nothing was released by this run";
constexpr const char* kLaterPass = ", and what this run released before is spent";

std::string norm_fact(const RecordNorm& norm) {
  if (const auto* range = std::get_if<NormRange>(&norm)) {
    return fmt::format("that records are clipped to a norm between {:g} and {:g}", range->low,
                       range->high);
  }
  return fmt::format("that records longer than {:g} are clipped to that norm",
                     std::get<double>(norm));
}

void require_norm(const RecordNorm& norm) {
  const auto* range = std::get_if<NormRange>(&norm);
  const double low = range != nullptr ? range->low : std::get<double>(norm);
  const double high = range != nullptr ? range->high : low;
  SOTTO_REQUIRE_AT(low >= 1e-20 && high <= 1e20, range != nullptr ? "`norm-range`" : "`max-norm`",
                   "a bound on the norm must lie between 1e-20 and 1e20");
}

}  // namespace

PublicPointShape public_shape(const SensitivePoints& points) {
  const PointSource& source = *ReleaseAccess::view(points);
  SOTTO_REQUIRE_AT(source.dim_is_declared(), "`dim`",
                   "is needed: the dimension of {} would otherwise be read off the records",
                   source.name());
  SOTTO_REQUIRE_AT(source.can_rewind(), source.name(),
                   "cannot be read a second time; give a regular file");
  return {source.dim(), source.records(), source.name()};
}

RecordContribution mean_contribution(double max_norm) { return {max_norm, 2 * max_norm}; }
RecordContribution second_contribution(double max_norm) {
  return {max_norm * max_norm, std::numbers::sqrt2 * max_norm * max_norm};
}
RecordContribution third_contribution(double reach) {
  return {reach * reach * reach, 2 * reach * reach * reach};
}
RecordContribution expectation_contribution(double clip) { return {clip, 2 * clip}; }

RecordContribution grid_contribution() { return {1, std::numbers::sqrt2}; }

double norm_epsilon(const PrivacyTarget& target, const RecordNorm& norm) {
  return std::holds_alternative<NormRange>(norm) ? kNormShare * target.epsilon : 0;
}

PrivacyTarget target_of_moments(const PrivacyTarget& target, const RecordNorm& norm) {
  return {target.epsilon - norm_epsilon(target, norm), target.delta};
}

PrivacyStatement point_statement(Index records, Index dim, const RecordNorm& norm, double delta) {
  PrivacyStatement statement;
  statement.unit = "one record";
  statement.neighbours = "one record replaced by another; the number of records stays the same";
  statement.public_facts = {fmt::format("the number of records, {}", records),
                            fmt::format("the dimension of the records, {}", dim), norm_fact(norm),
                            "all options"};
  statement.delta = delta;
  statement.units = {records, "records"};
  return statement;
}

std::optional<PlannedRelease> planned_norm_bound(Index records, const RecordNorm& norm,
                                                 const PrivacyTarget& target) {
  const auto* range = std::get_if<NormRange>(&norm);
  if (range == nullptr) return std::nullopt;
  PlannedRelease release =
      planned(NormBound({*range, records, norm_epsilon(target, norm)}).record(), kNormShare);
  release.noise.reset();  // a choice among candidates
  release.noise_unit = "chosen among candidates";
  return release;
}

Index component_values(CovarianceKind kind, Index dim) {
  return 1 + dim +
         (kind == CovarianceKind::full ? dim * (dim + 1) / 2 : covariance_size(kind, dim));
}

std::string point_third_release(Index dimensions) {
  return fmt::format("third moment of the points in {} dimensions", dimensions);
}

void require_points(const PublicPointShape& shape, const RecordNorm& norm) {
  require_norm(norm);
  SOTTO_REQUIRE_AT(shape.dim <= kMostMomentDimensions, shape.name,
                   "has {} dimensions; second moments are released up to {}", shape.dim,
                   kMostMomentDimensions);
}

template <class Pass>
auto CountedPoints::guarded(const char* released, Pass pass) {
  try {
    return pass();
  } catch (const Error& error) {
    refuse_records(error, source_->name(), released);
  }
}

CountedPoints::CountedPoints(SensitivePoints points, const RecordNorm& norm)
    : source_(ReleaseAccess::take(std::move(points))), norm_(norm) {
  require_points({dim(), source_->records(), source_->name()}, norm);
  if (const auto* range = std::get_if<NormRange>(&norm)) {
    tally_.emplace(*range);
    tally_->add(
        guarded(kFirstPass, [&] { return sum_from_beginning(*source_, tally_->question()); }));
    records_ = tally_->records();
  } else {
    const double max_norm = std::get<double>(norm);
    sums_ =
        guarded(kFirstPass, [&] { return sum_moments(*source_, Vector::Zero(dim()), max_norm); });
    records_ = sums_->records;
  }
  SOTTO_REQUIRE_AT(records() > 0, source_->name(), "has no records");
}

void CountedPoints::require_all_read() const {
  SOTTO_REQUIRE_AT(source_->position() == records(), source_->name(),
                   "was changed while it was read: it has another number of records now");
}

PrivatePoints::PrivatePoints(CountedPoints points, const PrivacyTarget& target, PrivateRun& run)
    : points_(std::move(points)), run_(run), norm_epsilon_(norm_epsilon(target, points_.norm_)) {
  if (points_.sums_) max_norm_ = std::get<double>(points_.norm_);
}

void PrivatePoints::prepare() {
  if (points_.sums_) return;
  const NormBound bound({std::get<NormRange>(points_.norm_), records(), norm_epsilon_});
  max_norm_ = run_.choose(bound, *points_.tally_).value();
  points_.sums_ = points_.guarded(
      kLaterPass, [&] { return sum_moments(*points_.source_, Vector::Zero(dim()), max_norm_); });
  points_.require_all_read();
}

PrivatePoints::Calibrated PrivatePoints::calibrate(const RecordContribution& contribution,
                                                   Index width, double spread, double grid_divisor,
                                                   double mu) const {
  const auto n = static_cast<double>(records());
  const double sensitivity = contribution.sensitivity / n * safe(width);
  const double depth = static_cast<double>(record_depth(dim(), records()));
  const double error = gamma(depth + 32) * contribution.norm * safe(width);
  const HiddenBlock hidden{sensitivity + 2 * error, spread, grid_divisor};
  return {sensitivity, deviation_for(hidden, mu), error};
}

Released<Noisy<Vector>> PrivatePoints::mean(double mu) {
  prepare();
  Vector value = points_.sums_->first / static_cast<double>(records());
  const auto c = calibrate(mean_contribution(max_norm_), dim(), std::sqrt(double(dim())), 1, mu);
  const GaussianMechanism mechanism(kPointMeanRelease, c.sensitivity, c.deviation, dim(), c.error);
  return run_.publish(mechanism, std::move(value));
}

Released<Noisy<Matrix>> PrivatePoints::second_moment(double mu) {
  prepare();
  const Index d = dim();
  PackedMatrix value(d, [&](Index i, Index j) {
    return points_.sums_->second(i, j) / static_cast<double>(records());
  });
  // The grid is set by the off-diagonal noise, which is smaller by sqrt(2).
  const auto c =
      calibrate(second_contribution(max_norm_), d, static_cast<double>(d), std::numbers::sqrt2, mu);
  const SymmetricGaussianMechanism mechanism(kPointSecondRelease, c.sensitivity, c.deviation, d, 2,
                                             c.error);
  return ReleaseAccess::released(unpacked(run_.publish(mechanism, std::move(value)).value()));
}

Released<Noisy<SymmetricTensor>> PrivatePoints::third_moment(const Vector& centre, const Matrix& w,
                                                             double reach, double mu) {
  const Index q = w.cols();
  SOTTO_REQUIRE(w.rows() == dim() && centre.size() == dim() && 1 <= q && q <= dim(),
                "points of dimension {}, a centre of dimension {}, a map {} x {}", dim(),
                centre.size(), w.rows(), q);
  prepare();
  require_moderate(reach, "the reach of the third moment");
  require_moderate(w, "the map of the third moment");
  require_moderate(centre, "the centre of the third moment");
  SymmetricTensor value(q, 3);
  value.add_scaled(1 / static_cast<double>(records()), points_.guarded(kLaterPass, [&] {
    return sum_cubes(*points_.source_, centre, w, max_norm_, reach);
  }));
  points_.require_all_read();
  const auto c =
      calibrate(third_contribution(reach), q, std::pow(double(q), 1.5), std::sqrt(6.0), mu);
  const SymmetricGaussianMechanism mechanism(point_third_release(q), c.sensitivity, c.deviation, q,
                                             3, c.error);
  return run_.publish(mechanism, std::move(value));
}

Released<MixtureSums> PrivatePoints::expectation(const GaussianMixture& mixture,
                                                 const ContributionClip& clip, double mu) {
  const Index d = dim(), k = mixture.components();
  SOTTO_REQUIRE(mixture.dim() == d && 1 <= k && k <= d && mixture.weights.size() == k,
                "points of dimension {}, a mixture of {} in {} dimensions", d, k, mixture.dim());
  prepare();
  require_moderate(clip.norm, "the clip of the expectation");
  require_moderate(clip.count_scale, "the scale of the counts");
  require_moderate(mixture.means, "the means of the mixture");
  require_moderate(mixture.weights, "the weights of the mixture");
  require_moderate(mixture.variance, "the variance of the mixture");
  const MixtureSums sums = points_.guarded(
      kLaterPass, [&] { return expected_sums(*points_.source_, mixture, max_norm_, clip); });
  points_.require_all_read();
  Matrix value(d + 1, k);  // one row of counts, and the offsets
  value << clip.count_scale * sums.counts.transpose(), sums.offsets;
  value /= static_cast<double>(records());
  const std::int64_t count = value.size();
  const auto c =
      calibrate(expectation_contribution(clip.norm), count, std::sqrt(double(count)), 1, mu);
  const GaussianMechanism mechanism(kPointExpectationRelease, c.sensitivity, c.deviation, count,
                                    c.error);
  const Matrix noisy = run_.publish(mechanism, std::move(value)).value().value;
  return ReleaseAccess::released(MixtureSums{records(), noisy.row(0).transpose() / clip.count_scale,
                                             noisy.bottomRows(d), 0, 0});
}

Released<Noisy<Vector>> PrivatePoints::grid(const PointGrid& grid, double mu) {
  SOTTO_REQUIRE(grid.centre.size() == dim(), "points of dimension {}, a grid about a centre of {}",
                dim(), grid.centre.size());
  prepare();
  require_moderate(grid.centre, "the centre of the grid");
  require_moderate(grid.directions, "the directions of the grid");
  require_moderate(grid.reach, "the reach of the grid");
  require_moderate(grid.reach.minCoeff(), "the reach of the grid");
  Vector value =
      points_.guarded(kLaterPass, [&] { return grid_counts(*points_.source_, grid, max_norm_); });
  points_.require_all_read();
  value /= static_cast<double>(records());
  const Index cells = value.size();
  const auto c = calibrate(grid_contribution(), 1, std::sqrt(double(cells)), 1, mu);
  const GaussianMechanism mechanism(kPointGridRelease, c.sensitivity, c.deviation, cells, c.error);
  return run_.publish(mechanism, std::move(value));
}

Released<Noisy<ComponentSums>> PrivatePoints::components(const GaussianMixture& mixture,
                                                         const ComponentClip& clip, double mu) {
  const Index d = dim(), k = mixture.components();
  SOTTO_REQUIRE(mixture.dim() == d && k >= 1, "points of dimension {}, a mixture of {} in {}", d, k,
                mixture.dim());
  prepare();
  require_moderate(clip.norm, "the clip of the components");
  require_moderate(clip.count_scale, "the scale of the counts");
  require_moderate(clip.second_scale, "the scale of the squares");
  // private_points.md, 4: squares of squares of offsets do not overflow.
  require_moderate(mixture.weights, "the weights of the mixture");
  SOTTO_REQUIRE(mixture.means.allFinite() &&
                    mixture.means.cwiseAbs().maxCoeff() <= kMostInNorms * max_norm_ &&
                    ComponentUnits(mixture).largest_inverse() * max_norm_ <= kMostInNorms,
                "the components must be moderate against the bound on the norm");
  const ComponentSums sums = points_.guarded(
      kLaterPass, [&] { return component_sums(*points_.source_, mixture, max_norm_, clip); });
  points_.require_all_read();
  const Index width = component_values(mixture.kind, d);
  Matrix value(width, k);
  value.row(0) = clip.count_scale * sums.counts.transpose();
  value.middleRows(1, d) = sums.offsets;
  value.bottomRows(width - 1 - d) = clip.second_scale * folded(sums.seconds, mixture.kind, d);
  value /= static_cast<double>(records());
  const std::int64_t count = value.size();
  const auto c =
      calibrate(expectation_contribution(clip.norm), count, std::sqrt(double(count)), 1, mu);
  const GaussianMechanism mechanism(kPointComponentRelease, c.sensitivity, c.deviation, count,
                                    c.error);
  const Noisy<Matrix> noisy = run_.publish(mechanism, std::move(value)).value();
  return ReleaseAccess::released(Noisy<ComponentSums>{
      {records(), noisy.value.row(0).transpose() / clip.count_scale, noisy.value.middleRows(1, d),
       unfolded(noisy.value.bottomRows(width - 1 - d) / clip.second_scale, mixture.kind, d), 0},
      noisy.deviation,
      noisy.variance});
}

}  // namespace sotto
