#include "sotto/io/read_ratings.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/base/join_text.h"
#include "sotto/io/claims.h"
#include "sotto/io/large_values.h"
#include "sotto/io/line_reader.h"
#include "sotto/io/parse_number.h"
#include "sotto/io/private_records.h"
#include "sotto/io/public_format.h"
#include "sotto/io/rating_array.h"
#include "sotto/io/rating_columns.h"
#include "sotto/io/text_fields.h"
#include "sotto/io/time_bins.h"

namespace sotto {
namespace {

constexpr Index kLargestIndex = std::numeric_limits<std::int32_t>::max();

RatingDialect dialect_of(const RatingFileOptions& options, const std::string& path,
                         ByteSource& source) {
  static constexpr std::string_view kReads[] = {"tns", "csv", "tsv", "movielens", "u.data", "npy"};
  if (options.format != RatingFormat::automatic) return {options.format, options.separator};
  if (options.records_are_private) {
    return {value_named<RatingFormat>(public_format(path, source, kReads)).value(),
            options.separator};
  }
  if (options.separator == Separator::tab) return {RatingFormat::tsv};
  if (options.separator != Separator::automatic) return {RatingFormat::csv, options.separator};
  return sniff_ratings(path, without_byte_order_mark(source.peek(1 << 16)));
}

// Options that say how one kind of file is read do nothing for others.
void check_rating_options(const RatingFileOptions& options, RatingFormat format) {
  const bool has_columns = format == RatingFormat::csv || format == RatingFormat::tsv;
  SOTTO_REQUIRE_AT(options.separator == Separator::automatic || has_columns, "`separator`",
                   "only works with CSV and TSV, not with `format` {}", name_of(format));
  SOTTO_REQUIRE_AT(options.index_base == IndexBase::automatic || format == RatingFormat::tns,
                   "`index-base`", "only works with .tns files, not with `format` {}",
                   name_of(format));
}

// Lines that are neither blank nor comments, each with its fields and its value checked.
class RatingLines {
 public:
  RatingLines(ByteSource& source, const RatingDialect& dialect, const RatingFileOptions& options)
      : lines_(source),
        separator_(separator_of(dialect.format, dialect.separator)),
        positions_only_(options.positions_only),
        values_if_any_(options.values_if_any),
        decimal_(options.decimal),
        base_(first_index(options.index_base)),
        joins_lines_(!options.records_are_private && separator_.size() == 1) {
    if (options.records_are_private) return;
    range_ = options.value_range();
    bound_ = largest_value(false);
  }

  bool next() {
    std::string_view line;
    while (lines_.next(line)) {
      const std::size_t start = line.find_first_not_of(" \t");
      if (start == std::string_view::npos || line[start] == '#') continue;
      if (joins_lines_ && lines_.number() == 1 && excel_separator(line) != 0) continue;
      if (joins_lines_ && quote_is_open(line, separator_)) line = joined(line);
      split_fields(line, separator_, fields);
      return true;
    }
    fields.count = 0;
    return false;
  }
  bool at_end() const { return fields.count == 0; }
  void require_count(std::size_t count) const {
    SOTTO_REQUIRE_AT(fields.count == count, place(), "expected {} fields, got {}", count,
                     fields.count);
  }
  double value(std::size_t column) const {
    if (column == ColumnLayout::kNone) {
      return values_if_any_ ? std::numeric_limits<double>::quiet_NaN() : 0;
    }
    if (positions_only_) return values_if_any_ ? number_if_any(column) : 0;
    const double x = parse_real(fields.field[column], decimal_, lines_);
    if (std::abs(x) >= bound_) refuse_large({&x, 1}, bound_, place());
    SOTTO_REQUIRE_AT(!range_ || (x >= range_->low && x <= range_->high), place(),
                     "the value {} is outside `range` {}:{}", x, range_->low, range_->high);
    return x;
  }
  Index whole(std::size_t column, const char* what, Index most, Index least = 1) const {
    return parse_whole(fields.field[column], what, least, most, lines_);
  }
  // An index counted from 1, whatever the file counts from.
  Index index(std::size_t column, Index most) const {
    return parse_index(fields.field[column], "index", base_, most, lines_) + 1;
  }
  std::string place() const { return lines_.place(); }
  std::uint64_t number() const { return lines_.number(); }

  Fields fields;

 private:
  // NaN where the field holds no finite number: a place that is asked for need not have a value.
  double number_if_any(std::size_t column) const {
    std::string text(fields.field[column]);
    if (decimal_ == DecimalMark::comma) std::replace(text.begin(), text.end(), ',', '.');
    double x = 0;
    return is_real(text, x) && std::isfinite(x) ? x : std::numeric_limits<double>::quiet_NaN();
  }

  // A record whose quoted field goes on in the next lines. One with an open quote must not take in
  // others where they are private.
  std::string_view joined(std::string_view line) {
    const std::string begin = place();
    record_ = line;
    do {
      SOTTO_REQUIRE_AT(lines_.next(line) && record_.size() < LineReader::usual_longest, begin,
                       "the quote of a field is never closed");
      record_ += '\n';
      record_ += line;
    } while (quote_is_open(record_, separator_));
    return record_;
  }

  LineReader lines_;
  std::string separator_;
  bool positions_only_, values_if_any_;
  DecimalMark decimal_;
  Index base_;
  bool joins_lines_;
  std::string record_;  // of several lines
  std::optional<ValueRange> range_;
  double bound_ = std::numeric_limits<double>::infinity();
};

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

// What a Tensor Toolbox header says.
struct TnsHeader {
  std::vector<Index> dims;
  Index entries = 0;
};

// Reads the header, where there is one, and moves to the first entry, if any.
std::optional<TnsHeader> read_tns_header(RatingLines& lines) {
  if (lines.at_end() || lines.fields.field[0] != "sptensor") return std::nullopt;
  const auto next = [&](const char* what) {
    SOTTO_REQUIRE_AT(lines.next(), lines.place(), "the file ends before {}", what);
  };
  TnsHeader header;
  next("the order of the tensor");
  const auto order = static_cast<std::size_t>(lines.whole(0, "order", kMaxObservedOrder));
  next("the dimensions");
  lines.require_count(order);
  for (std::size_t m = 0; m < order; ++m) {
    header.dims.push_back(lines.whole(m, "dimension", kLargestIndex));
  }
  next("the number of entries");
  lines.require_count(1);
  header.entries = lines.whole(0, "number of entries", kLargestIndex, 0);
  lines.next();
  return header;
}

// "mode,mode,value": what the columns are behind such a header.
std::string columns_after(const TnsHeader& header) {
  std::string columns;
  for (std::size_t m = 0; m < header.dims.size(); ++m) columns += "mode,";
  return columns + "value";
}

// Rows are labels. `dims` are the largest indices of a .tns that says them.
class TextRatings {
 public:
  TextRatings(RatingLines& lines, RatingFormat format, const RatingFileOptions& options,
              const Ratings* known, std::vector<Index> dims = {})
      : lines_(lines),
        format_(format),
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

  // The first entry shows whether the columns were taken for what they are. A row for each day is
  // seldom meant, and neither a date nor a name is a value.
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

  // An empty cell where nobody said which column holds the values.
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

// Both dialects of .tns with indices as rows.
class TnsRatings {
 public:
  TnsRatings(RatingLines& lines, const Ratings* known, bool is_private)
      : lines_(lines), known_(known), is_private_(is_private) {}

  void read(Ratings& out, const std::vector<Index>& dims) {
    const std::size_t order = lines_.fields.count - 1;
    SOTTO_REQUIRE_AT(order >= 2 && order <= kMaxObservedOrder, lines_.place(),
                     "expected 2 to {} indices and a value, got {} fields", kMaxObservedOrder,
                     order + 1);
    SOTTO_REQUIRE_AT(dims.empty() || dims.size() == order, lines_.place(),
                     "the header promises {} indices, here are {}", dims.size(), order);
    read_entries(out, order, dims);
  }

 private:
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
        const Index index = lines_.index(m, declared.empty() ? kLargestIndex : dims[m]);
        const bool unknown = known_ != nullptr && index > known_->entries.dims[m];
        rows[m] = unknown ? kUnknownRow : static_cast<std::int32_t>(index - 1);
        dims[m] = std::max(dims[m], index);
      }
      const double x = lines_.value(order);
      out.lines.add(out.entries.size(), lines_.number());
      out.entries.append(rows, x);
    } while (lines_.next());
    out.entries.dims = known_ != nullptr ? known_->entries.dims : dims;
    for (std::size_t m = 0; m < modes; ++m) {
      out.modes.push_back({m < order ? fmt::format("mode {}", m + 1) : "all", true, {}});
    }
    if (known_ == nullptr && !is_private_) check_sizes(out, !declared.empty());
  }

  // Rows up to the largest index, unless there are too many to be meant: then rows are those that
  // occur, and indices their labels.
  void check_sizes(Ratings& out, bool declared) const {
    const Index entries = out.entries.size();
    const auto too_many = std::find_if(out.entries.dims.begin(), out.entries.dims.end(),
                                       [&](Index rows) { return !is_believable(rows, entries); });
    if (too_many == out.entries.dims.end()) return;
    SOTTO_REQUIRE_AT(!declared, lines_.place(),
                     "the header declares {} rows for {} entries; is it right?", *too_many,
                     entries);
    for (std::size_t m = 0; m < out.modes.size(); ++m) label_rows(out, m);
  }

  static void label_rows(Ratings& out, std::size_t m) {
    std::vector<std::int32_t>& rows = out.entries.index[m];
    std::vector<std::int32_t> occurring(rows.begin(), rows.end());
    std::sort(occurring.begin(), occurring.end());
    occurring.erase(std::unique(occurring.begin(), occurring.end()), occurring.end());
    for (const std::int32_t row : occurring) {
      out.modes[m].labels.add(out.modes[m].name == "all" ? "all"
                                                         : fmt::format_int(Index{row} + 1).str());
    }
    for (std::int32_t& row : rows) {
      row = static_cast<std::int32_t>(std::lower_bound(occurring.begin(), occurring.end(), row) -
                                      occurring.begin());
    }
    out.modes[m].numbered = false;
    out.entries.dims[m] = std::ssize(occurring);
  }

  RatingLines& lines_;
  const Ratings* known_;
  bool is_private_;
};

void read_tns(RatingLines& lines, RatingFileOptions options, const Ratings* known, Ratings& out) {
  SOTTO_REQUIRE_AT(options.time_mode == TimeMode::none, "`time-mode`",
                   "a .tns file has no time stamps; its indices are the modes");
  SOTTO_REQUIRE_AT(options.header != HeaderLine::yes, "`header`",
                   "only works with CSV and TSV, not with a .tns file");
  const std::optional<TnsHeader> header = read_tns_header(lines);
  const std::vector<Index> dims = header ? header->dims : std::vector<Index>();
  const bool labels = known != nullptr ? !known->modes[0].numbered
                                       : options.for_users || !options.modes.empty() ||
                                             (options.records_are_private && !header);
  if (labels) {
    options.header = HeaderLine::no;
    if (header && options.columns.empty()) options.columns = columns_after(*header);
    TextRatings(lines, RatingFormat::tns, options, known, dims).read(out);
  } else {
    SOTTO_REQUIRE_AT(options.columns.empty() && options.user_column.empty(),
                     options.columns.empty() ? "`user-column`" : "`columns`",
                     "does not work with this .tns file, whose indices are the rows");
    SOTTO_REQUIRE_AT(!lines.at_end(), lines.place(), "the file ends before the first entry");
    TnsRatings(lines, known, options.records_are_private).read(out, dims);
  }
  SOTTO_REQUIRE_AT(!header || header->entries == out.entries.size(), lines.place(),
                   "the header promises {} entries, the file has {}", header->entries,
                   out.entries.size());
}

// Rows in the order of their labels.
void sort_rows(Ratings& ratings) {
  for (std::size_t m = 0; m < ratings.modes.size(); ++m) {
    if (ratings.modes[m].numbered) continue;
    const std::vector<std::int32_t> order = ratings.modes[m].labels.sort();
    std::vector<std::int32_t> row_of(order.size());
    for (std::size_t n = 0; n < order.size(); ++n) {
      row_of[static_cast<std::size_t>(order[n])] = static_cast<std::int32_t>(n);
    }
    for (std::int32_t& row : ratings.entries.index[m]) row = row_of[static_cast<std::size_t>(row)];
  }
}

// Entries in the order of their places. Two at one place keep their order.
void sort_entries(ObservedEntries& entries) {
  std::vector<std::int32_t> order(entries.value.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    for (const auto& rows : entries.index) {
      const auto i = rows[static_cast<std::size_t>(a)], j = rows[static_cast<std::size_t>(b)];
      if (i != j) return i < j;
    }
    return false;
  });
  entries = entries.select(order);
}

void read_text(ByteSource& source, const RatingDialect& dialect, const RatingFileOptions& options,
               const Ratings* known, Ratings& out) {
  RatingLines lines(source, dialect, options);
  // A file without users is allowed.
  const bool may_be_empty = options.records_are_private && options.for_users;
  SOTTO_REQUIRE_AT(lines.next() || may_be_empty, source.path(), "has no entries");
  if (dialect.format == RatingFormat::tns) {
    read_tns(lines, options, known, out);
  } else {
    TextRatings(lines, dialect.format, options, known).read(out);
  }
  SOTTO_REQUIRE_AT(out.entries.size() > 0 || may_be_empty, source.path(),
                   "has a header but no entries");
}

Ratings read_quoting(const std::string& path, const RatingFileOptions& options,
                     const Ratings* known) {
  ByteSource source(path, packing_of(options.records_are_private));
  const RatingDialect dialect = dialect_of(options, path, source);
  check_rating_options(options, dialect.format);
  Ratings ratings;
  ratings.path = source.path();
  ratings.format = dialect.format;
  if (dialect.format == RatingFormat::npy) {
    read_rating_array(source, options, known, ratings);
    SOTTO_REQUIRE_AT(ratings.entries.size() > 0, source.path(), "has no entries but NaN");
  } else {
    read_text(source, dialect, options, known, ratings);
  }
  if (options.records_are_private) {
    if (known == nullptr) sort_rows(ratings);  // else they have the numbers of the others
    sort_entries(ratings.entries);
    ratings.lines = {};
  }
  return ratings;
}

Sensitive<Ratings> read_sensitive(const std::string& path, const RatingFileOptions& options,
                                  const Ratings* known) {
  return read_unquoted(options.records_are_private, path,
                       [&] { return Sensitive<Ratings>(read_quoting(path, options, known)); });
}

}  // namespace

OptionTable RatingFileOptions::table() {
  return OptionTable()
      .choice("format", format,
              "format of the ratings; auto: recognised by name and content, with `epsilon` by the "
              "name alone")
      .text("columns", 0, columns, "ROLE,ROLE,...",
            "what the columns are: user, item, mode, value, time, or - for one to leave out (none "
            "given: by the header, or mode,mode,value,time)")
      .text("user-column", 0, user_column, "NAME|NUMBER",
            "the column that tells the users apart, by its name in the header or its number from "
            "1 on; one label is one user (none given, with `unit` user: the one column of the "
            "header that is called user, customer, patient or the like, or the first of a "
            "MovieLens format)")
      .choice("header", header,
              "whether the first line names the columns; auto: when nothing on it is a number, and "
              "with `epsilon` when a column is called rating, value, score or stars too")
      .choice("separator", separator,
              "what stands between the columns of CSV and TSV; auto: what the first line has, with "
              "`epsilon` as `format` says")
      .choice("decimal", decimal, "what stands before the decimals of values in text")
      .choice("index-base", index_base, "the first index of every mode of a .tns file; auto: 1")
      .choice("time-mode", time_mode,
              "make the time stamp a mode of the tensor; none: it is not used")
      .text("range", 0, range, "LO:HI",
            "values lie between LO and HI: others are refused (with `epsilon` clipped), "
            "predictions are clipped to it");
}

std::optional<ValueRange> RatingFileOptions::value_range() const {
  if (range.empty()) return std::nullopt;
  const std::size_t colon = range.find(':');
  ValueRange found{};
  const bool parsed = colon != std::string::npos && is_real(range.substr(0, colon), found.low) &&
                      is_real(range.substr(colon + 1), found.high);
  SOTTO_REQUIRE_AT(parsed && found.high - found.low > 0 && found.high - found.low < 1e300,
                   "`range`", "expected LO:HI with LO below HI, got '{}'", range);
  return found;
}

std::string text_of(const ValueRange& range) { return fmt::format("{}:{}", range.low, range.high); }

Sensitive<Ratings> read_ratings(const std::string& path, const RatingFileOptions& options) {
  return read_sensitive(path, options, nullptr);
}

Sensitive<Ratings> read_more_ratings(const std::string& path, const RatingFileOptions& options,
                                     const Ratings& known) {
  return read_sensitive(path, options, &known);
}

}  // namespace sotto
