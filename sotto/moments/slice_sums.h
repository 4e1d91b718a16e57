// Sums over people of what slices of real numbers say: one slice of the first mode of a sparse
// tensor is one person. The counterpart of person_sums.h for values that are no counts.
//
// X_p = sum_t a_pt b_t o c_t o .. + noise. Every person contributes a block of norm one, whatever
// the size of the slice (release/private_people.md has the list):
// - row norms:  the norm of each row of each mode;
// - grams:      X_(m) X_(m)^T of one mode on a core of its rows. Measurement noise adds a multiple
//               of the identity, which the leading eigenvectors do not notice;
// - compressed: z z^T of the slice in few dimensions, z = X_p(U_1, U_2, ..);
// - normal:     the normal equations of each mode, with loadings a solved from the given factors;
// - loadings:   in which bin the share of a_t^2 lies.
// Rounded and added as integers (sum_over_people.h).
// Cost: O(entries) times the small dimensions; grams add up pairs of entries within fibres.
// Privacy: none here.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sotto/linalg/matrix.h"
#include "sotto/moments/sum_over_people.h"
#include "sotto/tensor/sparse_tensor.h"

namespace sotto {

// Given factors, all modes one after the other, and what turns X(b_t, c_t, ..) into loadings: the
// inverse of the entrywise product of the factors' Gram matrices.
struct SliceFactors {
  RowMatrix stacked;  // features x k
  Matrix solve;       // k x k
};

// Whoever holds the slices: sums over them.
class SliceSource {
 public:
  virtual ~SliceSource() = default;
  virtual Index features() const = 0;
  virtual Vector row_norms() const = 0;
  // Rows `core` of the mode, in increasing order.
  virtual Matrix gram(Index mode, std::span<const std::int32_t> core) const = 0;
  // One basis a mode, over its rows. Number ((i_1 r_2 + i_2) r_3 + ..) is the place of z.
  virtual Matrix compressed(const std::vector<RowMatrix>& bases) const = 0;
  // features x k right-hand sides, then a a^T, k x k, row by row.
  virtual Vector normal(const SliceFactors& factors) const = 0;
  // bins x k, as in person_sums.h.
  virtual RowMatrix loadings(const SliceFactors& factors, Index bins) const = 0;
};

class SliceSums final : public SliceSource {
 public:
  // Refuses less than two modes beside the people. The values must outlive this.
  explicit SliceSums(const SparseTensor& values) : SliceSums(nullptr, values) {}
  // Keeps the values.
  explicit SliceSums(std::unique_ptr<const SparseTensor> values);

  Index modes() const { return values_.order() - 1; }
  Index features() const override { return offset_.back(); }

  Vector row_norms() const override;
  Matrix gram(Index mode, std::span<const std::int32_t> core) const override;
  Matrix compressed(const std::vector<RowMatrix>& bases) const override;
  Vector normal(const SliceFactors& factors) const override;
  RowMatrix loadings(const SliceFactors& factors, Index bins) const override;
  // Of one person each: the least-squares loadings of the slice. One row for every index of the
  // first mode; a slice without entries has zeros.
  RowMatrix solved(const SliceFactors& factors) const;

 private:
  SliceSums(std::unique_ptr<const SparseTensor>&& own, const SparseTensor& values);

  std::span<const SparseTensor::Coordinate> cell(Index entry) const {
    return values_.index(entry).subspan(1);
  }
  double value(Index entry) const { return values_.values()[static_cast<std::size_t>(entry)]; }
  Index feature(Index entry, Index mode) const {
    return offset_[static_cast<std::size_t>(mode)] + cell(entry)[static_cast<std::size_t>(mode)];
  }
  // The factors' products at the place of an entry, but for one mode (-1: all of them).
  void products(const RowMatrix& stacked, Index entry, Index but, Eigen::RowVectorXd& out) const;
  Eigen::RowVectorXd solved(const SliceFactors& factors, Index first, Index last) const;
  // 1 over the largest absolute value of a slice, so that no square overflows; 0 for a zero slice.
  double scale_of(Index first, Index last) const;

  std::unique_ptr<const SparseTensor> own_;  // null: they are the caller's
  const SparseTensor& values_;
  std::vector<Index> offset_, begin_;
};

}  // namespace sotto
