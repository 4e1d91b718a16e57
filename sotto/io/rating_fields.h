// How a line of a ratings file is cut into fields.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "sotto/io/file_options.h"
#include "sotto/tensor/ratings.h"

namespace sotto {

constexpr std::size_t kMaxRatingFields = 16;

// The fields of a line; beyond the limit they are only counted.
struct Fields {
  std::array<std::string_view, kMaxRatingFields> field;
  std::size_t count = 0;

  Fields() = default;
  Fields(const Fields&) = delete;
  Fields& operator=(const Fields&) = delete;

  void add(std::string_view text) {
    if (count < field.size()) field[count] = text;
    ++count;
  }
  // The same for a quoted text, in which quotes are doubled.
  void add_quoted(std::string_view text);

 private:
  std::array<std::string, kMaxRatingFields> single_;  // texts whose quotes are not doubled
};

// What stands between the fields. Blanks and tabs, any number of them, where it is empty.
std::string separator_of(RatingFormat format, Separator separator = Separator::automatic);

// Spaces around a field and double quotes around a whole field are taken off.
void split_fields(std::string_view line, std::string_view separator, Fields& fields);

// How a public file is to be read, by the mark of .npy; by extension (.tns, .tns.gz); then by what
// the first line has: "::", a comma, a semicolon, a bar, a tab (in a file called .data that of
// MovieLens); otherwise .tns.
struct RatingDialect {
  RatingFormat format = RatingFormat::automatic;
  Separator separator = Separator::automatic;
};
RatingDialect sniff_ratings(const std::string& path, std::string_view head);

}  // namespace sotto
