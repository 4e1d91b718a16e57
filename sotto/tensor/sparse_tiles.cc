#include "sotto/tensor/sparse_tiles.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "sotto/base/parallel.h"

namespace sotto {
namespace {

using Coordinate = SparseTensor::Coordinate;

constexpr int kShortestEdge = 11;    // bits; 2048 rows of 16 columns are 256 KB
constexpr int kLongestEdge = 16;     // what a Local holds
constexpr Index kTileEntries = 256;  // a tile should have as many on average
constexpr Index kBlockEntries = Index{1} << 16;
// A piece that shares its rows with another needs a copy of them, so it must have enough entries.
constexpr Index kPieceEntries = Index{1} << 16;
constexpr Index kMaxPieces = 64;
constexpr Index kEntriesPerRow = 16;

// Sorts entry numbers by a key below `keys`; equal keys keep their order.
template <class Key>
void counting_sort(std::vector<Index>& entries, Index keys, Key key) {
  std::vector<Index> next(static_cast<std::size_t>(keys) + 1, 0);
  for (const Index e : entries) ++next[static_cast<std::size_t>(key(e)) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<Index> sorted(entries.size());
  for (const Index e : entries) {
    sorted[static_cast<std::size_t>(next[static_cast<std::size_t>(key(e))]++)] = e;
  }
  entries = std::move(sorted);
}

// The boundaries of runs of entries that share a tile of mode 0.
std::vector<Index> ranges_of_first_mode(const SparseTensor& tensor, int edge_bits) {
  std::vector<Index> ranges;
  const Coordinate* at = tensor.indices().data();
  Coordinate tile = -1;
  for (Index e = 0; e < tensor.nnz(); ++e, at += tensor.order()) {
    if (at[0] >> edge_bits == tile) continue;
    tile = at[0] >> edge_bits;
    ranges.push_back(e);
  }
  ranges.push_back(tensor.nnz());
  return ranges;
}

}  // namespace

SparseTiles::SparseTiles(const SparseTensor& tensor)
    : dims_(tensor.dims()), blocks_of_(dims_.size()), pieces_(dims_.size()) {
  choose_edges(tensor.nnz());
  local_.resize(static_cast<std::size_t>((tensor.nnz() + kReadAhead) * order()));
  value_.resize(static_cast<std::size_t>(tensor.nnz()));
  const std::vector<Index> ranges = ranges_of_first_mode(tensor, edge_bits_[0]);
  std::vector<std::vector<Block>> found(ranges.size() - 1);
  parallel_for(std::ssize(found), {1, found.size() > 1}, [&](Index i) {
    const auto r = static_cast<std::size_t>(i);
    found[r] = sort_range(tensor, ranges[r], ranges[r + 1]);
  });
  for (const std::vector<Block>& blocks : found) {
    blocks_.insert(blocks_.end(), blocks.begin(), blocks.end());
  }
  for (Index m = 0; m < order(); ++m) cut_pieces(m);
}

// As short as suits the cache, unless the tiles would have too few entries.
void SparseTiles::choose_edges(Index entries) {
  edge_bits_.assign(dims_.size(), kShortestEdge);
  const double most = std::max(1.0, static_cast<double>(entries) / kTileEntries);
  for (int bits = kShortestEdge; bits < kLongestEdge; ++bits) {
    double boxes = 1;
    for (Index m = 0; m < order(); ++m) boxes *= static_cast<double>(tiles(m));
    if (boxes <= most) return;
    edge_bits_.assign(dims_.size(), bits + 1);
  }
}

std::vector<SparseTiles::Block> SparseTiles::sort_range(const SparseTensor& tensor, Index begin,
                                                        Index end) {
  const Coordinate* indices = tensor.indices().data();
  const Index modes = order();
  const auto tile = [&](Index e, Index m) { return indices[e * modes + m] >> edge_bits_[m]; };
  const auto local = [&](Index e, Index m) {
    return static_cast<Local>(indices[e * modes + m] & ((1 << edge_bits_[m]) - 1));
  };
  std::vector<Index> entries(static_cast<std::size_t>(end - begin));
  std::iota(entries.begin(), entries.end(), begin);
  // The rows of the longest mode are read in order, while those of mode 0 stay.
  const Index longest = std::max_element(dims_.begin() + 1, dims_.end()) - dims_.begin();
  counting_sort(entries, std::min(dims_[longest], Index{1} << edge_bits_[longest]),
                [&](Index e) { return local(e, longest); });
  for (Index m = modes - 1; m > 0; --m) {
    if (tiles(m) > 1) counting_sort(entries, tiles(m), [&](Index e) { return tile(e, m); });
  }
  std::vector<Block> blocks;
  for (std::size_t n = 0; n < entries.size(); ++n) {
    const Index e = entries[n], place = begin + static_cast<Index>(n);
    bool same = !blocks.empty() && place - blocks.back().begin < kBlockEntries;
    for (Index m = 0; same && m < modes; ++m) {
      same = blocks.back().first_row[m] == Index{tile(e, m)} << edge_bits_[m];
    }
    if (!same) {
      blocks.push_back({place, place, {}});
      for (Index m = 0; m < modes; ++m) {
        blocks.back().first_row[m] = Index{tile(e, m)} << edge_bits_[m];
      }
    }
    blocks.back().end = place + 1;
    for (Index m = 0; m < modes; ++m) {
      local_[static_cast<std::size_t>(place * modes + m)] = local(e, m);
    }
    value_[static_cast<std::size_t>(place)] = tensor.values()[static_cast<std::size_t>(e)];
  }
  return blocks;
}

void SparseTiles::cut_pieces(Index mode) {
  std::vector<Index>& order_of_blocks = blocks_of_[mode];
  order_of_blocks.resize(blocks_.size());
  std::iota(order_of_blocks.begin(), order_of_blocks.end(), Index{0});
  std::stable_sort(order_of_blocks.begin(), order_of_blocks.end(), [&](Index a, Index b) {
    return blocks_[a].first_row[mode] < blocks_[b].first_row[mode];
  });
  const Index edge = std::min(dims_[mode], Index{1} << edge_bits_[mode]);
  const Index most =
      std::max({kPieceEntries, std::ssize(value_) / kMaxPieces, kEntriesPerRow * edge});
  std::vector<Piece>& pieces = pieces_[mode];
  Index filled = 0;
  for (Index n = 0; n < std::ssize(order_of_blocks); ++n) {
    const Block& block = blocks_[order_of_blocks[n]];
    const Index first_row = block.first_row[mode];
    if (pieces.empty() || pieces.back().first_row != first_row || filled >= most) {
      pieces.push_back({first_row, std::min(edge, dims_[mode] - first_row), n, n});
      filled = 0;
    }
    pieces.back().end = n + 1;
    filled += block.end - block.begin;
  }
}

}  // namespace sotto
