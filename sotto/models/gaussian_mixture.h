// A mixture of Gaussians with one spherical variance, from moments (Hsu & Kakade 2013; Anandkumar
// et al. 2014), and a few expectation-maximisation steps from there.
//
// About the mean m of all points, the third moment of such a mixture has the components alone. With
// S = sum_i w_i (mu_i - m)(mu_i - m)^T,
//   covariance = S + s^2 I,   E[(x - m)^(x)3] = sum_i w_i (mu_i - m)^(x)3,
// because what the noise adds to E[x^(x)3], s^2 (m (x) e_j (x) e_j in its 3 placements), vanishes
// with m. S has rank k - 1, so the points get one more coordinate, the constant 1: it makes k means
// in general position independent wherever the origin is. With W = U S^(-1/2) from the k - 1
// leading eigenpairs, (W^T (x - m), 1) has the second moment I (less the noise) and the third
// moment
//   T_abc = E[(W^T (x - m))^(x)3]_abc,   T_ab* = delta_ab,   T_a** = 0,   T_*** = 1,
//   T = sum_i w_i^(-1/2) v_i^(x)3,   v_i = sqrt(w_i) (W^T (mu_i - m), 1) orthonormal,
// so that a component (lambda, v) gives w_i = lambda^-2 and mu_i = m + lambda U S^(1/2) v_1..k-1.
// s^2 is the mean of the d - k + 1 smallest eigenvalues of the covariance. In the model they are
// all equal; the smallest alone would be biased by the sampling error.
//
// Cost: three passes and one for each step; N (d^2 + d k + k^3/2) + 6 N d k per step, and d^3 up to
// kWideDimension. Of more dimensions the leading eigenpairs alone are found, from products with the
// covariance; sparse points are then kept, and take what they have in numbers that are not zero,
// times k, in place of N d^2 and N d k. Privacy: none here; fit_private_mixture (private_mixture.h)
// does the same from releases.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sotto/base/progress.h"
#include "sotto/decompose/result.h"
#include "sotto/linalg/krylov.h"
#include "sotto/models/mixture_options.h"
#include "sotto/moments/mixture_expectation.h"

namespace sotto {

// What the first two moments tell.
struct MixtureSpectrum {
  Vector mean;
  double variance = 0;  // s^2
  Vector values;        // the k - 1 leading eigenvalues of S, none below the floor
  Matrix vectors;       // d x (k - 1)
  // How many eigenvalues stand out of the noise: of all d, or of the k largest where there are more
  // than kWideDimension.
  Index rank = 0;

  Matrix whiten() const;    // W = U S^(-1/2)
  Matrix unwhiten() const;  // U S^(1/2)
};

// How far noise alone lifts the eigenvalues of a covariance from `records` points: by sampling (the
// edge of the Marchenko-Pastur law) and, in a release, by isometric noise of this deviation.
struct CovarianceNoise {
  Index records = 1;
  double deviation = 0;
  double edge(Index dim, double variance) const;
};
MixtureSpectrum mixture_spectrum(const Vector& mean, const Matrix& covariance, Index k,
                                 const CovarianceNoise& noise);
// The same from products with the covariance and its trace.
MixtureSpectrum wide_mixture_spectrum(const Vector& mean, const BlockOperator& covariance,
                                      double trace, Index k, const CovarianceNoise& noise);

// E[(W^T (x - m))^(x)3], (k-1)^3, with the constant coordinate put in: k^3.
SymmetricTensor with_constant(const SymmetricTensor& third);

// The robust power method on `third` with the constant put in; a single component has the constant
// alone.
Decomposition decompose_mixture(const std::optional<SymmetricTensor>& third,
                                const MixtureOptions& options,
                                const ProgressCallback& progress = {});
GaussianMixture recover_mixture(const MixtureSpectrum& spectrum, const Decomposition& components);

// One maximisation step from sums taken about `mixture`.
GaussianMixture maximise(const GaussianMixture& mixture, const MixtureSums& sums);

struct MixtureFit {
  GaussianMixture mixture;   // most probable component first
  GaussianMixture spectral;  // before refinement
  MixtureSpectrum spectrum;
  Decomposition components;
  Index records = 0;
  std::vector<double> log_likelihood;  // per point, before each step
  double final_log_likelihood = 0;     // per point
  double movement = 0;                 // the largest of a mean in the last step
};

// Where moments give the start (component_mixture.h says when), refuses, naming the numerical rank,
// points whose covariance does not show k - 1 directions.
MixtureFit fit_mixture(PointSource& source, const MixtureOptions& options,
                       const ProgressCallback& progress = {});

void sort_by_weight(GaussianMixture& mixture);

// The largest distance between true and found means, and the largest difference of their weights,
// matched one to one so that the sum of the squared distances is least.
struct MixtureError {
  double mean;
  double weight;  // NaN when no true weights are given
};
MixtureError mixture_error(const Matrix& true_means, const Vector& true_weights,
                           const GaussianMixture& found);

}  // namespace sotto
