#include "sotto/tensor/observed.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "sotto/base/random.h"

namespace sotto {
namespace {

ObservedEntries random_entries(Index count, std::uint64_t seed) {
  ObservedEntries entries({7, 5, 3});
  SeededRandom random(seed);
  for (Index e = 0; e < count; ++e) {
    const std::int32_t rows[] = {static_cast<std::int32_t>(random.below(7)),
                                 static_cast<std::int32_t>(random.below(5)),
                                 static_cast<std::int32_t>(random.below(3))};
    entries.append(rows, random.normal());
  }
  return entries;
}

using Place = std::array<std::int32_t, 3>;
Place place(const ObservedEntries& x, Index e) { return {x.row(0, e), x.row(1, e), x.row(2, e)}; }

TEST(Observed, rows_list_their_entries_in_order_and_leave_out_unknown_rows) {
  ObservedEntries entries = random_entries(100, 1);
  entries.index[1][17] = kUnknownRow;
  for (Index m = 0; m < 3; ++m) {
    const RowEntries groups(entries, m);
    std::set<std::int32_t> seen;
    for (Index r = 0; r < groups.rows(); ++r) {
      std::int32_t before = -1;
      for (const std::int32_t e : groups.of(r)) {
        EXPECT_EQ(entries.row(m, e), r);
        EXPECT_GT(e, before);
        before = e;
        seen.insert(e);
      }
    }
    EXPECT_EQ(seen.size(), m == 1 ? 99u : 100u);
  }
  EXPECT_TRUE(entries.has_unknown_row(17));
  EXPECT_FALSE(entries.has_unknown_row(16));
}

TEST(Observed, duplicates_are_counted_as_a_map_of_places_counts_them) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const ObservedEntries entries = random_entries(40, seed);
    std::map<Place, Index> first;
    Index count = 0;
    std::optional<Duplicate> lowest;
    for (Index e = 0; e < entries.size(); ++e) {
      const auto [at, fresh] = first.emplace(place(entries, e), e);
      if (fresh) continue;
      if (count++ == 0) lowest = Duplicate{at->second, e};
    }
    const DuplicateCount found = find_duplicates(entries);
    EXPECT_EQ(found.count, count);
    ASSERT_EQ(found.lowest.has_value(), lowest.has_value());
    if (lowest) {
      EXPECT_EQ(found.lowest->first, lowest->first);
      EXPECT_EQ(found.lowest->again, lowest->again);
    }
  }
}

TEST(Observed, unknown_rows_are_not_the_same_place) {
  ObservedEntries entries({3, 4, 2});
  for (const std::int32_t row : {kUnknownRow, kUnknownRow, std::int32_t{1}, std::int32_t{1}}) {
    entries.append(std::vector<std::int32_t>{2, row, 0}, 1.0);
  }
  const DuplicateCount found = find_duplicates(entries);
  EXPECT_EQ(found.count, 1);
  ASSERT_TRUE(found.lowest);
  EXPECT_EQ(found.lowest->again, 3);
}

TEST(Observed, overlap_is_counted_as_a_set_of_places_counts_it) {
  const ObservedEntries ours = random_entries(30, 5);
  ObservedEntries theirs = random_entries(30, 6);
  theirs.index[2][3] = kUnknownRow;
  std::set<Place> places;
  for (Index e = 0; e < ours.size(); ++e) places.insert(place(ours, e));
  Index expected = 0;
  for (Index e = 0; e < theirs.size(); ++e) {
    expected += static_cast<Index>(places.count(place(theirs, e)));
  }
  EXPECT_GT(expected, 0);
  EXPECT_EQ(count_overlap(ours, theirs), expected);
}

TEST(Observed, a_split_holds_out_the_share_and_loses_nothing) {
  const ObservedEntries entries = random_entries(1000, 9);
  const EntrySplit split = split_entries(entries, 0.2, 4);
  EXPECT_EQ(split.held_out.size(), 200);
  std::vector<double> all = split.kept.value;
  all.insert(all.end(), split.held_out.value.begin(), split.held_out.value.end());
  std::sort(all.begin(), all.end());
  std::vector<double> expected = entries.value;
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(all, expected);
  EXPECT_EQ(split_entries(entries, 0.2, 4).held_out.value, split.held_out.value);
  EXPECT_NE(split_entries(entries, 0.2, 5).held_out.value, split.held_out.value);
}

}  // namespace
}  // namespace sotto
