#include "sotto/report/row_order.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <functional>
#include <optional>
#include <string_view>

namespace sotto {
namespace {

constexpr Index kFewestInALine = 15, kMostInALine = 2000;

std::optional<double> number_in(const std::string& text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || !std::isfinite(number)) return std::nullopt;
  return number;
}

bool are_increasing_numbers(const std::vector<std::string>& labels) {
  const auto is_number = [](const std::string& label) { return number_in(label).has_value(); };
  if (!std::all_of(labels.begin(), labels.end(), is_number)) return false;
  const std::vector<double> numbers = label_numbers(labels);
  return std::adjacent_find(numbers.begin(), numbers.end(), std::greater_equal<>()) ==
         numbers.end();
}

// Whether a text is a month, a day, or a day with a time: 2024-05, 2024-05-17, 2024-05-17T09:30.
bool is_iso_date(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00";
  if (text.size() != 7 && text.size() != 10 && text.size() != 16 && text.size() != kForm.size()) {
    return false;
  }
  for (std::size_t n = 0; n < text.size(); ++n) {
    const bool digit = std::isdigit(static_cast<unsigned char>(text[n])) != 0;
    const bool fits = kForm[n] == '0'   ? digit
                      : kForm[n] == 'T' ? text[n] == 'T' || text[n] == ' '
                                        : text[n] == kForm[n];
    if (!fits) return false;
  }
  const std::string_view month = text.substr(5, 2);
  return month >= "01" && month <= "12" &&
         (text.size() == 7 || (text.substr(8, 2) >= "01" && text.substr(8, 2) <= "31"));
}

// Dates of one form are in the order of their texts.
bool are_increasing_dates(const std::vector<std::string>& labels) {
  const auto fits = [&](const std::string& label) {
    return label.size() == labels.front().size() && is_iso_date(label);
  };
  return std::all_of(labels.begin(), labels.end(), fits) &&
         std::adjacent_find(labels.begin(), labels.end(), std::greater_equal<>()) == labels.end();
}

}  // namespace

RowOrder row_order(const RowNames& names, Index rows) {
  if (rows < kFewestInALine || rows > kMostInALine) return RowOrder::none;
  if (names.labels.empty()) return names.counted ? RowOrder::index : RowOrder::none;
  if (are_increasing_dates(names.labels)) return RowOrder::dates;
  if (!names.identities && are_increasing_numbers(names.labels)) return RowOrder::numbers;
  return RowOrder::none;
}

std::vector<double> label_numbers(const std::vector<std::string>& labels) {
  std::vector<double> numbers;
  numbers.reserve(labels.size());
  for (const std::string& label : labels) numbers.push_back(number_in(label).value_or(0));
  return numbers;
}

}  // namespace sotto
