// Observed entries cut into blocks that can be worked on at the same time.
//
// The rows of every mode are dealt into `parts` parts with about as many entries each, and the
// entries into blocks by the parts of their rows (Gemulla et al. 2011, for any order). The blocks
// (j, j + s_1, j + s_2, ..) mod parts, j = 0 .. parts-1, form the stratum s: no two of them share a
// row in any mode. Parts and strata depend on the entries alone, never on the number of threads. A
// mode of one row is not cut: its row is held fixed.
//
// Few entries, or a mode of few rows, allow one part only. Then there is one block, and one pass in
// the order of a fresh permutation is the algorithm as published.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/base/random.h"
#include "sotto/tensor/observed.h"

namespace sotto {

class BlockPlan {
 public:
  explicit BlockPlan(const ObservedEntries& entries);

  Index parts() const { return parts_; }
  Index blocks() const { return blocks_; }
  Index strata() const { return blocks_ / parts_; }
  Index block_of(const ObservedEntries& entries, Index entry) const;
  // The j-th block of a stratum.
  Index block_in(Index stratum, Index j) const;

 private:
  Index parts_ = 1;
  Index blocks_ = 1;
  std::vector<Index> cut_;                       // the modes that are cut
  std::vector<std::vector<std::uint8_t>> part_;  // of each row of each cut mode
};

// An entry as the inner loops read it.
template <int O>
struct Record {
  std::int32_t row[O];
  float value;
};

// The entries, block by block; a pass may reorder them within a block.
template <int O>
class BlockedRecords {
 public:
  BlockedRecords(const ObservedEntries& entries, const BlockPlan& plan)
      : begin_(static_cast<std::size_t>(plan.blocks()) + 1, 0), records_(entries.value.size()) {
    std::vector<std::int32_t> block(entries.value.size());
    for (std::size_t e = 0; e < block.size(); ++e) {
      block[e] = static_cast<std::int32_t>(plan.block_of(entries, static_cast<Index>(e)));
      ++begin_[static_cast<std::size_t>(block[e]) + 1];
    }
    for (std::size_t b = 1; b < begin_.size(); ++b) begin_[b] += begin_[b - 1];
    std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
    for (std::size_t e = 0; e < block.size(); ++e) {
      Record<O>& record = records_[next[static_cast<std::size_t>(block[e])]++];
      for (std::size_t m = 0; m < O; ++m) record.row[m] = entries.index[m][e];
      record.value = static_cast<float>(entries.value[e]);
    }
  }

  std::span<Record<O>> block(Index b) {
    const auto n = static_cast<std::size_t>(b);
    return std::span(records_).subspan(begin_[n], begin_[n + 1] - begin_[n]);
  }

 private:
  std::vector<std::size_t> begin_;
  std::vector<Record<O>> records_;
};

// A fresh permutation in place. The bias of the multiplication is below 2^-32 times the size.
template <class T>
void shuffle(std::span<T> items, SeededRandom& random) {
  for (std::size_t n = items.size(); n > 1; --n) {
    const std::size_t other = ((random.bits() >> 32) * n) >> 32;
    std::swap(items[n - 1], items[other]);
  }
}

}  // namespace sotto
