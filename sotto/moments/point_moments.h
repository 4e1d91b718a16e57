// The raw moments of points: sums of z, z z^T and (W^T z)^(x)3 over all records, z = x - c.
//
// With a radius every record is first drawn into the ball of that radius about the origin, and with
// a reach every W^T z into the ball of that one: this bounds what one record can do to a sum.
// Nothing of size d^3 is formed. Each function reads the source from its beginning once, in blocks
// whose size depends on the dimension alone, so that the sums are the same in every run.
//
// Cost: N d^2 and N (d q + q^3/2) flops, O(d^2 + q^3) memory and one block.
// Privacy: none here; release/ adds the noise. record_depth is what its rounding bounds rest on.
#pragma once

#include <functional>
#include <limits>

#include "sotto/tensor/point_source.h"
#include "sotto/tensor/symmetric_tensor.h"

namespace sotto {

inline constexpr double kNoBound = std::numeric_limits<double>::infinity();

// Second moments of more dimensions, 8 GB and more, are refused.
inline constexpr Index kMostMomentDimensions = Index{1} << 15;

// Rows of a block, and the most additions a number passes in a sum over `records` records.
Index record_block_rows(Index dim);
Index record_depth(Index dim, Index records);

// min(1, bound / |row|) for each row; 0 for a row so long that its square overflows.
Vector shrink_factors(const RowMatrix& rows, double bound);

// Rewinds the source and hands out its records, drawn into the ball, as dense blocks of full size
// but for the last. Returns how many there were.
Index for_record_blocks(PointSource& source, double radius,
                        const std::function<void(const RowMatrix&)>& use);

struct PointSums {
  Index records = 0;
  Vector first;   // sum of z
  Matrix second;  // sum of z z^T
};
PointSums sum_moments(PointSource& source, const Vector& centre, double radius = kNoBound);

// Mean and covariance (divided by N). Shifted by the mean of the first block, so that points far
// from the origin lose no digits.
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
