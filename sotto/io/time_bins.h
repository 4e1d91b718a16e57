// Times as a mode of a tensor: the day, week or month (UTC) of a time stamp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sotto/io/file_options.h"

namespace sotto {

// Seconds since 1970 as a whole number or with decimals, or a date that begins YYYY-MM-DD. False
// when it is neither, or lies outside the years 1 to 9999.
bool parse_time(std::string_view text, std::int64_t& seconds);

// Whether the text is a date of this form, with or without a time of day.
bool is_iso_date(std::string_view text);

// Consecutive bins have consecutive numbers.
std::int64_t bin_of(std::int64_t seconds, TimeMode bin);

// "2000-07-30"; a week by its Monday; "2000-07".
std::string bin_label(std::int64_t number, TimeMode bin);

}  // namespace sotto
