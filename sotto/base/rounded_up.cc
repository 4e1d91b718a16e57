#include "sotto/base/rounded_up.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>

namespace sotto {
namespace {

template <class Number>
Number read(std::string_view text) {
  Number value{};
  if (text.front() == '+') text.remove_prefix(1);
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// "1.2345e-06" to "12346e-10": the next decimal of as many digits.
std::string next_decimal(const std::string& decimal, int digits) {
  const std::size_t power = decimal.find('e');
  std::string significand = decimal.substr(0, power);
  std::erase(significand, '.');
  const int exponent = read<int>(std::string_view(decimal).substr(power + 1));
  return fmt::format("{}e{}", read<std::int64_t>(significand) + 1, exponent - (digits - 1));
}

}  // namespace

std::string rounded_up(double x, int digits) {
  if (!std::isfinite(x)) return fmt::format("{}", x);
  const std::string nearest = fmt::format("{:.{}e}", x, digits - 1);
  double shown = read<double>(nearest);
  if (shown < x) shown = read<double>(next_decimal(nearest, digits));
  // Decimals of up to 15 digits survive the way through a double.
  return fmt::format("{}", shown);
}

}  // namespace sotto
