#include "sotto/privacy/parse_spends.h"

#include <charconv>
#include <string_view>

#include "sotto/base/error.h"

namespace sotto {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

template <class Number>
Number number(std::string_view word, std::string_view item, const std::string& place) {
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  SOTTO_REQUIRE_AT(error == std::errc() && end == word.data() + word.size(), place,
                   "'{}' in '{}' is not a number", word, item);
  return value;
}

Spend parse_one(std::string_view item, const std::string& place) {
  const std::vector<std::string_view> parts = split(item, ':');
  const bool subsampled = parts[0] == "subsampled";
  const std::size_t numbers = subsampled ? 2 : 1;  // before the count
  SOTTO_REQUIRE_AT(parts.size() == numbers + 1 || parts.size() == numbers + 2, place,
                   "'{}' should read {}", item,
                   subsampled ? "subsampled:NOISE_MULTIPLIER:SAMPLING_RATE:COUNT"
                              : "gaussian|laplace|pure:NUMBER:COUNT");
  const double first = number<double>(parts[1], item, place);
  const auto count = parts.size() == numbers + 2 ? number<std::int64_t>(parts.back(), item, place)
                                                 : std::int64_t{1};
  SOTTO_REQUIRE_AT(first > 0, place, "the number in '{}' must be above 0", item);
  if (subsampled)
    return {SubsampledGaussianCost{first, number<double>(parts[2], item, place)}, count};
  if (parts[0] == "gaussian") return {GaussianCost{1 / first}, count};
  if (parts[0] == "laplace") return {LaplaceCost{1 / first}, count};
  SOTTO_REQUIRE_AT(parts[0] == "pure", place,
                   "unknown release '{}'; use gaussian, laplace, pure or subsampled", parts[0]);
  return {PureCost{first}, count};
}

}  // namespace

std::vector<Spend> parse_spends(const std::string& text, const std::string& place) {
  std::vector<Spend> spends;
  for (const std::string_view item : split(text, ',')) spends.push_back(parse_one(item, place));
  return spends;
}

}  // namespace sotto
