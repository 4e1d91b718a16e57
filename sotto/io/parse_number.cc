#include "sotto/io/parse_number.h"

#include <fast_float/fast_float.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>

#include "sotto/base/error.h"
#include "sotto/io/text_fields.h"

namespace sotto {

bool is_real(std::string_view word, double& value) {
  if (word.starts_with('+')) word.remove_prefix(1);
  const char* end = word.data() + word.size();
  const auto [stop, error] = fast_float::from_chars(word.data(), end, value);
  return error == std::errc{} && stop == end;
}

double parse_real(std::string_view word, const LineReader& lines) {
  double value = 0;
  SOTTO_REQUIRE_AT(is_real(word, value), lines.place(), "{} is not a number{}", printable(word),
                   decimal_hint(word));
  SOTTO_REQUIRE_AT(std::isfinite(value), lines.place(), "{} is not a finite number",
                   printable(word));
  return value;
}

double parse_real(std::string_view word, DecimalMark decimal, const LineReader& lines) {
  if (decimal == DecimalMark::point) return parse_real(word, lines);
  SOTTO_REQUIRE_AT(word.find('.') == std::string_view::npos, lines.place(),
                   "{} has a point, but `decimal` is comma", printable(word));
  std::string with_point(word);
  std::replace(with_point.begin(), with_point.end(), ',', '.');
  double value = 0;
  SOTTO_REQUIRE_AT(is_real(with_point, value), lines.place(), "{} is not a number",
                   printable(word));
  SOTTO_REQUIRE_AT(std::isfinite(value), lines.place(), "{} is not a finite number",
                   printable(word));
  return value;
}

bool looks_like_number(std::string_view word) {
  double ignored;
  if (is_real(word, ignored)) return true;
  std::string with_point(word);
  std::replace(with_point.begin(), with_point.end(), ',', '.');
  return is_real(with_point, ignored);
}

bool is_missing_value(std::string_view word) {
  constexpr std::string_view kMarks[] = {"", "na", "n/a", "null", "none", "?", ".", "-"};
  const std::string lower = ascii_lower(word);
  return std::find(std::begin(kMarks), std::end(kMarks), lower) != std::end(kMarks);
}

bool is_whole(std::string_view word, Index& value) {
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  return error == std::errc{} && stop == end;
}

Index parse_whole(std::string_view word, std::string_view what, Index least, Index most,
                  const LineReader& lines) {
  Index value = 0;
  SOTTO_REQUIRE_AT(is_whole(word, value), lines.place(), "{} {} is not a whole number", what,
                   printable(word));
  SOTTO_REQUIRE_AT(value >= least && value <= most, lines.place(), "{} {} is not between {} and {}",
                   what, value, least, most);
  return value;
}

std::string base_hint(Index number, Index base, Index count) {
  if (number == 0 && base == 1) return "; `index-base` 0 counts from 0";
  if (number == count && base == 0) return "; `index-base` 1 counts from 1";
  return {};
}

Index parse_index(std::string_view word, std::string_view what, Index base, Index count,
                  const LineReader& lines, std::string_view note) {
  constexpr Index any = std::numeric_limits<Index>::max();
  const Index number = parse_whole(word, what, std::numeric_limits<Index>::min(), any, lines);
  SOTTO_REQUIRE_AT(
      number >= base && number - base<count, lines.place(), "{} {} is not between {} and {}{}{}",
                                      what, number, base, count - 1 + base, number> 0
          ? note
          : "",
      base_hint(number, base, count));
  return number - base;
}

double parse_count(std::string_view word, const LineReader& lines) {
  constexpr Index most = std::numeric_limits<std::int32_t>::max();
  Index whole = 0;
  double value = 0;
  if (is_whole(word, whole)) {
    value = static_cast<double>(whole);
  } else {
    value = parse_real(word, lines);
  }
  SOTTO_REQUIRE_AT(value >= 1 && value <= most && value == std::floor(value), lines.place(),
                   "count {} is not a whole number between 1 and {}", printable(word), most);
  return value;
}

}  // namespace sotto
