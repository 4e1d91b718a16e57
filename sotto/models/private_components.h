// A private mixture of Gaussians with any number of components and any kind of covariance, record
// unit: expectation-maximisation from a private start.
//
// The releases are the mean, the second moment, what the start is made of, and `refine` steps of
// the mixture itself. The start comes from a released density, from which points can be drawn for
// free: the likeliest mixture of many drawn from such points (component_mixture.h). The steps that
// follow see the records again. The density is, by public numbers,
// - where at most three directions tell k means apart: a grid over the two or three directions in
//   which the points spread most, with the shares of its cells. A record is in one cell, so the
//   noise of a share is far smaller than that of any sum of offsets. Cells that do not stand out of
//   the noise are dropped. In all other directions the points are a Gaussian.
// - elsewhere: three steps of a cover, a mixture of more spherical components than were asked for,
//   which begin with centres spread over the Gaussian of the first two moments. With several times
//   as many components as there are clusters, most clusters get some.
//
// A clip shortens the offsets of a few points and makes variances too small. By how much is known
// for points of a Gaussian, and is undone.
#pragma once

#include <vector>

#include "sotto/models/component_mixture.h"
#include "sotto/models/private_mixture.h"
#include "sotto/release/private_points.h"

namespace sotto {

// Spherical components of the cover, by public numbers.
Index cover_components(Index k);
// Directions of the grid; zero where a cover gives the start.
Index grid_directions(Index dim, Index k);

// The releases in their order, with shares of mu^2 that add up to one.
std::vector<MixtureRelease> component_releases(Index dim, const MixtureOptions& options);

// The clip of a step, and by what it makes the sums of S too small where points are Gaussian.
struct BiasedClip {
  ComponentClip clip;
  double second_bias = 1;
};
BiasedClip component_clip(CovarianceKind kind, Index dim);

// As fit_private_mixture, which calls it.
PrivateMixtureFit fit_private_components(PrivatePoints& points, const PrivateMixturePlan& plan,
                                         const MixtureOptions& options,
                                         const ProgressCallback& progress);

}  // namespace sotto
