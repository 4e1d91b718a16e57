// Long sums by halves: a number passes the additions of one leaf and one join per level, however
// long the range is, so that a bound on the rounding error holds for every length.
#pragma once

#include <cstdint>

namespace sotto {

inline constexpr std::int64_t kLeaf = 64;
// Levels above the leaves, for up to 2^31 terms.
inline constexpr int kMostLevels = 26;

// leaf(first, last) sums at most kLeaf neighbours; join(left, right) adds two results.
template <class Leaf, class Join>
auto by_halves(std::int64_t first, std::int64_t last, const Leaf& leaf, const Join& join) {
  if (last - first <= kLeaf) return leaf(first, last);
  const std::int64_t middle = first + (last - first) / 2;
  return join(by_halves(first, middle, leaf, join), by_halves(middle, last, leaf, join));
}

}  // namespace sotto
