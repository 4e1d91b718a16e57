#include "sotto/io/read_ratings.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/io/line_reader.h"
#include "sotto/io/parse_number.h"
#include "sotto/io/rating_fields.h"
#include "sotto/io/time_bins.h"

namespace sotto {
namespace {

constexpr Index largest_index = std::numeric_limits<std::int32_t>::max();

RatingFormat format_of(const RatingFileOptions& options, const std::string& path,
                       ByteSource& source) {
  if (options.format == "tns") return RatingFormat::tns;
  if (options.format == "csv") return RatingFormat::csv;
  if (options.format == "tsv") return RatingFormat::tsv;
  if (options.format == "movielens") return RatingFormat::movielens;
  return sniff_rating_format(path, source.peek(1 << 16));
}

TimeBin bin_named(const std::string& name) {
  return name == "day" ? TimeBin::day : name == "week" ? TimeBin::week : TimeBin::month;
}

// Lines that are neither blank nor comments, each with its fields and its value checked.
class RatingLines {
 public:
  RatingLines(ByteSource& source, RatingFormat format, std::optional<ValueRange> range)
      : lines_(source), format_(format), range_(range) {}

  bool next() {
    std::string_view line;
    while (lines_.next(line)) {
      const std::size_t start = line.find_first_not_of(" \t");
      if (start == std::string_view::npos || line[start] == '#') continue;
      split_fields(line, format_, fields);
      return true;
    }
    return false;
  }
  void require_count(std::size_t count) const {
    SOTTO_REQUIRE_AT(fields.count == count, place(), "expected {} fields, got {}", count,
                     fields.count);
  }
  double value(std::size_t column) const {
    const double x = parse_real(fields.field[column], lines_);
    SOTTO_REQUIRE_AT(!range_ || (x >= range_->low && x <= range_->high), place(),
                     "the value {} is outside --range {}:{}", x, range_->low, range_->high);
    return x;
  }
  Index whole(std::size_t column, const char* what, Index most) const {
    return parse_whole(fields.field[column], what, 1, most, lines_);
  }
  std::string place() const { return lines_.place(); }
  std::uint64_t number() const { return lines_.number(); }

  Fields fields;

 private:
  LineReader lines_;
  RatingFormat format_;
  std::optional<ValueRange> range_;
};

// Time stamps as rows: numbered as they come, put into the order of time at the end.
class TimeRows {
 public:
  explicit TimeRows(TimeBin bin) : bin_(bin) {}

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

  TimeBin bin_;
  std::unordered_map<std::int64_t, std::int32_t> rows_;
  std::int64_t last_ = 0;
  std::int32_t last_row_ = -1;
};

class TextRatings {
 public:
  TextRatings(RatingLines& lines, const RatingFileOptions& options, const Ratings* known)
      : lines_(lines),
        known_(known),
        with_time_(options.time_mode != "none"),
        times_(bin_named(options.time_mode)),
        time_name_(options.time_mode) {
    bool has_header = false;
    columns_ = find_columns(lines.fields, options.columns, lines.place(), has_header);
    pending_ = !has_header;
    for (std::size_t n = 0; n < columns_.size(); ++n) {
      if (columns_[n].role == Role::mode) modes_.push_back(n);
      if (columns_[n].role == Role::value) value_ = n;
      if (columns_[n].role == Role::time) time_ = n;
    }
    SOTTO_REQUIRE_AT(!with_time_ || time_ != max_rating_fields, "--time-mode",
                     "the file has no time column; name it with --columns");
    const std::size_t modes = modes_.size() + (with_time_ ? 1 : 0);
    SOTTO_REQUIRE_AT(modes <= max_observed_order, "--time-mode",
                     "{} modes and the time are more than {}", modes_.size(), max_observed_order);
    SOTTO_REQUIRE_AT(known == nullptr || known->modes.size() == std::max<std::size_t>(modes, 3),
                     lines.place(), "has {} modes, {} has {}", modes,
                     known == nullptr ? "" : known->path,
                     known == nullptr ? 0 : known->modes.size());
  }

  void read(Ratings& out) {
    const std::size_t order = std::max<std::size_t>(modes_.size() + (with_time_ ? 1 : 0), 3);
    out.entries = ObservedEntries(std::vector<Index>(order, 1));
    name_modes(out, order);
    std::vector<std::int32_t> rows(order, 0);
    while (pending_ || lines_.next()) {
      pending_ = false;
      lines_.require_count(columns_.size());
      read_rows(out, rows);
      const double x = lines_.value(value_);
      out.lines.add(out.entries.size(), lines_.number());
      out.entries.append(rows, x);
    }
    if (with_time_ && known_ == nullptr) sort_time(out);
    for (std::size_t m = 0; m < order; ++m) {
      out.entries.dims[m] =
          known_ != nullptr ? known_->entries.dims[m] : out.modes[m].labels.size();
    }
  }

 private:
  void name_modes(Ratings& out, std::size_t order) const {
    for (const std::size_t n : modes_) out.modes.push_back({columns_[n].name, false, {}});
    if (with_time_) out.modes.push_back({time_name_, false, {}});
    if (out.modes.size() < order) {
      out.modes.push_back({"all", false, {}});
      out.modes.back().labels.add("all");
    }
  }

  void read_rows(Ratings& out, std::vector<std::int32_t>& rows) {
    for (std::size_t m = 0; m < modes_.size(); ++m) {
      const std::string_view label = lines_.fields.field[modes_[m]];
      SOTTO_REQUIRE_AT(!label.empty(), lines_.place(), "field {} is empty", modes_[m] + 1);
      rows[m] =
          known_ != nullptr ? known_->modes[m].labels.find(label) : out.modes[m].labels.add(label);
    }
    if (!with_time_) return;
    const std::string_view text = lines_.fields.field[time_];
    const std::size_t m = modes_.size();
    rows[m] = known_ != nullptr ? known_->modes[m].labels.find(times_.label(text, lines_))
                                : times_.add(text, lines_);
  }

  void sort_time(Ratings& out) const {
    std::vector<std::int32_t> row_of;
    out.modes[modes_.size()].labels = times_.sorted(row_of);
    for (std::int32_t& row : out.entries.index[modes_.size()]) {
      row = row_of[static_cast<std::size_t>(row)];
    }
  }

  RatingLines& lines_;
  const Ratings* known_;
  bool with_time_;
  TimeRows times_;
  std::string time_name_;
  std::vector<Column> columns_;
  std::vector<std::size_t> modes_;  // their columns
  std::size_t value_ = 0, time_ = max_rating_fields;
  bool pending_ = false;  // the line last read is an entry
};

// Both dialects of .tns; what a header says about the shape and the number of entries is checked.
class TnsRatings {
 public:
  TnsRatings(RatingLines& lines, const Ratings* known) : lines_(lines), known_(known) {}

  void read(Ratings& out) {
    std::vector<Index> dims;
    std::optional<Index> claimed;
    if (lines_.fields.field[0] == "sptensor") {
      dims = read_header();
      claimed = lines_.whole(0, "number of entries", largest_index);
      SOTTO_REQUIRE_AT(lines_.next(), lines_.place(), "the file ends before the first entry");
    }
    const std::size_t order = lines_.fields.count - 1;
    SOTTO_REQUIRE_AT(order >= 2 && order <= max_observed_order, lines_.place(),
                     "expected 2 to {} indices and a value, got {} fields", max_observed_order,
                     order + 1);
    SOTTO_REQUIRE_AT(dims.empty() || dims.size() == order, lines_.place(),
                     "the header promises {} indices, here are {}", dims.size(), order);
    read_entries(out, order, dims);
    SOTTO_REQUIRE_AT(!claimed || *claimed == out.entries.size(), lines_.place(),
                     "the header promises {} entries, the file has {}", *claimed,
                     out.entries.size());
  }

 private:
  std::vector<Index> read_header() {
    SOTTO_REQUIRE_AT(lines_.next(), lines_.place(), "the file ends before the order of the tensor");
    const auto order = static_cast<std::size_t>(lines_.whole(0, "order", max_observed_order));
    SOTTO_REQUIRE_AT(lines_.next(), lines_.place(), "the file ends before the dimensions");
    lines_.require_count(order);
    std::vector<Index> dims;
    for (std::size_t m = 0; m < order; ++m) {
      dims.push_back(lines_.whole(m, "dimension", largest_index));
    }
    SOTTO_REQUIRE_AT(lines_.next(), lines_.place(), "the file ends before the number of entries");
    lines_.require_count(1);
    return dims;
  }

  void read_entries(Ratings& out, std::size_t order, const std::vector<Index>& declared) {
    const std::size_t modes = std::max<std::size_t>(order, 3);
    SOTTO_REQUIRE_AT(known_ == nullptr || known_->modes.size() == modes, lines_.place(),
                     "has {} modes, {} has {}", order, known_ == nullptr ? "" : known_->path,
                     known_ == nullptr ? 0 : known_->modes.size());
    std::vector<Index> dims(modes, 1);
    std::copy(declared.begin(), declared.end(), dims.begin());
    std::vector<std::int32_t> rows(modes, 0);
    out.entries = ObservedEntries(dims);
    do {
      lines_.require_count(order + 1);
      for (std::size_t m = 0; m < order; ++m) {
        const Index index = lines_.whole(m, "index", declared.empty() ? largest_index : dims[m]);
        const bool unknown = known_ != nullptr && index > known_->entries.dims[m];
        rows[m] = unknown ? unknown_row : static_cast<std::int32_t>(index - 1);
        dims[m] = std::max(dims[m], index);
      }
      const double x = lines_.value(order);
      out.lines.add(out.entries.size(), lines_.number());
      out.entries.append(rows, x);
    } while (lines_.next());
    out.entries.dims = known_ != nullptr ? known_->entries.dims : dims;
    for (std::size_t m = 0; m < modes; ++m) {
      out.modes.push_back({fmt::format("mode {}", m + 1), true, {}});
    }
  }

  RatingLines& lines_;
  const Ratings* known_;
};

Ratings read(const std::string& path, const RatingFileOptions& options, const Ratings* known) {
  ByteSource source(path);
  const RatingFormat format = format_of(options, path, source);
  RatingLines lines(source, format, options.value_range());
  SOTTO_REQUIRE_AT(lines.next(), source.path(), "has no entries");
  Ratings ratings;
  ratings.path = source.path();
  if (format == RatingFormat::tns) {
    SOTTO_REQUIRE_AT(options.time_mode == "none", "--time-mode",
                     "a .tns file has no time stamps; its indices are the modes");
    SOTTO_REQUIRE_AT(options.columns.empty(), "--columns", "does not go with a .tns file");
    TnsRatings(lines, known).read(ratings);
  } else {
    TextRatings(lines, options, known).read(ratings);
  }
  SOTTO_REQUIRE_AT(ratings.entries.size() > 0, source.path(), "has a header but no entries");
  return ratings;
}

}  // namespace

OptionTable RatingFileOptions::table() {
  return OptionTable()
      .choice("format", format, {"auto", "tns", "csv", "tsv", "movielens"},
              "format of the ratings; auto: recognised by name and content")
      .text("columns", 0, columns, "ROLE,ROLE,...",
            "what the columns are: mode, value, time, or - for one to leave out (none given: by "
            "the header, or mode,mode,value,time)")
      .choice("time-mode", time_mode, {"none", "day", "week", "month"},
              "make the time stamp a mode of the tensor; none: it is not used")
      .text("range", 0, range, "LO:HI",
            "values lie between LO and HI: others are refused, predictions are cut to it");
}

std::optional<ValueRange> RatingFileOptions::value_range() const {
  if (range.empty()) return std::nullopt;
  const std::size_t colon = range.find(':');
  ValueRange found{};
  const bool parsed = colon != std::string::npos && is_real(range.substr(0, colon), found.low) &&
                      is_real(range.substr(colon + 1), found.high);
  SOTTO_REQUIRE_AT(parsed && found.high - found.low > 0 && found.high - found.low < 1e300,
                   "--range", "expected LO:HI with LO below HI, got '{}'", range);
  return found;
}

std::string RatingMode::label(Index row) const {
  return numbered ? fmt::format("{}", row + 1) : std::string(labels.label(row));
}

void EntryLines::add(Index entry, std::uint64_t line) {
  if (!runs_.empty()) {
    const Run& last = runs_.back();
    if (line - last.line == static_cast<std::uint64_t>(entry - last.entry)) return;
  }
  runs_.push_back({entry, line});
}

std::uint64_t EntryLines::line_of(Index entry) const {
  const auto after = std::upper_bound(runs_.begin(), runs_.end(), entry,
                                      [](Index e, const Run& run) { return e < run.entry; });
  const Run& run = *std::prev(after);
  return run.line + static_cast<std::uint64_t>(entry - run.entry);
}

Ratings read_ratings(const std::string& path, const RatingFileOptions& options) {
  return read(path, options, nullptr);
}

Ratings read_more_ratings(const std::string& path, const RatingFileOptions& options,
                          const Ratings& known) {
  return read(path, options, &known);
}

void refuse_duplicates(const Ratings& ratings) {
  const DuplicateCount found = find_duplicates(ratings.entries);
  if (!found.lowest) return;
  throw Error(fmt::format("the same place as on line {}: a place may be rated once (--check counts "
                          "them; a --time-mode may tell them apart)",
                          ratings.lines.line_of(found.lowest->first)),
              fmt::format("{}:{}", ratings.path, ratings.lines.line_of(found.lowest->again)));
}

}  // namespace sotto
