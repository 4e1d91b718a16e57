// The raw moments of points: sums of z, z z^T and (W^T z)^(x)3 over all records, z = x - c.
//
// With a radius, every record is first clipped to the ball of that radius about the origin. With a
// reach, every W^T z is clipped to the ball of that reach. This bounds what one record can do to a
// sum. Nothing of size d^3 is formed. Each function reads the source from its beginning once, in
// blocks whose size depends on the dimension alone, so that the sums are the same in every run, for
// any number of threads and shards (tensor/record_sum.h).
//
// Cost: N d^2 and N (d q + q^3/2) flops, O(d^2 + q^3) memory and one block.
// Privacy: none here; release/ adds the noise. Its rounding bounds rest on record_depth.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "sotto/tensor/record_sum.h"
#include "sotto/tensor/symmetric_tensor.h"

namespace sotto {

inline constexpr double kNoBound = std::numeric_limits<double>::infinity();

// Sparse records of more dimensions are summed without their zeros, where nothing is clipped and
// the sum knows how: work and memory follow the numbers that are there.
inline constexpr Index kWideDimension = 1024;
inline bool is_wide(bool is_sparse, Index dim) { return is_sparse && dim > kWideDimension; }

// Refuses second moments of more dimensions, which would take 8 GB and more.
inline constexpr Index kMostMomentDimensions = Index{1} << 15;

// The rows of a block, and the most additions that a number passes in a sum over `records` records.
Index record_block_rows(Index dim);
Index record_depth(Index dim, Index records);

// min(1, bound / |row|) for each row; 0 for a row so long that its square overflows.
Vector shrink_factors(const Vector& squared_norms, double bound);

// Rewinds the source and hands out its records, clipped to the ball, as dense blocks. All blocks
// but the last have full size. Returns the number of records.
Index for_record_blocks(PointSource& source, double radius,
                        const std::function<void(const RowMatrix&)>& use);

// Rewinds the source and hands out its records as they are: wide sparse ones without their zeros.
Index for_point_blocks(PointSource& source, const std::function<void(const PointBlock&)>& use);
// Hands out the records of a block as dense rows, not more at a time than record_block_rows().
void for_dense_rows(const PointBlock& block, const std::function<void(const RowMatrix&)>& use);

// A sum over records as dense blocks, clipped to the ball: what the sums below have in common.
class BallSum : public RecordSum {
 public:
  explicit BallSum(double radius) : radius_(radius) {}
  Index rows() const override { return 1; }
  Index block_rows(const PointSource& source) const override;
  void of_block(const PointBlock& block, RowMatrix& part) const final;

 protected:
  // Sets `part`, 1 x cols(), for records that lie in the ball.
  virtual void of_rows(const RowMatrix& rows, RowMatrix& part) const = 0;
  // Whether of_wide() sets `part` for sparse records without a ball.
  virtual bool spares_zeros() const { return false; }
  virtual void of_wide(const PointBlock&, RowMatrix&) const {}

  double radius_;
};

// The sum over all records of a source, from its beginning.
RecordTotal sum_from_beginning(PointSource& source, const RecordSum& sum);

// How many records have a norm up to each of these bounds, and beyond the bound before; the last
// number counts the longest. A rounding beyond a bound, 2^-40 of it, does not count.
class NormCounts final : public RecordSum {
 public:
  explicit NormCounts(std::vector<double> bounds) : bounds_(std::move(bounds)) {}
  Index rows() const override { return 1; }
  Index cols() const override { return std::ssize(bounds_) + 1; }
  void of_block(const PointBlock& block, RowMatrix& part) const override;
  void write(ByteWriter& bytes) const override;
  static std::unique_ptr<RecordSum> read(ByteReader& bytes);

 private:
  std::vector<double> bounds_;
};

// Sums of z and of z z^T.
class MomentSums final : public BallSum {
 public:
  MomentSums(Vector centre, double radius) : BallSum(radius), centre_(std::move(centre)) {}
  Index cols() const override { return centre_.size() * (centre_.size() + 1); }
  void write(ByteWriter& bytes) const override;
  static std::unique_ptr<RecordSum> read(ByteReader& bytes);

 protected:
  void of_rows(const RowMatrix& rows, RowMatrix& part) const override;

 private:
  Vector centre_;
};

// Sums of z and of |z|^2.
class SpreadSums final : public BallSum {
 public:
  SpreadSums(Vector centre, double radius) : BallSum(radius), centre_(std::move(centre)) {}
  Index cols() const override { return centre_.size() + 1; }
  void write(ByteWriter& bytes) const override;
  static std::unique_ptr<RecordSum> read(ByteReader& bytes);

 protected:
  void of_rows(const RowMatrix& rows, RowMatrix& part) const override;
  bool spares_zeros() const override { return true; }
  void of_wide(const PointBlock& block, RowMatrix& part) const override;

 private:
  Vector centre_;
};

// The numbers of a PlacementSum of (W^T z)^(x)3.
class CubeSum final : public BallSum {
 public:
  CubeSum(Vector centre, Matrix w, double radius, double reach)
      : BallSum(radius), centre_(std::move(centre)), w_(std::move(w)), reach_(reach) {}
  Index cols() const override { return w_.cols() * w_.cols() * (w_.cols() + 1) / 2; }
  void write(ByteWriter& bytes) const override;
  static std::unique_ptr<RecordSum> read(ByteReader& bytes);

 protected:
  void of_rows(const RowMatrix& rows, RowMatrix& part) const override;
  bool spares_zeros() const override { return true; }
  void of_wide(const PointBlock& block, RowMatrix& part) const override;
  void of_projected(RowMatrix y, RowMatrix& part) const;

 private:
  Vector centre_;
  Matrix w_;
  double reach_;
};

struct PointSums {
  Index records = 0;
  Vector first;   // sum of z
  Matrix second;  // sum of z z^T
};
PointSums sum_moments(PointSource& source, const Vector& centre, double radius = kNoBound);

// Mean and covariance (divided by N). Sums are shifted by the mean of the first block, so that
// points far from the origin lose no digits.
struct PointStatistics {
  Index records = 0;
  Vector mean;
  Matrix covariance;
};
PointStatistics point_statistics(PointSource& source);

// Mean, and the trace of the covariance: 3 N d flops.
struct PointSpread {
  Index records = 0;
  Vector mean;
  double total_variance = 0;
};
PointSpread point_spread(PointSource& source);

// Sum of (W^T z)^(x)3: q x q x q for W d x q.
SymmetricTensor sum_cubes(PointSource& source, const Vector& centre, const Matrix& w,
                          double radius = kNoBound, double reach = kNoBound);

}  // namespace sotto
