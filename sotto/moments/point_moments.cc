#include "sotto/moments/point_moments.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/clip.h"
#include "sotto/base/error.h"
#include "sotto/linalg/counts.h"
#include "sotto/linalg/gemm.h"
#include "sotto/moments/document_moments.h"
#include "sotto/moments/record_questions.h"

namespace sotto {
namespace {

constexpr Index kMostRows = 4096;

void draw_into_ball(RowMatrix& rows, double radius) {
  if (radius == kNoBound) return;
  const Vector factors = shrink_factors(rows.rowwise().squaredNorm(), radius);
  for (Index i = 0; i < rows.rows(); ++i) {
    if (factors[i] == 0) {
      rows.row(i).setZero();  // 0 times a huge number is safe, 0 times its overflow is not
    } else if (factors[i] < 1) {
      rows.row(i) *= factors[i];
    }
  }
}

// z = x - c, one column a record: as the rows lie in memory.
Matrix centred_columns(const RowMatrix& rows, const Vector& centre) {
  return Eigen::Map<const Matrix>(rows.data(), rows.cols(), rows.rows()).colwise() - centre;
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
  // into. Blocks join in a tree, in which no number passes more additions than in a row.
  const Index blocks = records / record_block_rows(dim) + 1;
  return kMostRows + blocks * (kMostRows / kSumPiece + 1);
}

Vector shrink_factors(const Vector& squared_norms, double bound) {
  return squared_norms.unaryExpr([bound](double square) {
    if (!std::isfinite(square)) return 0.0;
    return square > bound * bound ? clipped(1, 0, bound / std::sqrt(square)) : 1.0;
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

Index for_point_blocks(PointSource& source, const std::function<void(const PointBlock&)>& use) {
  if (source.position() > 0) source.rewind();
  const Index rows = is_wide(source.is_sparse(), source.dim()) ? block_rows(source)
                                                               : record_block_rows(source.dim());
  PointBlock block;
  while (source.read(rows, block) > 0) use(block);
  return source.position();
}

void for_dense_rows(const PointBlock& block, const std::function<void(const RowMatrix&)>& use) {
  if (!block.is_sparse) return use(block.dense);
  const Index most = record_block_rows(block.dim());
  for (Index first = 0; first < block.rows(); first += most) {
    use(RowMatrix(block.sparse.middleRows(first, std::min(most, block.rows() - first))));
  }
}

Index BallSum::block_rows(const PointSource& source) const {
  const bool sparse = is_wide(source.is_sparse(), source.dim());
  return sparse && radius_ == kNoBound && spares_zeros() ? sotto::block_rows(source)
                                                         : record_block_rows(source.dim());
}

void BallSum::of_block(const PointBlock& block, RowMatrix& part) const {
  if (is_wide(block.is_sparse, block.dim()) && radius_ == kNoBound && spares_zeros()) {
    return of_wide(block, part);
  }
  if (!block.is_sparse && radius_ == kNoBound) return of_rows(block.dense, part);
  RowMatrix rows = block.is_sparse ? RowMatrix(block.sparse) : block.dense;
  draw_into_ball(rows, radius_);
  of_rows(rows, part);
}

RecordTotal sum_from_beginning(PointSource& source, const RecordSum& sum) {
  if (source.position() > 0) source.rewind();
  return source.sum_next(sum, std::numeric_limits<Index>::max());
}

void NormCounts::of_block(const PointBlock& block, RowMatrix& part) const {
  part.setZero(1, cols());
  for (const double square : squared_norms(block)) {
    // A record that was scaled to a norm may exceed it by a rounding, and does not count as longer.
    const double norm = std::sqrt(square) / (1 + 0x1p-40);
    const auto first = std::lower_bound(bounds_.begin(), bounds_.end(), norm);
    ++part(0, first - bounds_.begin());
  }
}

void MomentSums::of_rows(const RowMatrix& rows, RowMatrix& part) const {
  const Index d = centre_.size();
  const Matrix z = centred_columns(rows, centre_);
  part.resize(1, cols());
  part.leftCols(d) = z.rowwise().sum().transpose();
  Eigen::Map<Matrix>(part.data() + d, d, d) = multiply_by_transposed(z, z);
}

void SpreadSums::of_rows(const RowMatrix& rows, RowMatrix& part) const {
  const Index d = centre_.size();
  const Matrix z = centred_columns(rows, centre_);
  part.resize(1, cols());
  part.leftCols(d) = z.rowwise().sum().transpose();
  part(0, d) = z.squaredNorm();
}

// |x - c|^2 = |x|^2 - 2 c.x + |c|^2
void SpreadSums::of_wide(const PointBlock& block, RowMatrix& part) const {
  const Index d = centre_.size();
  const auto rows = static_cast<double>(block.rows());
  RowMatrix sum = RowMatrix::Zero(d, 1);
  add_transposed_product(block, RowMatrix::Ones(block.rows(), 1), sum);
  part.resize(1, cols());
  part.leftCols(d) = (sum - rows * centre_).transpose();
  part(0, d) =
      squared_norms(block).sum() - 2 * centre_.dot(sum.col(0)) + rows * centre_.squaredNorm();
}

namespace {

// About the mean of some records, which need not be here: sums around it lose few digits.
Vector mean_of_some(PointSource& source) {
  if (source.position() > 0) source.rewind();
  const Index d = source.dim();
  const RecordTotal some =
      source.sum_next(SpreadSums(Vector::Zero(d), kNoBound), record_block_rows(d));
  SOTTO_REQUIRE_AT(some.records > 0, source.name(), "has no points");
  return some.sum.leftCols(d).transpose() / static_cast<double>(some.records);
}

void require_moment_dimensions(const PointSource& source) {
  SOTTO_REQUIRE_AT(source.dim() <= kMostMomentDimensions, source.name(),
                   "has {} dimensions; second moments are taken up to {}", source.dim(),
                   kMostMomentDimensions);
}

}  // namespace

PointSums sum_moments(PointSource& source, const Vector& centre, double radius) {
  require_moment_dimensions(source);
  const Index d = source.dim();
  const RecordTotal found = sum_from_beginning(source, MomentSums(centre, radius));
  return {found.records, found.sum.leftCols(d).transpose(),
          Eigen::Map<const Matrix>(found.sum.data() + d, d, d)};
}

PointStatistics point_statistics(PointSource& source) {
  require_moment_dimensions(source);
  const Vector near = mean_of_some(source);
  const PointSums sums = sum_moments(source, near);
  const auto n = static_cast<double>(sums.records);
  const Vector shift = sums.first / n;
  return {sums.records, near + shift, sums.second / n - shift * shift.transpose()};
}

PointSpread point_spread(PointSource& source) {
  const Vector near = mean_of_some(source);
  const Index d = source.dim();
  const RecordTotal found = sum_from_beginning(source, SpreadSums(near, kNoBound));
  const auto n = static_cast<double>(found.records);
  const Vector shift = found.sum.leftCols(d).transpose() / n;
  return {found.records, near + shift, std::max(0.0, found.sum(0, d) / n - shift.squaredNorm())};
}

void CubeSum::of_rows(const RowMatrix& rows, RowMatrix& part) const {
  of_projected(multiply_transposed(w_, centred_columns(rows, centre_)).transpose(), part);
}

void CubeSum::of_wide(const PointBlock& block, RowMatrix& part) const {
  of_projected(scores(block, w_).rowwise() - (centre_.transpose() * w_), part);
}

void CubeSum::of_projected(RowMatrix y, RowMatrix& part) const {
  draw_into_ball(y, reach_);
  PlacementSum sum(w_.cols());
  sum.add(RowMatrix(y / 3), y);
  part = sum.numbers().reshaped<Eigen::ColMajor>().transpose();
}

SymmetricTensor sum_cubes(PointSource& source, const Vector& centre, const Matrix& w, double radius,
                          double reach) {
  const RecordTotal found = sum_from_beginning(source, CubeSum(centre, w, radius, reach));
  PlacementSum sum(w.cols());
  Matrix& numbers = sum.numbers();
  numbers = Eigen::Map<const Matrix>(found.sum.data(), numbers.rows(), numbers.cols());
  return sum.tensor();
}

// ---- as questions ----

void NormCounts::write(ByteWriter& bytes) const {
  write_kind(SumKind::norm_counts, bytes);
  bytes.reals(bounds_);
}

std::unique_ptr<RecordSum> NormCounts::read(ByteReader& bytes) {
  return std::make_unique<NormCounts>(bytes.reals());
}

void MomentSums::write(ByteWriter& bytes) const {
  write_kind(SumKind::moments, bytes);
  bytes.real(radius_);
  write_matrix(centre_, bytes);
}

std::unique_ptr<RecordSum> MomentSums::read(ByteReader& bytes) {
  const double radius = bytes.real();
  return std::make_unique<MomentSums>(read_vector(bytes), radius);
}

void SpreadSums::write(ByteWriter& bytes) const {
  write_kind(SumKind::spread, bytes);
  bytes.real(radius_);
  write_matrix(centre_, bytes);
}

std::unique_ptr<RecordSum> SpreadSums::read(ByteReader& bytes) {
  const double radius = bytes.real();
  return std::make_unique<SpreadSums>(read_vector(bytes), radius);
}

void CubeSum::write(ByteWriter& bytes) const {
  write_kind(SumKind::cubes, bytes);
  bytes.real(radius_);
  bytes.real(reach_);
  write_matrix(centre_, bytes);
  write_matrix(w_, bytes);
}

std::unique_ptr<RecordSum> CubeSum::read(ByteReader& bytes) {
  const double radius = bytes.real(), reach = bytes.real();
  Vector centre = read_vector(bytes);
  return std::make_unique<CubeSum>(std::move(centre), read_matrix(bytes), radius, reach);
}

}  // namespace sotto
