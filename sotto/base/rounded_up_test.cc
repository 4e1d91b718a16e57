#include "sotto/base/rounded_up.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

namespace sotto {
namespace {

// Significant digits of "0.001234", "1200", "1.5e-07".
std::size_t digits_of(std::string text) {
  text = text.substr(0, text.find('e'));
  std::erase(text, '.');
  text.erase(0, std::min(text.find_first_not_of('0'), text.size()));
  text.erase(text.find_last_not_of('0') + 1);
  return text.size();
}

TEST(RoundedUp, is_never_below_the_number_and_close_to_it) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-250, 250);
  for (int i = 0; i < 200000; ++i) {
    const double x = std::pow(10, exponent(random));
    for (const int digits : {2, 5, 10}) {
      const std::string text = rounded_up(x, digits);
      const double shown = std::strtod(text.c_str(), nullptr);
      ASSERT_GE(shown, x) << text;
      ASSERT_LE(shown, x * (1 + std::pow(10, 1 - digits))) << text;
      ASSERT_LE(digits_of(text), static_cast<std::size_t>(digits)) << text;
    }
  }
}

// Just above and just below every short decimal: where rounding to the nearest goes wrong.
TEST(RoundedUp, holds_around_short_decimals) {
  for (int n = 1; n < 100000; n += 7) {
    const double x = n / 1000.0;
    EXPECT_EQ(std::strtod(rounded_up(x).c_str(), nullptr), x);
    EXPECT_GE(std::strtod(rounded_up(std::nextafter(x, 1e9)).c_str(), nullptr),
              std::nextafter(x, 1e9));
    EXPECT_EQ(std::strtod(rounded_up(std::nextafter(x, 0)).c_str(), nullptr), x);
  }
}

TEST(RoundedUp, prints_short_numbers_as_they_are) {
  EXPECT_EQ(rounded_up(1), "1");
  EXPECT_EQ(rounded_up(0.5), "0.5");
  EXPECT_EQ(rounded_up(0.1), "0.1");
  EXPECT_EQ(rounded_up(1e-6), "1e-06");
  EXPECT_EQ(rounded_up(1e-200), "1e-200");
  EXPECT_EQ(rounded_up(0), "0");
  EXPECT_EQ(rounded_up(100.0004), "100.01");
  EXPECT_EQ(rounded_up(99999.5), "100000");
  EXPECT_EQ(rounded_up(0.99999999), "1");
  EXPECT_EQ(rounded_up(1.23456e-7), "1.2346e-07");
  EXPECT_EQ(rounded_up(std::numeric_limits<double>::infinity()), "inf");
}

}  // namespace
}  // namespace sotto
