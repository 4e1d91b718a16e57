// Private moments of points, record unit: the releases that a private mixture is made of.
//
// Neighbours replace one record; the number of records is public. Every record is drawn into the
// ball of the public radius B; every release is a mean over records of a contribution whose norm is
// held to G, so that neighbours differ by at most 2G/N (sqrt(2) B^2/N for the second moment, a
// difference of two positive matrices), and the Gaussian mechanism is exact:
// - mean:           x,                           d numbers
// - second moment:  x x^T,                       d(d+1)/2 numbers, isometric noise
// - third moment:   (W^T (x - c))^(x)3, clipped, in q dimensions, isometric noise. W and c come
//   from the releases before: whitened, the clip depends on the mixture's weights, not on B.
// - expectation:    responsibilities and responsibilities times x - mu_i, clipped together
// Where B is not given it is the first release: chosen in a public range, from all records, for a
// public share of epsilon (norm_bound.h).
// Everything made of them is post-processing. Cost: one pass for the first two together, one for
// each other release, one for the bound. Proof, floating point included: private_points.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "sotto/base/sensitive.h"
#include "sotto/moments/mixture_expectation.h"
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

// Bounds on the norm of one record's contribution to each mean, as the proof states them; what
// neighbours can differ by is `sensitivity` over the number of records.
struct RecordContribution {
  double norm;
  double sensitivity;
};
RecordContribution mean_contribution(double max_norm);
RecordContribution second_contribution(double max_norm);
RecordContribution third_contribution(double reach);
RecordContribution expectation_contribution(double clip);

// What a bound on the norm that has to be chosen costs, and what is left for the releases after it.
double norm_epsilon(const PrivacyTarget& target, const RecordNorm& norm);
PrivacyTarget target_of_moments(const PrivacyTarget& target, const RecordNorm& norm);

// What the releases are called in plans and certificates.
inline constexpr const char* kPointMeanRelease = "mean of the points";
inline constexpr const char* kPointSecondRelease = "second moment of the points";
std::string point_third_release(Index dimensions);
inline constexpr const char* kPointExpectationRelease =
    "responsibilities, and offsets from the means";

// The certificate's words for the record unit.
PrivacyStatement point_statement(Index records, Index dim, const RecordNorm& norm, double delta);
// The release of the bound, where there is one.
std::optional<PlannedRelease> planned_norm_bound(Index records, const RecordNorm& norm,
                                                 const PrivacyTarget& target);

// Refuses points of which moments are not released, whatever they are.
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
  // Runs a pass over the records; errors of reading say nothing about them.
  template <class Pass>
  auto guarded(Pass pass);

  std::unique_ptr<PointSource> source_;
  RecordNorm norm_;
  Index records_ = 0;
  std::optional<NormTally> tally_;  // where the bound is chosen in a range
  std::optional<PointSums> sums_;   // of records shortened to it, once it is known
};

class PrivatePoints {
 public:
  // The run must outlive this object. `target` is that of the whole run: where a bound on the norm
  // is to be chosen, it gets its share.
  PrivatePoints(CountedPoints points, const PrivacyTarget& target, PrivateRun& run);

  Index records() const { return points_.records(); }
  Index dim() const { return points_.dim(); }
  // B: known after the first release.
  double max_norm() const { return max_norm_; }

  // Each pays mu. What they are asked for is public or comes from releases.
  Released<Noisy<Vector>> mean(double mu);
  Released<Noisy<Matrix>> second_moment(double mu);  // E[x x^T]
  Released<Noisy<SymmetricTensor>> third_moment(const Vector& centre, const Matrix& w, double reach,
                                                double mu);
  // Means over the records: counts (shares of the components) and offsets; no scatter.
  Released<MixtureSums> expectation(const GaussianMixture& mixture, const ContributionClip& clip,
                                    double mu);

 private:
  struct Calibrated {
    double sensitivity, deviation, error;
  };
  Calibrated calibrate(const RecordContribution& contribution, Index width, double spread,
                       double grid_divisor, double mu) const;
  // Before the first release: the bound where it is sought, and the sums of shortened records.
  void prepare();

  CountedPoints points_;
  PrivateRun& run_;
  double norm_epsilon_;
  double max_norm_ = 0;
};

}  // namespace sotto
