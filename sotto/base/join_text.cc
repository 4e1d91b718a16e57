#include "sotto/base/join_text.h"

#include <fmt/format.h>

namespace sotto {
namespace {

template <class Parts>
std::string join_parts(const Parts& parts, std::string_view between) {
  std::string text;
  for (const auto& part : parts) {
    if (&part != &*parts.begin()) text += between;
    text += fmt::format("{}", part);
  }
  return text;
}

}  // namespace

std::string join_text(const std::vector<std::string>& parts, std::string_view between) {
  return join_parts(parts, between);
}

std::string join_text(std::span<const std::ptrdiff_t> numbers, std::string_view between) {
  return join_parts(numbers, between);
}

std::string join_text(std::span<const std::int32_t> numbers, std::string_view between) {
  return join_parts(numbers, between);
}

std::string join_text(std::span<const double> numbers, std::string_view between) {
  return join_parts(numbers, between);
}

}  // namespace sotto
