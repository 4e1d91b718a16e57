#include "sotto/io/time_bins.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cmath>

#include "sotto/io/parse_number.h"

namespace sotto {
namespace {

using namespace std::chrono;

constexpr std::int64_t kSecondsADay = 86400;
// Day 0 was a Thursday; weeks are counted from the Monday before it.
constexpr std::int64_t kMondayBefore = 3;
constexpr sys_days kFirstDay = sys_days(year(1) / 1 / 1), kLastDay = sys_days(year(9999) / 12 / 31);

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);  // b > 0
}

year_month_day date_of(std::int64_t day) { return sys_days(days(static_cast<int>(day))); }

bool two_digits(std::string_view text, unsigned& value) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + 2, value);
  return error == std::errc{} && stop == text.data() + 2;
}

// What may follow a date: " 12:30", "T12:30:05.25Z", "T12:30:05+02:00". The time itself is not
// used.
bool is_time_of_day(std::string_view text) {
  if (text.empty()) return true;
  const bool marked = text[0] == ' ' || text[0] == 'T';
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return marked && text.size() >= 3 && is_digit(text[1]) && is_digit(text[2]) &&
         text.find_first_not_of("0123456789:.,+- ZUTC", 3) == std::string_view::npos;
}

bool parse_date(std::string_view text, std::int64_t& seconds) {
  if (text.size() < 10 || text[4] != '-' || text[7] != '-') return false;
  int y = 0;
  unsigned m = 0, d = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + 4, y);
  if (error != std::errc{} || stop != text.data() + 4) return false;
  if (!two_digits(text.substr(5), m) || !two_digits(text.substr(8), d)) return false;
  const year_month_day date = year(y) / month(m) / day(d);
  if (!date.ok() || y < 1 || !is_time_of_day(text.substr(10))) return false;
  seconds = kSecondsADay * sys_days(date).time_since_epoch().count();
  return true;
}

}  // namespace

bool parse_time(std::string_view text, std::int64_t& seconds) {
  if (parse_date(text, seconds)) return true;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, seconds);
  if (error != std::errc{} || stop != end) {
    double real = 0;
    if (!is_real(text, real) || !(std::abs(real) < 1e15)) return false;
    seconds = static_cast<std::int64_t>(std::floor(real));
  }
  const std::int64_t day = floor_divide(seconds, kSecondsADay);
  return day >= kFirstDay.time_since_epoch().count() && day <= kLastDay.time_since_epoch().count();
}

bool is_iso_date(std::string_view text) {
  std::int64_t ignored = 0;
  return parse_date(text, ignored);
}

std::int64_t bin_of(std::int64_t seconds, TimeMode bin) {
  const std::int64_t day = floor_divide(seconds, kSecondsADay);
  if (bin == TimeMode::day) return day;
  if (bin == TimeMode::week) return floor_divide(day + kMondayBefore, 7);
  const year_month_day date = date_of(day);
  return 12 * (static_cast<int>(date.year()) - 1970) +
         static_cast<int>(static_cast<unsigned>(date.month())) - 1;
}

std::string bin_label(std::int64_t number, TimeMode bin) {
  if (bin == TimeMode::month) {
    const std::int64_t years = floor_divide(number, 12);
    return fmt::format("{:04}-{:02}", 1970 + years, number - 12 * years + 1);
  }
  const year_month_day date = date_of(bin == TimeMode::day ? number : 7 * number - kMondayBefore);
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

}  // namespace sotto
