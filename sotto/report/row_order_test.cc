#include "sotto/report/row_order.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace sotto {
namespace {

template <class Label>
RowNames made(Index rows, Label label) {
  RowNames names;
  for (Index i = 0; i < rows; ++i) names.labels.push_back(label(i));
  return names;
}

RowOrder order_of(const RowNames& names) {
  return row_order(names, static_cast<Index>(names.labels.size()));
}

TEST(RowOrder, numbers_that_increase_are_an_order) {
  EXPECT_EQ(order_of(made(20, [](Index i) { return fmt::format("{}", 250 + 0.5 * double(i)); })),
            RowOrder::numbers);
  EXPECT_EQ(order_of(made(20, [](Index i) { return fmt::format("{}", i - 7); })),
            RowOrder::numbers);
  EXPECT_EQ(order_of(made(20, [](Index i) { return fmt::format("{}", i / 2); })), RowOrder::none);
  EXPECT_EQ(order_of(made(20, [](Index i) { return fmt::format("{}", -i); })), RowOrder::none);
  EXPECT_EQ(order_of(made(20, [](Index i) { return fmt::format("{} nm", i); })), RowOrder::none);
  EXPECT_EQ(order_of(made(20, [](Index i) { return i < 19 ? fmt::format("{}", i) : "inf"; })),
            RowOrder::none);
}

TEST(RowOrder, dates_that_increase_are_an_order) {
  const auto month = [](Index i) { return fmt::format("{}-{:02}", 2020 + i / 12, i % 12 + 1); };
  EXPECT_EQ(order_of(made(24, month)), RowOrder::dates);
  EXPECT_EQ(order_of(made(24, [&](Index i) { return month(23 - i); })), RowOrder::none);
  EXPECT_EQ(order_of(made(28, [](Index i) { return fmt::format("2024-02-{:02}", i + 1); })),
            RowOrder::dates);
  EXPECT_EQ(order_of(made(24, [](Index i) { return fmt::format("2024-02-03T{:02}:00", i); })),
            RowOrder::dates);
  EXPECT_EQ(order_of(made(24, [](Index i) { return fmt::format("2024-{:02}", i + 1); })),
            RowOrder::none);  // there is no month 13
  EXPECT_EQ(order_of(made(24, [](Index i) { return fmt::format("2024/{:02}", i + 1); })),
            RowOrder::none);
}

TEST(RowOrder, numbers_of_items_are_names) {
  RowNames items = made(20, [](Index i) { return fmt::format("{}", i + 1); });
  items.identities = true;
  EXPECT_EQ(order_of(items), RowOrder::none);
  RowNames days = made(20, [](Index i) { return fmt::format("2024-02-{:02}", i + 1); });
  days.identities = true;
  EXPECT_EQ(order_of(days), RowOrder::dates);
}

TEST(RowOrder, an_index_is_an_order_where_it_is_a_place) {
  RowNames counted;
  counted.counted = true;
  EXPECT_EQ(row_order(counted, 15), RowOrder::index);
  EXPECT_EQ(row_order(counted, 14), RowOrder::none);
  EXPECT_EQ(row_order(counted, 2000), RowOrder::index);
  EXPECT_EQ(row_order(counted, 2001), RowOrder::none);
  EXPECT_EQ(row_order({}, 100), RowOrder::none);
}

}  // namespace
}  // namespace sotto
