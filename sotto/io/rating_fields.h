// How a line of a ratings file is cut into fields.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "sotto/tensor/ratings.h"

namespace sotto {

constexpr std::size_t kMaxRatingFields = 16;

// The fields of a line; beyond the limit they are only counted.
struct Fields {
  std::array<std::string_view, kMaxRatingFields> field;
  std::size_t count = 0;

  void add(std::string_view text) {
    if (count < field.size()) field[count] = text;
    ++count;
  }
};

// Spaces around a field and double quotes around a whole field are taken off.
void split_fields(std::string_view line, RatingFormat format, Fields& fields);

// By extension (.tns, .tns.gz), then by what the first line has: "::", a comma, a tab (in a file
// called .data that of MovieLens); otherwise .tns.
RatingFormat sniff_rating_format(const std::string& path, std::string_view head);

}  // namespace sotto
