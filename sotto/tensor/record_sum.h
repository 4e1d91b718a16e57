// A sum over records: what a block of records adds to it.
//
// Blocks join in a fixed tree over the records in their order (partial_sum.h), so a sum has the
// same bits for any number of threads and of shards. A sum can be written down as a question, which
// shards on other machines answer for their records (sharded_points.h).
// Privacy: none here. The sums are exact; the caller who releases them adds the noise.
#pragma once

#include <functional>

#include "sotto/base/bytes.h"
#include "sotto/tensor/partial_sum.h"
#include "sotto/tensor/point_source.h"

namespace sotto {

class RecordSum {
 public:
  virtual ~RecordSum() = default;
  // The shape of the sum.
  virtual Index rows() const = 0;
  virtual Index cols() const = 0;
  // Records of a block. It depends on the shape of the records alone.
  virtual Index block_rows(const PointSource& source) const { return sotto::block_rows(source); }

  // Sets `part` to what the block adds. Called from several threads at once.
  virtual void of_block(const PointBlock& block, RowMatrix& part) const = 0;
  // Sparse records touch few numbers of a large sum. Their blocks are added one after the other,
  // and `part` may be anything that this function understands.
  virtual void add_sparse(const PointBlock& block, const RowMatrix& part, RowMatrix& sum) const;

  // The question: what kind of sum this is, and its numbers.
  virtual void write(ByteWriter& bytes) const = 0;
};

// What a sum was taken over, and its value.
struct RecordTotal {
  Index records = 0;
  RowMatrix sum;
};

// The leaves of the tree: so many blocks, added one after the other. There are several where the
// sum is larger than a block, so that the tree stays small against the records.
struct Piece {
  Index block_rows = 1;
  Index blocks = 1;
  Index rows() const { return block_rows * blocks; }
  Index count(Index records) const { return (records + rows() - 1) / rows(); }
};
Piece piece_of(const PointSource& source, const RecordSum& sum);

// Sums the next `records` records of a source, or all that there are, into `part`. The first of
// them begins piece number `first` of the whole sum. `before_block` is called before a block is
// read, and may throw to end the work.
void sum_pieces(PointSource& source, const RecordSum& sum, Index first, Index records,
                PartialSum& part, const std::function<void()>& before_block = {});

}  // namespace sotto
