#include "sotto/io/labelled_ratings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/base/join_text.h"
#include "sotto/io/text_fields.h"
#include "sotto/io/time_bins.h"

namespace sotto {
namespace {

// Time stamps as rows: numbered as they come, put into the order of time at the end.
class TimeRows {
 public:
  explicit TimeRows(TimeMode bin) : bin_(bin) {}

  std::int32_t add(std::string_view text, const RatingLines& lines) {
    const std::int64_t number = bin(text, lines);
    if (number == last_ && last_row_ >= 0) return last_row_;
    last_ = number;
    last_row_ = rows_.emplace(number, static_cast<std::int32_t>(rows_.size())).first->second;
    return last_row_;
  }
  std::string label(std::string_view text, const RatingLines& lines) const {
    return bin_label(bin(text, lines), bin_);
  }
  // The labels in the order of time; `row_of` maps the rows given out to it.
  LabelTable sorted(std::vector<std::int32_t>& row_of) const {
    std::vector<std::pair<std::int64_t, std::int32_t>> bins(rows_.begin(), rows_.end());
    std::sort(bins.begin(), bins.end());
    LabelTable labels;
    row_of.resize(bins.size());
    for (const auto& [number, row] : bins) {
      row_of[static_cast<std::size_t>(row)] = labels.add(bin_label(number, bin_));
    }
    return labels;
  }

 private:
  std::int64_t bin(std::string_view text, const RatingLines& lines) const {
    std::int64_t seconds = 0;
    SOTTO_REQUIRE_AT(parse_time(text, seconds), lines.place(),
                     "{} is not a time: seconds since 1970 (years 1 to 9999) or YYYY-MM-DD",
                     printable(text));
    return bin_of(seconds, bin_);
  }

  TimeMode bin_;
  std::unordered_map<std::int64_t, std::int32_t> rows_;
  std::int64_t last_ = 0;
  std::int32_t last_row_ = -1;
};

// By the label alone (FNV-1a), so that all processes agree.
Index shard_of(std::string_view label, Index shards) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const unsigned char c : label) hash = (hash ^ c) * 0x100000001b3;
  return static_cast<Index>((hash ^ hash >> 32) % static_cast<std::uint64_t>(shards));
}

class LabelledRatings {
 public:
  LabelledRatings(RatingLines& lines, RatingFormat format, const RatingFileOptions& options,
                  const Ratings* known, std::vector<Index> dims)
      : lines_(lines),
        format_(format),
        options_(options),
        known_(known),
        dims_(std::move(dims)),
        with_time_(options.time_mode != TimeMode::none),
        times_(options.time_mode),
        time_name_(name_of(options.time_mode)),
        layout_(find_columns(lines.fields, format, options, lines.place())),
        guarded_(!options.records_are_private && options.columns.empty() && known == nullptr &&
                 options.modes.empty() && format != RatingFormat::tns),
        pending_(!layout_.has_header && !lines.at_end()) {
    if (options.one_user && layout_.time == ColumnLayout::kNone) with_time_ = false;
    SOTTO_REQUIRE_AT(!with_time_ || layout_.time != ColumnLayout::kNone, "`time-mode`",
                     "the file has no time column; name it with `columns`");
    const std::size_t modes = layout_.modes.size() + (with_time_ ? 1 : 0);
    SOTTO_REQUIRE_AT(modes <= kMaxObservedOrder, "`time-mode`",
                     "{} modes and the time are more than {}", layout_.modes.size(),
                     kMaxObservedOrder);
    SOTTO_REQUIRE_AT(known == nullptr || known->modes.size() == std::max<std::size_t>(modes, 3),
                     lines.place(), "has {} modes, {} has {}", modes,
                     known == nullptr ? "" : known->path,
                     known == nullptr ? 0 : known->modes.size());
  }

  void read(Ratings& out) {
    const std::size_t order = std::max<std::size_t>(layout_.modes.size() + (with_time_ ? 1 : 0), 3);
    out.entries = ObservedEntries(std::vector<Index>(order, 1));
    name_modes(out, order);
    out.user_column = layout_.describe(layout_.user);
    out.value_column = layout_.describe(layout_.value);
    std::vector<std::int32_t> rows(order, 0);
    while (pending_ || lines_.next()) {
      pending_ = false;
      lines_.require_count(layout_.columns.size());
      if (guarded_ && out.entries.size() == 0) check_first();
      if (guarded_) watch_index(out.entries.size());
      if (belongs_to_others()) {
        ++out.left_out;
        continue;
      }
      read_rows(out, rows);
      refuse_wide();
      const double x = lines_.value(layout_.value);
      out.lines.add(out.entries.size(), lines_.number());
      out.entries.append(rows, x);
    }
    refuse_index(out.entries.size());
    if (with_time_ && known_ == nullptr) sort_time(out);
    for (std::size_t m = 0; m < order; ++m) {
      out.entries.dims[m] =
          known_ != nullptr ? known_->entries.dims[m] : out.modes[m].labels.size();
    }
  }

 private:
  void name_modes(Ratings& out, std::size_t order) const {
    for (const std::size_t n : layout_.modes) {
      const bool implied = n == ColumnLayout::kImplied;
      out.modes.push_back({implied ? "all" : layout_.columns[n].name, false, {}});
    }
    if (with_time_) out.modes.push_back({time_name_, false, {}});
    if (out.modes.size() < order) {
      out.modes.push_back({"all", false, {}});
      out.modes.back().labels.add("all");
    }
  }

  void read_rows(Ratings& out, std::vector<std::int32_t>& rows) {
    for (std::size_t m = 0; m < layout_.modes.size(); ++m) {
      const bool implied = layout_.modes[m] == ColumnLayout::kImplied;
      const std::string_view label = implied ? "all" : label_in(layout_.modes[m]);
      rows[m] =
          known_ != nullptr ? known_->modes[m].labels.find(label) : out.modes[m].labels.add(label);
    }
    if (!with_time_) return;
    const std::string_view text = lines_.fields.field[layout_.time];
    const std::size_t m = layout_.modes.size();
    rows[m] = known_ != nullptr ? known_->modes[m].labels.find(times_.label(text, lines_))
                                : times_.add(text, lines_);
  }

  bool belongs_to_others() {
    return options_.shards > 1 &&
           shard_of(label_in(layout_.modes[0]), options_.shards) != options_.shard;
  }

  // The first entry shows whether the columns were taken for what they are. A row for each day is
  // rarely wanted, and neither a date nor a name is a value.
  void check_first() const {
    for (std::size_t n = 0; n < layout_.columns.size(); ++n) {
      const Role role = layout_.columns[n].role;
      if (role == Role::time || role == Role::none || !is_iso_date(lines_.fields.field[n]))
        continue;
      throw Error(
          fmt::format("{} holds dates: say what the columns are, for instance `columns` {}, and "
                      "`time-mode` month for a mode of months (or mode for a row a date)",
                      layout_.describe(n), columns_with_time(n)),
          lines_.place());
    }
    if (layout_.value == ColumnLayout::kNone) return;
    const std::string_view value = lines_.fields.field[layout_.value];
    SOTTO_REQUIRE_AT(
        value.empty() || looks_like_number(value), lines_.place(),
        "{} is not a number, but {} was taken for the value; say what the columns are, "
        "for instance `columns` -,user,item,value",
        printable(value), layout_.describe(layout_.value));
  }

  // An empty cell, where no option says which column holds the values.
  void refuse_wide() const {
    if (!layout_.may_be_wide || layout_.value == ColumnLayout::kNone) return;
    SOTTO_REQUIRE_AT(!lines_.fields.field[layout_.value].empty(), lines_.place(),
                     "field {} is empty{}", layout_.value + 1, kWideTable);
  }

  // "mode,mode,time,value"
  std::string columns_with_time(std::size_t time) const {
    std::vector<std::string> roles;
    for (std::size_t n = 0; n < layout_.columns.size(); ++n) {
      const Role role = layout_.columns[n].role;
      roles.emplace_back(name_of(n == time ? Role::time : role == Role::time ? Role::value : role));
    }
    return join_text(roles, ",");
  }

  // A first column that counts the lines is a saved index.
  void watch_index(Index entry) {
    Index number = 0;
    const bool counts = layout_.modes[0] == 0 && is_whole(lines_.fields.field[0], number);
    if (entry == 0) first_count_ = number;
    if (!counts || first_count_ > 1 || number != first_count_ + entry) guarded_ = false;
  }
  void refuse_index(Index entries) const {
    constexpr Index kTooFew = 3;
    if (!guarded_ || entries < kTooFew) return;
    std::string rest = "-";
    Index modes = 0;
    for (std::size_t n = 1; n < layout_.columns.size(); ++n) {
      const Role role = layout_.columns[n].role;
      const bool last = n + 1 == layout_.columns.size();
      if (layout_.has_header ? role == Role::value || role == Role::time : last) {
        rest += layout_.has_header && role == Role::time ? ",time" : ",value";
      } else {
        rest += ++modes == 1 ? ",user" : modes == 2 ? ",item" : ",mode";
      }
    }
    throw Error(fmt::format("column 1 counts the lines (a saved index?): say what the columns are, "
                            "for instance `columns` {}",
                            rest),
                lines_.place());
  }

  // An index is the same label, however it is written.
  std::string_view label_in(std::size_t column) {
    const std::string_view text = lines_.fields.field[column];
    SOTTO_REQUIRE_AT(!text.empty(), lines_.place(), "field {} is empty{}", column + 1,
                     layout_.may_be_wide ? kWideTable : "");
    SOTTO_REQUIRE_AT(text.find('\n') == std::string_view::npos, lines_.place(),
                     "field {} has a line break, and labels have none; leave the column out with "
                     "`columns`",
                     column + 1);
    if (format_ != RatingFormat::tns) return text;
    const Index most = column < dims_.size() ? dims_[column] : std::numeric_limits<Index>::max();
    index_ = fmt::format_int(lines_.index(column, most)).str();
    return index_;
  }

  void sort_time(Ratings& out) const {
    std::vector<std::int32_t> row_of;
    out.modes[layout_.modes.size()].labels = times_.sorted(row_of);
    for (std::int32_t& row : out.entries.index[layout_.modes.size()]) {
      row = row_of[static_cast<std::size_t>(row)];
    }
  }

  RatingLines& lines_;
  RatingFormat format_;
  const RatingFileOptions& options_;
  const Ratings* known_;
  std::vector<Index> dims_;
  bool with_time_;
  TimeRows times_;
  std::string time_name_;
  ColumnLayout layout_;
  bool guarded_;           // refuse what looks like a saved index or a date and was not declared
  Index first_count_ = 0;  // what the first column counts from
  bool pending_;           // the line last read is an entry
  std::string index_;
};

}  // namespace

void read_labelled_ratings(RatingLines& lines, RatingFormat format,
                           const RatingFileOptions& options, const Ratings* known, Ratings& out,
                           std::vector<Index> dims) {
  LabelledRatings(lines, format, options, known, std::move(dims)).read(out);
}

}  // namespace sotto
