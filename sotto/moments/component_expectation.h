// The expectation step of a mixture of Gaussians, in the units of its components.
//
// With covariances L_i L_i^T, the offset of a point from component i is z_i = L_i^-1 (x - mu_i) and
// its responsibility r_i ~ w_i |L_i|^-1 exp(-|z_i|^2 / 2). The sums over the points are those of
// r_i, of r_i z_i and of r_i S(z_i), where S is what the kind of covariance needs:
//   common, spherical  |z|^2 / sqrt(d),   diagonal  z_j^2,   full  z z^T.
// In these units a point of its own component has |z|^2 near d whatever the scale of the data, and
// S(z) has norm near sqrt(d) (d for full). With a clip, the contribution
//   v = (b r_i, r_i z_i, c r_i S(z_i); i = 1..k)
// of a record is clipped to that norm (of a matrix, the Frobenius norm).
//
// Cost: 6 N d k flops and N k exponentials; N k d^2 more with full covariances.
// Privacy: none here. The sums are exact; the caller who releases them adds the noise.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "sotto/moments/gaussian_mixture.h"
#include "sotto/moments/point_moments.h"

namespace sotto {

// The roots L_i of the covariances, from their eigenpairs. Refuses a covariance that is not
// positive.
class ComponentUnits {
 public:
  explicit ComponentUnits(const GaussianMixture& mixture);

  // z_i of each point, which is a row.
  Matrix offsets(const Matrix& points, Index i) const;
  // L_i is this times the identity; where covariances are common or spherical.
  double deviation(Index i) const { return deviations_(0, i); }
  // d x k, where covariances are not full.
  const Matrix& deviations() const { return deviations_; }
  // log w_i - log |L_i| - d/2 log 2 pi.
  double log_height(Index i) const { return log_heights_[i]; }
  // L_i z, and L_i M L_i^T.
  Vector unscaled(Index i, const Vector& z) const;
  Matrix unscaled(Index i, const Matrix& m) const;
  // The largest entry of an inverse root.
  double largest_inverse() const;

 private:
  const GaussianMixture& mixture_;
  Matrix deviations_;          // d x k, where covariances are diagonal
  std::vector<Matrix> roots_;  // where they are full
  std::vector<Matrix> inverse_roots_;
  Vector log_heights_;
};

// One row per point; rows sum to one. For mixtures whose covariances are positive.
RowMatrix component_responsibilities(const RowMatrix& points, const GaussianMixture& mixture);
Vector component_log_likelihoods(const RowMatrix& points, const GaussianMixture& mixture);
// The same of sparse points, without their zeros; not for full covariances.
RowMatrix component_responsibilities(const PointBlock& points, const GaussianMixture& mixture);
Vector component_log_likelihoods(const PointBlock& points, const GaussianMixture& mixture);

struct ComponentClip {
  double count_scale = 1;   // b
  double second_scale = 1;  // c
  double norm = kNoBound;
};

// For each component its count, offsets and S, one after the other; at the end the sum of the
// logarithms of likelihoods, without clipping. Without a clip, and but for full covariances, wide
// sparse records take 8 nnz k flops.
class ComponentSum final : public BallSum {
 public:
  ComponentSum(const GaussianMixture& mixture, double radius, const ComponentClip& clip)
      : BallSum(radius), mixture_(mixture), units_(mixture_), clip_(clip) {}
  ComponentSum(const ComponentSum&) = delete;
  ComponentSum& operator=(const ComponentSum&) = delete;
  Index cols() const override { return mixture_.components() * width() + 1; }
  void write(ByteWriter& bytes) const override;
  static std::unique_ptr<RecordSum> read(ByteReader& bytes);

 protected:
  void of_rows(const RowMatrix& rows, RowMatrix& part) const override;
  bool spares_zeros() const override {
    return clip_.norm == kNoBound && mixture_.kind != CovarianceKind::full;
  }
  void of_wide(const PointBlock& block, RowMatrix& part) const override;

 private:
  Index width() const {
    return 1 + mixture_.dim() + covariance_size(mixture_.kind, mixture_.dim());
  }
  void add_piece(const Matrix& points, RowMatrix& part) const;
  // The same for common and spherical covariances, without forming z; `centres` are padded.
  void add_round_piece(const double* points, Index rows, const RowMatrix& centres,
                       RowMatrix& part) const;

  GaussianMixture mixture_;
  ComponentUnits units_;  // of mixture_
  ComponentClip clip_;
};

struct ComponentSums {
  Index records = 0;
  Vector counts;
  Matrix offsets;  // d x k
  Matrix seconds;  // covariance_size x k
  double log_likelihood = 0;
};
ComponentSums component_sums(PointSource& source, const GaussianMixture& mixture,
                             double radius = kNoBound, const ComponentClip& clip = {});

}  // namespace sotto
