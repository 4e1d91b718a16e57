#include "sotto/moments/point_grid.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/moments/record_questions.h"

namespace sotto {

Index PointGrid::cells() const {
  Index cells = 1;
  for (Index j = 0; j < dims(); ++j) cells *= bins;
  return cells;
}

Index PointGrid::interval(Index cell, Index j) const {
  for (; j > 0; --j) cell /= bins;
  return cell % bins;
}

Index PointGrid::cell_of(const Vector& y) const {
  Index cell = 0;
  for (Index j = dims() - 1; j >= 0; --j) {
    // Clamped before the cast: a place may be far off.
    const double place = std::floor((y[j] + reach[j]) / width(j));
    cell = cell * bins + static_cast<Index>(std::clamp(place, 0.0, double(bins - 1)));
  }
  return cell;
}

GridCounts::GridCounts(PointGrid grid, double radius) : BallSum(radius), grid_(std::move(grid)) {
  const Index q = grid_.dims();
  SOTTO_REQUIRE(grid_.directions.rows() == grid_.centre.size() && grid_.reach.size() == q &&
                    q >= 1 && grid_.bins >= 1 && (grid_.reach.array() > 0).all(),
                "a grid has a positive reach in each of its directions");
  SOTTO_REQUIRE(std::pow(double(grid_.bins), double(q)) <= double(kMostCells),
                "a grid has at most {} cells", kMostCells);
}

void GridCounts::of_rows(const RowMatrix& rows, RowMatrix& part) const {
  part.setZero(1, cols());
  for (Index i = 0; i < rows.rows(); ++i) {
    ++part(0,
           grid_.cell_of(grid_.directions.transpose() * (rows.row(i).transpose() - grid_.centre)));
  }
}

void GridCounts::write(ByteWriter& bytes) const {
  write_kind(SumKind::grid, bytes);
  bytes.real(radius_);
  bytes.integer(grid_.bins);
  write_matrix(grid_.centre, bytes);
  write_matrix(grid_.directions, bytes);
  write_matrix(grid_.reach, bytes);
}

std::unique_ptr<RecordSum> GridCounts::read(ByteReader& bytes) {
  const double radius = bytes.real();
  PointGrid grid;
  grid.bins = bytes.integer();
  grid.centre = read_vector(bytes);
  grid.directions = read_matrix(bytes);
  grid.reach = read_vector(bytes);
  return std::make_unique<GridCounts>(std::move(grid), radius);
}

Vector grid_counts(PointSource& source, const PointGrid& grid, double radius) {
  return sum_from_beginning(source, GridCounts(grid, radius)).sum.row(0).transpose();
}

}  // namespace sotto
