#include "sotto/complete/kernels/blocks.h"

#include <functional>
#include <numeric>
#include <queue>

namespace sotto {
namespace {

constexpr Index kMostParts = 16;
constexpr Index kLeastEntries = 1024;  // a block, on average

Index choose_parts(const ObservedEntries& entries, const std::vector<Index>& cut) {
  Index parts = kMostParts;
  const auto fits = [&] {
    double blocks = 1;
    for (const Index m : cut) {
      if (entries.dims[static_cast<std::size_t>(m)] < 2 * parts) return false;
      blocks *= static_cast<double>(parts);
    }
    return blocks * kLeastEntries <= static_cast<double>(entries.size());
  };
  while (parts > 1 && !fits()) parts /= 2;
  return parts;
}

// The longest rows first, each to the part that has the fewest entries so far.
std::vector<std::uint8_t> deal_rows(const ObservedEntries& entries, Index mode, Index parts) {
  const auto m = static_cast<std::size_t>(mode);
  std::vector<Index> count(static_cast<std::size_t>(entries.dims[m]), 0);
  for (const std::int32_t r : entries.index[m]) ++count[static_cast<std::size_t>(r)];
  std::vector<std::size_t> order(count.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return count[a] > count[b]; });
  using Load = std::pair<Index, Index>;  // entries, part
  std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
  for (Index p = 0; p < parts; ++p) loads.emplace(0, p);
  std::vector<std::uint8_t> part(count.size());
  for (const std::size_t r : order) {
    const auto [load, p] = loads.top();
    loads.pop();
    part[r] = static_cast<std::uint8_t>(p);
    loads.emplace(load + count[r], p);
  }
  return part;
}

}  // namespace

BlockPlan::BlockPlan(const ObservedEntries& entries) {
  for (Index m = 0; m < entries.order(); ++m) {
    if (entries.dims[static_cast<std::size_t>(m)] > 1) cut_.push_back(m);
  }
  parts_ = cut_.empty() ? 1 : choose_parts(entries, cut_);
  if (parts_ == 1) cut_.clear();
  for (const Index m : cut_) {
    part_.push_back(deal_rows(entries, m, parts_));
    blocks_ *= parts_;
  }
}

Index BlockPlan::block_of(const ObservedEntries& entries, Index entry) const {
  Index block = 0;
  for (std::size_t n = 0; n < cut_.size(); ++n) {
    block = block * parts_ + part_[n][static_cast<std::size_t>(entries.row(cut_[n], entry))];
  }
  return block;
}

Index BlockPlan::block_in(Index stratum, Index j) const {
  if (cut_.empty()) return 0;
  Index block = j;
  for (std::size_t n = 1; n < cut_.size(); ++n) {
    block = block * parts_ + (j + stratum % parts_) % parts_;
    stratum /= parts_;
  }
  return block;
}

}  // namespace sotto
