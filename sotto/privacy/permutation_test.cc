#include "sotto/privacy/permutation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "sotto/base/random.h"

namespace sotto {
namespace {

using Order = std::vector<std::int64_t>;

// Chi-square over all orders of n, in standard deviations from its mean.
template <class Draw>
double misfit(std::size_t orders, int draws, Draw draw) {
  std::map<Order, int> counts;
  for (int n = 0; n < draws; ++n) ++counts[draw(n)];
  const double expected = static_cast<double>(draws) / static_cast<double>(orders);
  double chi_square = static_cast<double>(orders - counts.size()) * expected;
  for (const auto& [order, count] : counts) {
    chi_square += (count - expected) * (count - expected) / expected;
  }
  const double freedom = static_cast<double>(orders) - 1;
  return (chi_square - freedom) / std::sqrt(2 * freedom);
}

TEST(SecretPermutation, every_order_is_as_likely_and_a_planted_bias_shows) {
  const int draws = 48000;
  const auto fair = [](int n) { return secret_permutation(4, OrderSeed::insecure_from_seed(n)); };
  EXPECT_LT(std::abs(misfit(24, draws, fair)), 5);
  // The well-known error: every place is swapped with any place.
  SeededRandom random(1);
  const auto naive = [&](int) {
    Order order{0, 1, 2, 3};
    for (auto& place : order) std::swap(place, order[random.below(4)]);
    return order;
  };
  EXPECT_GT(misfit(24, draws, naive), 50);
  // No place keeps its own record (Sattolo).
  const auto cyclic = [&](int) {
    Order order{0, 1, 2, 3};
    for (std::size_t i = 3; i > 0; --i) std::swap(order[i], order[random.below(i)]);
    return order;
  };
  EXPECT_GT(misfit(24, draws, cyclic), 50);
}

TEST(SecretPermutation, each_record_goes_anywhere_in_a_long_order) {
  const int count = 1000, draws = 2000, parts = 10;
  std::vector<std::vector<int>> seen(parts, std::vector<int>(parts));
  for (int n = 0; n < draws; ++n) {
    const Order order = secret_permutation(count, OrderSeed::insecure_from_seed(n));
    for (int i = 0; i < count; i += 10) ++seen[i * parts / count][order[i] * parts / count];
  }
  const double expected = draws * (count / 10.0) / (parts * parts);
  double chi_square = 0;
  for (const auto& row : seen) {
    for (const int c : row) chi_square += (c - expected) * (c - expected) / expected;
  }
  EXPECT_NEAR(chi_square, 90, 5 * std::sqrt(180));  // rows are fixed: 90 degrees of freedom
}

TEST(SecretPermutation, is_a_permutation_that_follows_its_seed) {
  for (const std::int64_t count : {0, 1, 2, 10, 100000}) {
    const OrderSeed seed = OrderSeed::from_system();
    Order order = secret_permutation(count, seed);
    EXPECT_EQ(order, secret_permutation(count, seed));
    std::sort(order.begin(), order.end());
    for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(order[static_cast<std::size_t>(i)], i);
  }
  EXPECT_TRUE(OrderSeed::from_system().secure);
  EXPECT_NE(secret_permutation(100, OrderSeed::from_system()),
            secret_permutation(100, OrderSeed::from_system()));
  EXPECT_FALSE(OrderSeed::insecure_from_seed(1).secure);
  EXPECT_NE(secret_permutation(100, OrderSeed::insecure_from_seed(1)),
            secret_permutation(100, OrderSeed::insecure_from_seed(2)));
}

}  // namespace
}  // namespace sotto
