// Parts joined to one text, compiled once: fmt::join compiles fmt's writers again wherever it is
// used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sotto {

std::string join_text(const std::vector<std::string>& parts, std::string_view between);
std::string join_text(std::span<const std::ptrdiff_t> numbers, std::string_view between);
std::string join_text(std::span<const std::int32_t> numbers, std::string_view between);
// In as many digits as give back the same number.
std::string join_text(std::span<const double> numbers, std::string_view between);

}  // namespace sotto
