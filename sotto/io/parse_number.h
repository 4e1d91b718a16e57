// Numbers in text files; an error names their line, "points.csv:17".
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "sotto/io/line_reader.h"
#include "sotto/linalg/matrix.h"

namespace sotto {

inline constexpr Index kMostWords = std::numeric_limits<std::int32_t>::max();

// A finite number.
double parse_real(std::string_view word, const LineReader& lines);
// True and the number, finite or not, when the word is one.
bool is_real(std::string_view word, double& value);

// A whole number between least and most; `what` says what it is: "word number".
Index parse_whole(std::string_view word, std::string_view what, Index least, Index most,
                  const LineReader& lines);
bool is_whole(std::string_view word, Index& value);

// How often something was seen: a whole number from 1 to 2^31-1, as "3" or as a real like "3.0".
double parse_count(std::string_view word, const LineReader& lines);

}  // namespace sotto
