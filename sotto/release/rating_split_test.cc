#include "sotto/release/rating_split.h"

#include <gtest/gtest.h>

#include "sotto/release/access.h"

namespace sotto {
namespace {

Ratings three_ratings() {
  ObservedEntries entries({2, 2, 1});
  entries.append(std::vector<std::int32_t>{0, 0, 0}, 5);
  entries.append(std::vector<std::int32_t>{0, 1, 0}, 1);
  entries.append(std::vector<std::int32_t>{1, 1, 0}, 4);
  Ratings ratings = unlabelled(std::move(entries));
  ratings.format = RatingFormat::csv;
  ratings.user_column = "the column user";
  return ratings;
}

TEST(SplitRatings, keeps_the_places_and_takes_every_value_off_them) {
  const Ratings whole = three_ratings();
  const SplitRatings parts = split(Sensitive<Ratings>(three_ratings()));
  EXPECT_EQ(parts.positions.entries.index, whole.entries.index);
  EXPECT_EQ(parts.positions.entries.dims, whole.entries.dims);
  EXPECT_EQ(parts.positions.entries.value, std::vector<double>(3, 0));
  EXPECT_EQ(parts.positions.format, RatingFormat::csv);
  EXPECT_EQ(ReleaseAccess::view(parts.values), whole.entries.value);
}

// Neighbours of unit rating: the public part is the same whatever the values are.
TEST(SplitRatings, the_public_part_does_not_depend_on_the_values) {
  Ratings other = three_ratings();
  other.entries.value = {1e9, -3, 0.25};
  const SplitRatings a = split(Sensitive<Ratings>(three_ratings()));
  const SplitRatings b = split(Sensitive<Ratings>(std::move(other)));
  EXPECT_EQ(a.positions.entries.index, b.positions.entries.index);
  EXPECT_EQ(a.positions.entries.value, b.positions.entries.value);
}

TEST(NumberUsers, numbers_listed_items_and_stays_sensitive) {
  LabelTable items;
  items.add("2");
  const SensitiveUsers users =
      number_users(Sensitive<Ratings>(three_ratings()), {std::move(items), {}});
  EXPECT_EQ(users.user_column, "the column user");
  const ObservedEntries& entries = ReleaseAccess::view(users.entries);
  EXPECT_EQ(entries.index[1], (std::vector<std::int32_t>{kUnknownRow, 0, 0}));
  EXPECT_EQ(entries.value, (std::vector<double>{5, 1, 4}));
}

}  // namespace
}  // namespace sotto
