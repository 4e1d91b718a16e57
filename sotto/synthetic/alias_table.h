// Draws from a fixed distribution over 0 .. n-1 in constant time (Walker 1977, Vose 1991).
//
// Cell i gives i with probability t_i and alias_i otherwise; all cells are equally likely.
// Thresholds have 32 bits: a probability is off by at most 2^-32/n for each cell that leads to it.
// 8 bytes per cell; building is O(n).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sotto/base/random.h"

namespace sotto {

class AliasTable {
 public:
  AliasTable() = default;
  // Weights must be at least 0, not all 0, in any scale. An outcome of weight 0 is never drawn.
  explicit AliasTable(std::span<const double> weights) { assign(weights); }
  void assign(std::span<const double> weights);  // keeps its memory

  std::int32_t draw(SeededRandom& random) const {
    // The upper half of bits * n is the cell, the lower half the position in it.
    const auto product = static_cast<Wide>(random.bits()) * cells_.size();
    const auto i = static_cast<std::size_t>(product >> 64);
    const Cell cell = cells_[i];
    const auto within = static_cast<std::uint32_t>(static_cast<std::uint64_t>(product) >> 32);
    return within < cell.threshold ? static_cast<std::int32_t>(i) : cell.alias;
  }

 private:
  __extension__ using Wide = unsigned __int128;
  struct Cell {
    std::uint32_t threshold;  // of 2^32
    std::int32_t alias;
  };

  std::vector<Cell> cells_;
  std::vector<double> left_;  // working space of assign()
  std::vector<std::int32_t> small_, large_;
};

}  // namespace sotto
