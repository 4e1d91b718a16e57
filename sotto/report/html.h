// Text and numbers as they stand in HTML.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sotto {

// Safe between tags and in quoted attributes. Control characters, which HTML does not have, become
// the replacement character; bytes that are not UTF-8 become it in the browser.
std::string escape_html(std::string_view text);

// The first `limit` characters of UTF-8 text, with an ellipsis where some were left out.
std::string shorten(std::string_view text, std::size_t limit);

// For reading: four digits, no exponent between 1e-4 and 1e7; integers with commas.
std::string shown(double value);
std::string shown(std::int64_t value);

}  // namespace sotto
