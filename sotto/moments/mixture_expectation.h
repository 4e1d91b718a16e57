// The expectation step of a mixture of Gaussians with one spherical variance.
//
// The responsibility of component i for a point x is r_i ~ w_i exp(-|x - mu_i|^2 / 2 s^2), summing
// to one. The sums are those of r_i, of r_i (x - mu_i) and of r_i |x - mu_i|^2. They are taken
// about the current means, so nothing cancels and a contribution is as short as the noise of a
// point. With a clip, the contribution (b r_i, r_i (x - mu_i); i = 1..k) of a record is clipped to
// that norm.
//
// Cost: about 6 N d k flops and N k exponentials. Privacy: none here.
#pragma once

#include <memory>
#include <utility>

#include "sotto/moments/gaussian_mixture.h"
#include "sotto/moments/point_moments.h"

namespace sotto {

// One row per point; rows sum to one. With variance zero, the nearest mean has all of it. These two
// take every kind of covariance (component_expectation.h); the sums below are of the common one.
RowMatrix responsibilities(const RowMatrix& points, const GaussianMixture& mixture);
RowMatrix responsibilities(const PointBlock& points, const GaussianMixture& mixture);

// log sum_i w_i N(x; mu_i, s^2 I) for each point x.
Vector log_likelihoods(const RowMatrix& points, const GaussianMixture& mixture);
Vector log_likelihoods(const PointBlock& points, const GaussianMixture& mixture);

struct ContributionClip {
  double count_scale = 1;  // b
  double norm = kNoBound;
};

// Sums of r_i, of r_i (x - mu_i), of r_i |x - mu_i|^2 and of the logarithms of likelihoods. Without
// clipping, wide sparse records take 4 nnz k flops.
class ExpectationSum final : public BallSum {
 public:
  ExpectationSum(GaussianMixture mixture, double radius, const ContributionClip& clip)
      : BallSum(radius), mixture_(std::move(mixture)), clip_(clip) {}
  Index cols() const override { return mixture_.components() * (mixture_.dim() + 1) + 2; }
  void write(ByteWriter& bytes) const override;
  static std::unique_ptr<RecordSum> read(ByteReader& bytes);

 protected:
  void of_rows(const RowMatrix& rows, RowMatrix& part) const override;
  bool spares_zeros() const override { return clip_.norm == kNoBound; }
  void of_wide(const PointBlock& block, RowMatrix& part) const override;

 private:
  GaussianMixture mixture_;
  ContributionClip clip_;
};

struct MixtureSums {
  Index records = 0;
  Vector counts;              // sum of r_i
  Matrix offsets;             // d x k: sum of r_i (x - mu_i)
  double scatter = 0;         // sum of r_i |x - mu_i|^2 over points and components
  double log_likelihood = 0;  // sum over the points, without clipping
};
MixtureSums expected_sums(PointSource& source, const GaussianMixture& mixture,
                          double radius = kNoBound, const ContributionClip& clip = {});

}  // namespace sotto
