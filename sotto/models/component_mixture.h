// Mixtures of Gaussians with any number of components and any kind of covariance, by
// expectation-maximisation from a start among the points.
//
// Moments tell k <= d means apart where all components have one spherical variance
// (gaussian_mixture.h). Everything else begins here: with a sample of the records, k-means++ on it
// from several starts, and the likeliest mixture of a few steps on the sample. All records then
// take the steps.
//
// Cost: a pass for the moments, a pass for the sample, and one for each step
// (component_expectation.h). Privacy: none here; private_components.h has its own start.
#pragma once

#include <cstdint>
#include <limits>

#include "sotto/base/progress.h"
#include "sotto/models/gaussian_mixture.h"
#include "sotto/moments/component_expectation.h"

namespace sotto {

// What keeps a maximisation step from going astray. By default nothing does.
struct ComponentLimits {
  double least_count = 0;  // smaller sums of responsibilities are raised to it
  double longest_step = std::numeric_limits<double>::infinity();  // of a mean, in its units
  // By what a variance may change.
  double least_factor = 0, most_factor = std::numeric_limits<double>::infinity();
  double floor = 0;        // added to variances
  double second_bias = 1;  // by what the sums of S are too small
};

// One maximisation step from sums taken about `mixture`.
GaussianMixture maximise_components(const GaussianMixture& mixture, const ComponentSums& sums,
                                    const ComponentLimits& limits);

inline constexpr int kUsualStarts = 6;
// The likeliest mixture of several starts by k-means++, after a few steps. `floor` is added to
// variances.
GaussianMixture start_among(const RowMatrix& points, Index k, CovarianceKind kind,
                            std::uint64_t seed, double floor, int starts = kUsualStarts);

// Free numbers in such a mixture.
std::int64_t free_numbers(CovarianceKind kind, Index dim, Index k);
// Schwarz's criterion, -2 log L + p log N; smaller is better.
double schwarz_criterion(const GaussianMixture& mixture, Index records, double log_likelihood);

// Whether moments find the start: all components have one variance, and k means fit into the space.
bool starts_from_moments(const MixtureOptions& options, Index dim);

// Steps until the likelihood of a point grows by less than a tolerance, or as many as are asked
// for.
MixtureFit fit_components(PointSource& source, const MixtureOptions& options,
                          const ProgressCallback& progress = {});

}  // namespace sotto
