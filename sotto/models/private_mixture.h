// A private mixture of Gaussians, record unit: gaussian_mixture.h from released moments. Where
// moments do not give the start, private_components.h has another way; plan and run lead there.
//
// The releases are the mean, the second moment, the third moment whitened by these two, and
// `refine` expectation steps: 3 + refine Gaussian releases, whose number and cost are fixed before
// the data is read. All else is post-processing. The variance comes from the second moment.
//
// Clips come from releases. W^T (x - m) is clipped to a few times its root mean square. Offsets are
// taken about the current means, so the contribution to an expectation step is clipped to a norm
// that only a few per cent of the points of a component exceed; a clipped step moves in the right
// direction by a little less. Shares and clips were tuned on synthetic mixtures (docs/mixture.md).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sotto/models/gaussian_mixture.h"
#include "sotto/release/plan.h"
#include "sotto/release/private_points.h"

namespace sotto {

// Public constants of the method, tuned on synthetic mixtures.
struct MixtureTuning {
  // Shares of mu^2. They are scaled up when nothing is refined, or when one component needs no
  // third moment.
  double mean_share = 0.05;
  double second_share = 0.3;
  double third_share = 0.15;
  double refine_share = 0.5;
  // The last expectation step decides the result: it has this many times the share of the first.
  double growth = 3;
  // Whitened points are clipped at this many times their root mean square.
  double reach = 2;
  // Offsets are clipped at sqrt(d) + tail deviations, which about 8% of the points exceed.
  double tail = 1;
  // The scale of counts in a contribution, as a share of the longest offset.
  double count_share = 0.3;
};

// A Gaussian release. Its noise is in units of the largest norm that a record contributes.
struct MixtureRelease {
  PlannedRelease planned;
  double mu = 0;
};
MixtureRelease mixture_release(const std::string& what, std::int64_t values, double share,
                               double sensitivity, const std::string& noise_unit);

struct PrivateMixturePlan {
  PublicPointShape shape;  // with the number of records
  RecordNorm norm;
  PrivacyTarget target;  // of the whole run, with the choice of a norm bound
  Index components = 0;
  std::int64_t steps = 0;
  MixtureTuning tuning;
  // Mean, second, third (none for k = 1), refinements; or those of private_components.h.
  std::vector<MixtureRelease> releases;
  bool from_moments = true;  // whether moments give the start
  CovarianceKind covariance = CovarianceKind::common;
};

// Points lie in the ball, and so do their means: clips means that noise has moved out of it.
void draw_means_into_ball(GaussianMixture& mixture, double radius);

// Depends on public numbers alone; the shape has the number of records.
PrivateMixturePlan plan_private_mixture(const PublicPointShape& shape, const RecordNorm& norm,
                                        const PrivacyTarget& target, const MixtureOptions& options,
                                        const MixtureTuning& tuning = {});

// The plan of the run.
Plan run_plan(const PrivateMixturePlan& plan);

// What is expected of k equal components far from each other, once they are found.
struct MixtureForecast {
  // The error of a mean in deviations of its component, by noise and sampling: the root mean square
  // of its length.
  double mean_error;
  // What noise takes from the log likelihood of a point.
  double loss;
};
// None without expectation steps.
std::optional<MixtureForecast> forecast_mixture(const PrivateMixturePlan& plan);
// The least epsilon at which the loss is at most 0.05. Components of unequal weight lose about
// twice as much; a loss of 0.1 and more mostly means that one was missed (docs/mixture.md).
// Infinite where no epsilon up to 100 reaches it.
double expected_mixture_epsilon(const PublicPointShape& shape, const RecordNorm& norm,
                                const PrivacyTarget& target, const MixtureOptions& options);

struct PrivateMixtureFit {
  GaussianMixture mixture;  // most probable component first
  // How many eigenvalues of the released second moment stand out of its noise. With fewer than k -
  // 1 the means say little. Computed from releases.
  Index rank = 0;
  Status status = Status::converged;  // of the power method
  // Where moments do not give the start: the components whose shares stand out of the noise.
  Index known = 0;
};
// `points` must belong to a run made from run_plan(plan).
PrivateMixtureFit fit_private_mixture(PrivatePoints& points, const PrivateMixturePlan& plan,
                                      const MixtureOptions& options,
                                      const ProgressCallback& progress = {});

}  // namespace sotto
