// The raw moments of points: sums of z, z z^T and (W^T z)^(x)3 over all records, z = x - c.
//
// With a radius, every record is first clipped to the ball of that radius about the origin. With a
// reach, every W^T z is clipped to the ball of that reach. This bounds what one record can do to a
// sum. Nothing of size d^3 is formed. Each function reads the source from its beginning once, in
// blocks whose size depends on the dimension alone, so that the sums are the same in every run.
//
// Cost: N d^2 and N (d q + q^3/2) flops, O(d^2 + q^3) memory and one block.
// Privacy: none here; release/ adds the noise. Its rounding bounds rest on record_depth.
#pragma once

#include <functional>
#include <limits>

#include "sotto/tensor/point_source.h"
#include "sotto/tensor/symmetric_tensor.h"

namespace sotto {

inline constexpr double kNoBound = std::numeric_limits<double>::infinity();

// Refuses second moments of more dimensions, which would take 8 GB and more.
inline constexpr Index kMostMomentDimensions = Index{1} << 15;

// The rows of a block, and the most additions that a number passes in a sum over `records` records.
Index record_block_rows(Index dim);
Index record_depth(Index dim, Index records);

// min(1, bound / |row|) for each row; 0 for a row so long that its square overflows.
Vector shrink_factors(const RowMatrix& rows, double bound);

// Rewinds the source and hands out its records, clipped to the ball, as dense blocks. All blocks
// but the last have full size. Returns the number of records.
Index for_record_blocks(PointSource& source, double radius,
                        const std::function<void(const RowMatrix&)>& use);

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

// Sum of (W^T z)^(x)3: q x q x q for W d x q.
SymmetricTensor sum_cubes(PointSource& source, const Vector& centre, const Matrix& w,
                          double radius = kNoBound, double reach = kNoBound);

}  // namespace sotto
