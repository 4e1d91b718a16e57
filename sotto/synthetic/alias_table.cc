#include "sotto/synthetic/alias_table.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sotto/base/error.h"

namespace sotto {

// Vose: a cell with less than its share takes the rest from one with more. A full cell, and any
// cell left over by rounding, is its own alias.
void AliasTable::assign(std::span<const double> weights) {
  SOTTO_REQUIRE(!weights.empty() && weights.size() <= std::numeric_limits<std::int32_t>::max(),
                "a distribution needs outcomes, got {}", weights.size());
  double sum = 0;
  std::size_t heaviest = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    SOTTO_REQUIRE(weights[i] >= 0, "a probability is below 0 or not a number");
    sum += weights[i];
    if (weights[i] > weights[heaviest]) heaviest = i;
  }
  SOTTO_REQUIRE(sum > 0 && std::isfinite(sum), "the probabilities have sum {}", sum);
  const double scale = static_cast<double>(weights.size()) / sum;
  cells_.resize(weights.size());
  left_.resize(weights.size());
  small_.clear();
  large_.clear();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    left_[i] = weights[i] * scale;
    // A cell that rounding leaves without a partner must not be drawn if its weight is 0.
    cells_[i] = {
        0, weights[i] > 0 ? static_cast<std::int32_t>(i) : static_cast<std::int32_t>(heaviest)};
    (left_[i] < 1 ? small_ : large_).push_back(static_cast<std::int32_t>(i));
  }
  while (!small_.empty() && !large_.empty()) {
    const std::int32_t from = large_.back(), to = small_.back();
    small_.pop_back();
    const auto i = static_cast<std::size_t>(to), j = static_cast<std::size_t>(from);
    const double share = std::min(std::round(left_[i] * 0x1p32), 0x1p32 - 1);
    cells_[i] = {static_cast<std::uint32_t>(share), from};
    left_[j] -= 1 - left_[i];
    if (left_[j] < 1) {
      large_.pop_back();
      small_.push_back(from);
    }
  }
}

}  // namespace sotto
