#include "sotto/moments/sparse_records.h"

#include <algorithm>
#include <utility>

#include "sotto/base/error.h"

namespace sotto {

std::optional<SparseRecords> SparseRecords::read(PointSource& source, Index most) {
  SOTTO_REQUIRE(source.is_sparse(), "{} has no sparse records", source.name());
  if (source.position() > 0) source.rewind();
  SparseRecords read;
  PointBlock block;
  RowMatrix sum = RowMatrix::Zero(source.dim(), 1);
  double squares = 0;
  while (source.read(block_rows(source), block) > 0) {
    most -= block.sparse.nonZeros();
    if (most < 0) return std::nullopt;
    read.records_ += block.rows();
    add_transposed_product(block, RowMatrix::Ones(block.rows(), 1), sum);
    squares += squared_norms(block).sum();
    read.blocks_.push_back(std::move(block));
  }
  SOTTO_REQUIRE_AT(read.records_ > 0, source.name(), "has no points");
  const auto n = static_cast<double>(read.records_);
  read.mean_ = sum / n;
  read.total_variance_ = std::max(0.0, squares / n - read.mean_.squaredNorm());
  return read;
}

// sum (x - m)(x - m)^T U = sum x (x.U - m.U), since sum (x - m) = 0.
RowMatrix SparseRecords::covariance_times(const RowMatrix& block) const {
  const Eigen::RowVectorXd of_mean = mean_.transpose() * block;
  RowMatrix product = RowMatrix::Zero(block.rows(), block.cols());
  for (const PointBlock& records : blocks_) {
    RowMatrix centred = scores(records, block);
    centred.rowwise() -= of_mean;
    add_transposed_product(records, centred, product);
  }
  return product / static_cast<double>(records_);
}

}  // namespace sotto
