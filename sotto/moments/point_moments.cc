#include "sotto/moments/point_moments.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/linalg/counts.h"
#include "sotto/linalg/gemm.h"
#include "sotto/moments/document_moments.h"

namespace sotto {
namespace {

constexpr Index kMostRows = 4096;

void draw_into_ball(RowMatrix& rows, double radius) {
  if (radius == kNoBound) return;
  const Vector factors = shrink_factors(rows, radius);
  for (Index i = 0; i < rows.rows(); ++i) {
    if (factors[i] == 0) {
      rows.row(i).setZero();  // 0 times a huge number is safe, 0 times its overflow is not
    } else if (factors[i] < 1) {
      rows.row(i) *= factors[i];
    }
  }
}

Index read_block(PointSource& source, PointBlock& block, RowMatrix& rows) {
  const Index read = source.read(record_block_rows(source.dim()), block);
  if (read > 0) rows = block.is_sparse ? RowMatrix(block.sparse) : block.dense;
  return read;
}

}  // namespace

Index record_block_rows(Index dim) {
  return std::clamp<Index>((Index{1} << 20) / std::max<Index>(dim, 1), 64, kMostRows);
}

Index record_depth(Index dim, Index records) {
  // The additions within a block, then one for each piece of kSumPiece that a block may be cut
  // into.
  const Index blocks = records / record_block_rows(dim) + 1;
  return kMostRows + blocks * (kMostRows / kSumPiece + 1);
}

Vector shrink_factors(const RowMatrix& rows, double bound) {
  return rows.rowwise().squaredNorm().unaryExpr([bound](double square) {
    if (!std::isfinite(square)) return 0.0;
    return square > bound * bound ? bound / std::sqrt(square) : 1.0;
  });
}

Index for_record_blocks(PointSource& source, double radius,
                        const std::function<void(const RowMatrix&)>& use) {
  if (source.position() > 0) source.rewind();
  PointBlock block;
  RowMatrix rows;
  while (read_block(source, block, rows) > 0) {
    draw_into_ball(rows, radius);
    use(rows);
  }
  return source.position();
}

PointSums sum_moments(PointSource& source, const Vector& centre, double radius) {
  const Index d = source.dim();
  SOTTO_REQUIRE_AT(d <= kMostMomentDimensions, source.name(),
                   "has {} dimensions; second moments are taken up to {}", d,
                   kMostMomentDimensions);
  PointSums sums{0, Vector::Zero(d), Matrix::Zero(d, d)};
  sums.records = for_record_blocks(source, radius, [&](const RowMatrix& x) {
    const Matrix z = x.rowwise() - centre.transpose();
    sums.first += z.colwise().sum().transpose();
    sums.second += multiply_transposed(z, z);
  });
  return sums;
}

PointStatistics point_statistics(PointSource& source) {
  if (source.position() > 0) source.rewind();
  PointBlock block;
  RowMatrix rows;
  SOTTO_REQUIRE_AT(read_block(source, block, rows) > 0, source.name(), "has no points");
  const Vector near = rows.colwise().mean();
  const PointSums sums = sum_moments(source, near);
  const auto n = static_cast<double>(sums.records);
  const Vector shift = sums.first / n;
  return {sums.records, near + shift, sums.second / n - shift * shift.transpose()};
}

SymmetricTensor sum_cubes(PointSource& source, const Vector& centre, const Matrix& w, double radius,
                          double reach) {
  PlacementSum sum(w.cols());
  for_record_blocks(source, radius, [&](const RowMatrix& x) {
    RowMatrix y = multiply(Matrix(x.rowwise() - centre.transpose()), w);
    draw_into_ball(y, reach);
    sum.add(RowMatrix(y / 3), y);
  });
  return sum.tensor();
}

}  // namespace sotto
