// Text and numbers for HTML.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sotto {

// Makes text safe between tags and in quoted attributes. Control characters, which HTML does not
// have, become the replacement character; the browser shows it for bytes that are not UTF-8.
std::string escape_html(std::string_view text);

// The first `limit` characters of UTF-8 text, with an ellipsis when some were cut.
std::string shorten(std::string_view text, std::size_t limit);

// A number for reading: four digits, no exponent between 1e-4 and 1e7; integers with commas.
std::string shown(double value);
std::string shown(std::int64_t value);

}  // namespace sotto
