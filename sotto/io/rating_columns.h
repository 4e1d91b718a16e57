// What the columns of a ratings file are, and which of them are the users and the items.
//
// They follow from, in this order: `columns`; the names in a header; the format. read_ratings.h has
// the rules.
#pragma once

#include <string>
#include <vector>

#include "sotto/io/rating_fields.h"
#include "sotto/io/read_ratings.h"

namespace sotto {

enum class Role { mode, user, item, value, time, none };
constexpr auto enum_names(Role) {  // in `columns`
  return std::to_array<EnumName<Role>>({{Role::mode, "mode"},
                                        {Role::user, "user"},
                                        {Role::item, "item"},
                                        {Role::value, "value"},
                                        {Role::time, "time"},
                                        {Role::none, "-"}});
}

struct Column {
  Role role;
  std::string name;  // in the header, or "mode 1"
};

struct ColumnLayout {
  static constexpr std::size_t kNone = kMaxRatingFields;
  static constexpr std::size_t kImplied = kNone + 1;  // no column: one row for the whole file

  std::vector<Column> columns;
  bool has_header = false;
  std::vector<std::size_t> modes;  // the columns of the modes: users, items (where known), others
  std::size_t user = kNone, value = kNone, time = kNone;
  // Whether nobody has said what the columns are, a name of the header included: then each may be
  // an item.
  bool may_be_wide = false;

  // "the column userId", or "column 2" without a header; empty for none.
  std::string describe(std::size_t column) const;
};

// What to do with a table that has a column for each item, for the end of a message.
inline constexpr const char* kWideTable =
    "; if each column is an item, this is a wide table, which is not read: give a line for each "
    "rating (user,item,value), or an .npy array with NaN where there is none";

// `first` is the first line that is neither blank nor a comment; `place` is for messages.
ColumnLayout find_columns(const Fields& first, RatingFormat format,
                          const RatingFileOptions& options, const std::string& place);

}  // namespace sotto
