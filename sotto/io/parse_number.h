// Numbers in text files; an error names their line, "points.csv:17".
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "sotto/io/file_options.h"
#include "sotto/io/line_reader.h"
#include "sotto/linalg/matrix.h"

namespace sotto {

inline constexpr Index kMostWords = std::numeric_limits<std::int32_t>::max();

// A finite number.
double parse_real(std::string_view word, const LineReader& lines);
// The same with this decimal mark. Thousands are not separated by anything.
double parse_real(std::string_view word, DecimalMark decimal, const LineReader& lines);
// True and the number, finite or not, when the word is one.
bool is_real(std::string_view word, double& value);

// Whether the word is a number, be it with a decimal comma: no name of a column.
bool looks_like_number(std::string_view word);
// Whether the word is what programs write for a value that is missing: NA, null, ?, or nothing.
bool is_missing_value(std::string_view word);

// A whole number between least and most; `what` says what it is: "word number".
Index parse_whole(std::string_view word, std::string_view what, Index least, Index most,
                  const LineReader& lines);
bool is_whole(std::string_view word, Index& value);

// The number of one of `count` things, counted from `base` in the file and from 0 here. `note` goes
// with the message about one that is too large.
Index parse_index(std::string_view word, std::string_view what, Index base, Index count,
                  const LineReader& lines, std::string_view note = "");
// "; `index-base` 0 counts from 0" where that would read a number that is outside; else nothing.
std::string base_hint(Index number, Index base, Index count);

// How often something was seen: a whole number from 1 to 2^31-1, as "3" or as a real like "3.0".
double parse_count(std::string_view word, const LineReader& lines);

}  // namespace sotto
