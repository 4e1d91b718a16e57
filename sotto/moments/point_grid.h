// How many records lie in each cell of a grid over a few directions.
//
// The place of a record is y = V^T (x - c), V d x q. Direction j is cut into `bins` intervals of
// equal width between -reach_j and reach_j; what lies beyond counts for the last interval.
//
// Cost: N d q flops, bins^q numbers. Privacy: none here; release/ adds the noise.
#pragma once

#include <memory>
#include <utility>

#include "sotto/moments/point_moments.h"

namespace sotto {

struct PointGrid {
  Vector centre;
  Matrix directions;  // V
  Vector reach;       // positive
  Index bins = 1;

  Index dims() const { return directions.cols(); }
  Index cells() const;
  double width(Index j) const { return 2 * reach[j] / static_cast<double>(bins); }
  // The interval of a cell in direction j.
  Index interval(Index cell, Index j) const;
  // The cell of a place.
  Index cell_of(const Vector& y) const;
};

// Numbers of a PointGrid for which its counts are refused.
inline constexpr Index kMostCells = Index{1} << 24;

class GridCounts final : public BallSum {
 public:
  GridCounts(PointGrid grid, double radius);
  Index cols() const override { return grid_.cells(); }
  void write(ByteWriter& bytes) const override;
  static std::unique_ptr<RecordSum> read(ByteReader& bytes);

 protected:
  void of_rows(const RowMatrix& rows, RowMatrix& part) const override;

 private:
  PointGrid grid_;
};

// Records in each cell, after clipping to the ball.
Vector grid_counts(PointSource& source, const PointGrid& grid, double radius = kNoBound);

}  // namespace sotto
