#include "sotto/io/large_values.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "sotto/io/testing/test_files.h"

namespace sotto {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(LargeValues, one_is_found_wherever_it_stands) {
  const double below = std::nextafter(kLargestPublicValue, 0);
  for (const std::size_t length : {1u, 63u, 64u, 65u, 200u}) {
    std::vector<double> values(length, -below);
    EXPECT_FALSE(any_large(values, kLargestPublicValue));
    for (std::size_t i = 0; i < length; ++i) {
      for (const double x : {kLargestPublicValue, -kLargestPublicValue, 1e308, kInfinity, kNaN}) {
        values[i] = x;
        EXPECT_TRUE(any_large(values, kLargestPublicValue)) << length << " " << i << " " << x;
      }
      values[i] = i % 2 == 0 ? 0.0 : -0.0;
    }
    EXPECT_FALSE(any_large(values, kLargestPublicValue));
  }
  EXPECT_FALSE(any_large({}, kLargestPublicValue));
}

TEST(LargeValues, finite_ones_are_refused_and_others_are_not_its_business) {
  const std::vector<double> others = {1, kNaN, -kInfinity}, large = {kNaN, -2e75, 1};
  EXPECT_NO_THROW(refuse_large(others, kLargestPublicValue, "data"));
  EXPECT_ERROR(refuse_large(large, kLargestPublicValue, "data"), "data: has the number -2e+75");
  EXPECT_NO_THROW(refuse_large(large, largest_value(true), "data"));
}

}  // namespace
}  // namespace sotto
