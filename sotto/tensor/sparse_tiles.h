// The entries of a sparse tensor sorted into tiles: boxes of index space whose edges are so short
// that the rows of all factors that one box needs stay in the cache. One order serves the products
// of every mode.
//
// Cost: 8 + 2 order bytes an entry; the entries are sorted once, in linear time.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/linalg/matrix.h"
#include "sotto/tensor/sparse_tensor.h"

namespace sotto {

class SparseTiles {
 public:
  using Local = std::uint16_t;  // an index within a tile

  // Entries [begin, end), all of one tile. A tile of many entries has several blocks.
  struct Block {
    Index begin, end;
    std::array<Index, max_tensor_order> first_row;  // of the tile, in each mode
  };
  // A share of the entries whose index in one mode lies in [first_row, first_row + rows), as the
  // blocks numbered by blocks_of(mode)[begin .. end).
  struct Piece {
    Index first_row, rows;
    Index begin, end;
  };

  explicit SparseTiles(const SparseTensor& tensor);

  const std::vector<Index>& dims() const { return dims_; }
  Index order() const { return std::ssize(dims_); }
  const std::vector<Block>& blocks() const { return blocks_; }
  // The indices of an entry within its tile, one for each mode. Entries up to kReadAhead behind
  // the last may be read.
  const Local* local(Index entry) const { return local_.data() + entry * order(); }
  double value(Index entry) const { return value_[static_cast<std::size_t>(entry)]; }

  // Pieces come in the order of their rows. They depend on the tensor alone, never on threads.
  std::span<const Piece> pieces(Index mode) const { return pieces_[mode]; }
  std::span<const Index> blocks_of(Index mode) const { return blocks_of_[mode]; }

  static constexpr Index kReadAhead = 24;

 private:
  Index tiles(Index mode) const { return ((dims_[mode] - 1) >> edge_bits_[mode]) + 1; }
  void choose_edges(Index entries);
  // Entries [begin, end) of the tensor, which share the tile of mode 0: sorts them, and returns
  // their blocks.
  std::vector<Block> sort_range(const SparseTensor& tensor, Index begin, Index end);
  void cut_pieces(Index mode);

  std::vector<Index> dims_;
  std::vector<int> edge_bits_;  // a tile has 2^bits indices of a mode
  std::vector<Local, ArrayAllocator<Local>> local_;
  AlignedValues value_;
  std::vector<Block> blocks_;
  std::vector<std::vector<Index>> blocks_of_;
  std::vector<std::vector<Piece>> pieces_;
};

}  // namespace sotto
