#include "sotto/tensor/record_sum.h"

#include <algorithm>
#include <utility>

#include "sotto/tensor/record_walk.h"

namespace sotto {
namespace {

// The records of a piece have so many times the numbers of the sum.
constexpr Index kRecordsOverSum = 4;

// Gathers blocks, which come in their order, into pieces.
class PieceGatherer {
 public:
  PieceGatherer(const RecordSum& sum, const Piece& shape, Index first, PartialSum& parts)
      : sum_(sum), shape_(shape), piece_(first), parts_(parts) {}

  void add(const PointBlock& block, RowMatrix& part) {
    parts_.records += block.rows();
    if (block.is_sparse) {
      if (blocks_ == 0) gathered_ = RowMatrix::Zero(sum_.rows(), sum_.cols());
      sum_.add_sparse(block, part, gathered_);
    } else if (blocks_ == 0) {
      gathered_ = std::move(part);
    } else {
      gathered_ += part;
    }
    if (++blocks_ == shape_.blocks) finish();
  }

  // The last piece may have fewer blocks.
  void finish() {
    if (blocks_ > 0) parts_.add(piece_++, std::move(gathered_));
    blocks_ = 0;
  }

 private:
  const RecordSum& sum_;
  Piece shape_;
  Index piece_;
  Index blocks_ = 0;  // of this piece, gathered so far
  RowMatrix gathered_;
  PartialSum& parts_;
};

}  // namespace

void RecordSum::add_sparse(const PointBlock&, const RowMatrix& part, RowMatrix& sum) const {
  sum += part;
}

Piece piece_of(const PointSource& source, const RecordSum& sum) {
  Piece piece{sum.block_rows(source), 1};
  if (source.is_sparse()) {
    piece.blocks = Index{1} << 40;  // one piece: a sparse source is never cut
    return piece;
  }
  const Index numbers = std::max<Index>(1, piece.block_rows * source.dim());
  while (piece.blocks * numbers < kRecordsOverSum * sum.rows() * sum.cols()) piece.blocks *= 2;
  return piece;
}

void sum_pieces(PointSource& source, const RecordSum& sum, Index first, Index records,
                PartialSum& part, const std::function<void()>& before_block) {
  const Piece shape = piece_of(source, sum);
  PieceGatherer gatherer(sum, shape, first, part);
  // Reads not one record more than it needs, so a pipe that stays open does not delay the end.
  const auto read = [&, left = records](PointBlock& block) mutable {
    if (before_block) before_block();
    const Index rows = left == 0 ? 0 : source.read(std::min(shape.block_rows, left), block);
    left -= rows;
    return rows;
  };
  const auto work = [&](const PointBlock& block, RowMatrix& of) { sum.of_block(block, of); };
  const auto add = [&](const PointBlock& block, RowMatrix& of) { gatherer.add(block, of); };
  walk_records({read, work, add});
  gatherer.finish();
}

RecordTotal PointSource::take_sum(const RecordSum& sum, Index most) {
  PartialSum parts(sum.rows(), sum.cols());
  sum_pieces(*this, sum, 0, most, parts);
  return {parts.records, parts.total(piece_of(*this, sum).count(parts.records))};
}

}  // namespace sotto
