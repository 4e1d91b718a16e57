#include "sotto/tensor/observed.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sotto/base/error.h"
#include "sotto/base/random.h"

namespace sotto {
namespace {

constexpr std::uint64_t kSplitStream = 31;

// Compares two places by their modes after the first.
class LaterModes {
 public:
  explicit LaterModes(const ObservedEntries& entries) : entries_(entries) {}

  int compare(Index a, Index b) const { return compare(a, entries_, b); }
  int compare(Index a, const ObservedEntries& other, Index b) const {
    for (Index m = 1; m < entries_.order(); ++m) {
      const std::int32_t x = entries_.row(m, a), y = other.row(m, b);
      if (x != y) return x < y ? -1 : 1;
    }
    return 0;
  }
  // Sorts by place; entries at one place stay in the order of the file.
  std::vector<std::int32_t> sorted(std::span<const std::int32_t> group) const {
    std::vector<std::int32_t> order(group.begin(), group.end());
    std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
      const int c = compare(a, b);
      return c != 0 ? c < 0 : a < b;
    });
    return order;
  }

 private:
  const ObservedEntries& entries_;
};

void note(DuplicateCount& found, Duplicate duplicate) {
  ++found.count;
  if (!found.lowest || duplicate.again < found.lowest->again) found.lowest = duplicate;
}

}  // namespace

bool ObservedEntries::has_unknown_row(Index entry) const {
  for (Index m = 0; m < order(); ++m) {
    if (row(m, entry) == kUnknownRow) return true;
  }
  return false;
}

void ObservedEntries::append(std::span<const std::int32_t> rows, double x) {
  for (std::size_t m = 0; m < index.size(); ++m) index[m].push_back(rows[m]);
  value.push_back(x);
}

ObservedEntries ObservedEntries::select(std::span<const std::int32_t> entries) const {
  ObservedEntries chosen(dims);
  for (std::size_t m = 0; m < index.size(); ++m) {
    chosen.index[m].reserve(entries.size());
    for (const std::int32_t e : entries) {
      chosen.index[m].push_back(index[m][static_cast<std::size_t>(e)]);
    }
  }
  chosen.value.reserve(entries.size());
  for (const std::int32_t e : entries) chosen.value.push_back(at(e));
  return chosen;
}

RowEntries::RowEntries(const ObservedEntries& entries, Index mode) {
  SOTTO_REQUIRE(entries.size() <= std::numeric_limits<std::int32_t>::max(),
                "at most 2^31 - 1 entries can be grouped, got {}", entries.size());
  const auto& rows = entries.index[static_cast<std::size_t>(mode)];
  const auto dim = static_cast<std::size_t>(entries.dims[static_cast<std::size_t>(mode)]);
  begin_.assign(dim + 1, 0);
  for (const std::int32_t r : rows) {
    if (r != kUnknownRow) ++begin_[static_cast<std::size_t>(r) + 1];
  }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  entry_.resize(static_cast<std::size_t>(begin_.back()));
  std::vector<std::int64_t> next(begin_.begin(), begin_.end() - 1);
  for (std::size_t e = 0; e < rows.size(); ++e) {
    if (rows[e] == kUnknownRow) continue;
    auto& place = next[static_cast<std::size_t>(rows[e])];
    entry_[static_cast<std::size_t>(place++)] = static_cast<std::int32_t>(e);
  }
}

DuplicateCount find_duplicates(const ObservedEntries& entries) {
  const RowEntries groups(entries, 0);
  const LaterModes places(entries);
  DuplicateCount found;
  for (Index r = 0; r < groups.rows(); ++r) {
    const std::vector<std::int32_t> order = places.sorted(groups.of(r));
    std::size_t first = 0;
    for (std::size_t n = 1; n < order.size(); ++n) {
      if (places.compare(order[first], order[n]) == 0 && !entries.has_unknown_row(order[n])) {
        note(found, {order[first], order[n]});
      } else {
        first = n;
      }
    }
  }
  return found;
}

Index count_overlap(const ObservedEntries& entries, const ObservedEntries& other) {
  SOTTO_REQUIRE(entries.dims == other.dims, "the two sets of entries differ in shape");
  const RowEntries ours(entries, 0), theirs(other, 0);
  const LaterModes places(entries);
  Index overlap = 0;
  for (Index r = 0; r < ours.rows(); ++r) {
    const std::vector<std::int32_t> order = places.sorted(ours.of(r));
    for (const std::int32_t e : theirs.of(r)) {
      const auto at =
          std::lower_bound(order.begin(), order.end(), e, [&](std::int32_t mine, std::int32_t his) {
            return places.compare(mine, other, his) < 0;
          });
      if (at != order.end() && places.compare(*at, other, e) == 0) ++overlap;
    }
  }
  return overlap;
}

EntrySplit split_entries(const ObservedEntries& entries, double share, std::uint64_t seed) {
  SOTTO_REQUIRE(share > 0 && share < 1, "the share to hold out must be between 0 and 1, got {}",
                share);
  std::vector<std::int32_t> order(static_cast<std::size_t>(entries.size()));
  std::iota(order.begin(), order.end(), 0);
  const auto held =
      static_cast<std::size_t>(std::llround(share * static_cast<double>(order.size())));
  SeededRandom random(seed, kSplitStream);
  for (std::size_t n = 0; n < held; ++n) {
    std::swap(order[n], order[n + static_cast<std::size_t>(random.below(order.size() - n))]);
  }
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(held);
  std::sort(order.begin(), middle);
  std::sort(middle, order.end());
  const std::span<const std::int32_t> all(order);
  return {entries.select(all.subspan(held)), entries.select(all.first(held))};
}

}  // namespace sotto
