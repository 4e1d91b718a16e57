#include "sotto/tensor/ratings.h"

#include <gtest/gtest.h>

#include "sotto/base/error.h"

namespace sotto {
namespace {

using RowList = std::vector<std::int32_t>;

TEST(LabelTable, numbers_names_as_they_appear) {
  LabelTable table;
  for (int round = 0; round < 2; ++round) {
    for (int n = 0; n < 5000; ++n) EXPECT_EQ(table.add(std::to_string(7 * n)), n);
  }
  EXPECT_EQ(table.size(), 5000);
  EXPECT_EQ(table.label(4999), std::to_string(7 * 4999));
  EXPECT_EQ(table.find("14"), 2);
  EXPECT_EQ(table.find("15"), -1);
  EXPECT_EQ(table.find(""), -1);
}

TEST(LabelTable, sorts_by_an_order_that_does_not_depend_on_the_others) {
  LabelTable table;
  for (const char* label : {"b", "10", "9", "", "-1", "Z", "09", "a", "9.5"}) table.add(label);
  const std::vector<std::int32_t> order = table.sort();
  std::vector<std::string> sorted;
  for (Index n = 0; n < table.size(); ++n) sorted.emplace_back(table.label(n));
  EXPECT_EQ(sorted, (std::vector<std::string>{"9", "09", "10", "", "-1", "9.5", "Z", "a", "b"}));
  EXPECT_EQ(order, (RowList{2, 6, 1, 3, 4, 8, 5, 7, 0}));
  EXPECT_EQ(table.find("a"), 7);
}

LabelTable labels_of(std::initializer_list<const char*> names) {
  LabelTable labels;
  for (const char* name : names) labels.add(name);
  return labels;
}

// Two users, items z, w and x, times Monday and Sunday.
Ratings rated() {
  Ratings ratings;
  ratings.modes = {{"user", false, labels_of({"1", "2"})},
                   {"item", false, labels_of({"z", "w", "x"})},
                   {"day", false, labels_of({"Monday", "Sunday"})}};
  ratings.entries = ObservedEntries({2, 3, 2});
  ratings.entries.append(RowList{0, 0, 0}, 3);
  ratings.entries.append(RowList{0, 1, 1}, 4);
  ratings.entries.append(RowList{1, 2, 1}, 5);
  return ratings;
}

TEST(ListedRows, number_entries_and_leave_others_unknown) {
  const Ratings ratings = rated();
  ListedRows rows{labels_of({"x", "y", "z"}), {}};
  const ObservedEntries without_times = numbered(rows, ratings);
  EXPECT_EQ(without_times.dims[1], 3);
  EXPECT_EQ(without_times.index[1], (RowList{2, kUnknownRow, 0}));
  EXPECT_EQ(without_times.index[0], ratings.entries.index[0]);
  EXPECT_EQ(without_times.index[2], RowList(3, kUnknownRow));
  EXPECT_EQ(without_times.value, ratings.entries.value);
  rows.times = labels_of({"Sunday"});
  EXPECT_EQ(numbered(rows, ratings).index[2], (RowList{kUnknownRow, 0, 0}));
}

TEST(ListedRows, refuse_times_where_no_mode_or_several_may_be_the_times) {
  Ratings ratings = rated();
  ratings.modes.push_back(ratings.modes[2]);
  EXPECT_THROW(numbered({labels_of({"x"}), labels_of({"Sunday"})}, ratings), Error);
}

// Indices of a .tns file are labels too.
TEST(ListedRows, take_numbers_for_labels) {
  ObservedEntries entries({1, 3, 1});
  for (std::int32_t i = 0; i < 3; ++i) entries.append(RowList{0, i, 0}, 1);
  const ObservedEntries found = numbered({labels_of({"3", "1"}), {}}, unlabelled(entries));
  EXPECT_EQ(found.index[1], (RowList{1, kUnknownRow, 0}));
}

}  // namespace
}  // namespace sotto
