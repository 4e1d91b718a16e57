// How a line of a ratings file is cut into fields, and what each field is.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sotto {

enum class RatingFormat { tns, csv, tsv, movielens };

constexpr std::size_t max_rating_fields = 16;

// The fields of a line; beyond the limit they are only counted.
struct Fields {
  std::array<std::string_view, max_rating_fields> field;
  std::size_t count = 0;

  void add(std::string_view text) {
    if (count < field.size()) field[count] = text;
    ++count;
  }
};

// Spaces around a field and double quotes around a whole field are taken off.
void split_fields(std::string_view line, RatingFormat format, Fields& fields);

// By extension (.tns, .tns.gz), then by what the first line has: "::", a comma, a tab; otherwise
// .tns.
RatingFormat sniff_rating_format(const std::string& path, std::string_view head);

enum class Role { mode, value, time, none };

struct Column {
  Role role;
  std::string name;
};

// `first` is the first line; `place` is for messages. Sets `has_header` to whether it names the
// columns.
std::vector<Column> find_columns(const Fields& first, const std::string& roles,
                                 const std::string& place, bool& has_header);

}  // namespace sotto
