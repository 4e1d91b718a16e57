// Private moments of points, record unit: the releases that a private mixture is made of.
//
// Neighbours replace one record; the number of records is public. Every record is clipped to the
// ball of the public radius B. Every release is a mean over records of a contribution whose norm is
// at most G, so neighbours differ by at most 2G/N (sqrt(2) B^2/N for the second moment, a
// difference of two positive matrices), and the Gaussian mechanism is exact:
// - mean:           x,                           d numbers
// - second moment:  x x^T,                       d(d+1)/2 numbers, isometric noise
// - third moment:   (W^T (x - c))^(x)3, clipped, in q dimensions, isometric noise. W and c come
//   from the releases before: whitened, the clip depends on the mixture's weights, not on B.
// - expectation:    responsibilities and responsibilities times x - mu_i, clipped together
// - components:     the same with second moments, in the units of the components
//   (moments/component_expectation.h), clipped together
// - grid:           one for the cell of x (moments/point_grid.h); sqrt(2)/N between neighbours
// Where B is not given, it is the first release: chosen from a public range, by all records, for a
// public share of epsilon (norm_bound.h).
// Everything computed from them is post-processing. Cost: one pass for the first two together, one
// for each other release, one for the bound. Proof, floating point included: private_points.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "sotto/base/sensitive.h"
#include "sotto/moments/component_expectation.h"
#include "sotto/moments/mixture_expectation.h"
#include "sotto/moments/point_grid.h"
#include "sotto/release/calibration.h"
#include "sotto/release/noisy.h"
#include "sotto/release/norm_bound.h"
#include "sotto/release/plan.h"
#include "sotto/release/private_run.h"
#include "sotto/release/private_stream.h"

namespace sotto {

// Refuses, naming it, a source that cannot be read more than once or whose dimension would be read
// off the records.
PublicPointShape public_shape(const SensitivePoints& points);

// Bounds on the norm of one record's contribution to each mean, as the proof states them.
// Neighbours differ by at most `sensitivity` over the number of records.
struct RecordContribution {
  double norm;
  double sensitivity;
};
RecordContribution mean_contribution(double max_norm);
RecordContribution second_contribution(double max_norm);
RecordContribution third_contribution(double reach);
RecordContribution expectation_contribution(double clip);
RecordContribution grid_contribution();

// The cost of a bound on the norm that has to be chosen, and the target left for the releases after
// it.
double norm_epsilon(const PrivacyTarget& target, const RecordNorm& norm);
PrivacyTarget target_of_moments(const PrivacyTarget& target, const RecordNorm& norm);

// What the releases are called in plans and certificates.
inline constexpr const char* kPointMeanRelease = "mean of the points";
inline constexpr const char* kPointSecondRelease = "second moment of the points";
std::string point_third_release(Index dimensions);
inline constexpr const char* kPointExpectationRelease =
    "responsibilities, and offsets from the means";
inline constexpr const char* kPointComponentRelease =
    "responsibilities, offsets from the means, and their squares";
inline constexpr const char* kPointGridRelease = "records in the cells of a grid";
// How many numbers the release of components has for each component; a matrix is symmetric.
Index component_values(CovarianceKind kind, Index dim);

// What the certificate states about the record unit.
PrivacyStatement point_statement(Index records, Index dim, const RecordNorm& norm, double delta);
// The release of the bound, where there is one.
std::optional<PlannedRelease> planned_norm_bound(Index records, const RecordNorm& norm,
                                                 const PrivacyTarget& target);

// Refuses shapes whose moments are not released, whatever the points are.
void require_points(const PublicPointShape& shape, const RecordNorm& norm);

// Points that were read once: a file with a bad record is refused here, before anything is
// released. Their number is public, and known from now on.
class CountedPoints {
 public:
  CountedPoints(SensitivePoints points, const RecordNorm& norm);

  Index records() const { return records_; }
  Index dim() const { return source_->dim(); }

 private:
  friend class PrivatePoints;

  void require_all_read() const;
  // Runs a pass over the records; errors of reading say nothing about them. A file that was
  // changed meanwhile may fail in a later pass: `released` says what has left by then.
  template <class Pass>
  auto guarded(const char* released, Pass pass);

  std::unique_ptr<PointSource> source_;
  RecordNorm norm_;
  Index records_ = 0;
  std::optional<NormTally> tally_;  // where the bound is chosen from a range
  std::optional<PointSums> sums_;   // of records clipped to it, once it is known
};

class PrivatePoints {
 public:
  // The run must outlive this object. `target` is that of the whole run: a bound on the norm that
  // has to be chosen gets its share of it.
  PrivatePoints(CountedPoints points, const PrivacyTarget& target, PrivateRun& run);

  Index records() const { return points_.records(); }
  Index dim() const { return points_.dim(); }
  // B: known after the first release.
  double max_norm() const { return max_norm_; }

  // Each release pays mu. Its arguments are public or come from releases.
  Released<Noisy<Vector>> mean(double mu);
  Released<Noisy<Matrix>> second_moment(double mu);  // E[x x^T]
  Released<Noisy<SymmetricTensor>> third_moment(const Vector& centre, const Matrix& w, double reach,
                                                double mu);
  // Means over the records: counts (shares of the components) and offsets; no scatter.
  Released<MixtureSums> expectation(const GaussianMixture& mixture, const ContributionClip& clip,
                                    double mu);
  // Shares of the records in the cells.
  Released<Noisy<Vector>> grid(const PointGrid& grid, double mu);
  // Means over the records, no likelihood. Means and deviations of the mixture must be moderate
  // against the bound on the norm.
  Released<Noisy<ComponentSums>> components(const GaussianMixture& mixture,
                                            const ComponentClip& clip, double mu);

 private:
  struct Calibrated {
    double sensitivity, deviation, error;
  };
  Calibrated calibrate(const RecordContribution& contribution, Index width, double spread,
                       double grid_divisor, double mu) const;
  // Before the first release: chooses the bound if it is not given, and sums the clipped records.
  void prepare();

  CountedPoints points_;
  PrivateRun& run_;
  double norm_epsilon_;
  double max_norm_ = 0;
};

}  // namespace sotto
