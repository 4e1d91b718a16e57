#include "sotto/io/read_ratings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "sotto/base/error.h"
#include "sotto/io/labelled_ratings.h"
#include "sotto/io/parse_number.h"
#include "sotto/io/private_records.h"
#include "sotto/io/public_format.h"
#include "sotto/io/rating_array.h"
#include "sotto/io/rating_columns.h"
#include "sotto/io/rating_lines.h"
#include "sotto/io/tns_ratings.h"

namespace sotto {
namespace {

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
// Rows in the order of their labels.
void sort_rows_of(std::size_t mode, Ratings& ratings) {
  const std::vector<std::int32_t> order = ratings.modes[mode].labels.sort();
  std::vector<std::int32_t> row_of(order.size());
  for (std::size_t n = 0; n < order.size(); ++n) {
    row_of[static_cast<std::size_t>(order[n])] = static_cast<std::int32_t>(n);
  }
  for (std::int32_t& row : ratings.entries.index[mode]) row = row_of[static_cast<std::size_t>(row)];
}

void sort_rows(Ratings& ratings) {
  for (std::size_t m = 0; m < ratings.modes.size(); ++m) {
    if (!ratings.modes[m].numbered) sort_rows_of(m, ratings);
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
    read_tns_ratings(lines, options, known, out);
  } else {
    read_labelled_ratings(lines, dialect.format, options, known, out);
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
    SOTTO_REQUIRE_AT(options.shards == 1, source.path(),
                     "is an array and cannot be shared out among ranks: give CSV, TSV, .tns or "
                     "MovieLens");
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

// The rows of `more` that have a label of `all` get its number, others the next ones: the order in
// which one file with all entries would have numbered them.
void append_ratings(Ratings& all, const Ratings& more) {
  std::vector<std::vector<std::int32_t>> row_of(all.modes.size());
  for (std::size_t m = 0; m < all.modes.size(); ++m) {
    for (Index r = 0; r < more.entries.dims[m]; ++r) {
      row_of[m].push_back(all.modes[m].labels.add(more.modes[m].labels.label(r)));
    }
    all.entries.dims[m] = all.modes[m].labels.size();
  }
  std::vector<std::int32_t> rows(all.modes.size());
  for (Index e = 0; e < more.entries.size(); ++e) {
    for (std::size_t m = 0; m < rows.size(); ++m) {
      rows[m] = row_of[m][static_cast<std::size_t>(more.entries.row(static_cast<Index>(m), e))];
    }
    all.entries.append(rows, more.entries.at(e));
  }
  all.left_out += more.left_out;
}

void require_same_columns(const Ratings& first, const Ratings& other) {
  bool same = first.format == other.format && first.modes.size() == other.modes.size() &&
              first.user_column == other.user_column && first.value_column == other.value_column;
  for (std::size_t m = 0; same && m < first.modes.size(); ++m) {
    same = first.modes[m].name == other.modes[m].name;
  }
  if (same) return;
  throw Error(fmt::format("has another format or other columns than {}: files that are read "
                          "together have the same",
                          first.path),
              other.path, Fault::unopened);
}

Ratings read_joined(const std::vector<std::string>& paths, const RatingFileOptions& options) {
  Ratings all;
  for (const std::string& path : paths) {
    Ratings ratings = read_unquoted(options.records_are_private, path,
                                    [&] { return read_quoting(path, options, nullptr); });
    const bool has_labels =
        ratings.format != RatingFormat::npy && ratings.format != RatingFormat::tns;
    SOTTO_REQUIRE_AT(has_labels, path,
                     "is {}: several files of ratings are read together only as CSV, TSV or in the "
                     "MovieLens formats",
                     name_of(ratings.format));
    if (all.modes.empty()) {
      all = std::move(ratings);
      continue;
    }
    require_same_columns(all, ratings);
    append_ratings(all, ratings);
  }
  all.lines = {};  // of several files
  if (options.records_are_private) {
    sort_rows(all);
    sort_entries(all.entries);
  } else if (options.time_mode != TimeMode::none) {
    sort_rows_of(all.modes.size() - 1, all);  // the labels of times are in the order of time
  }
  return all;
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
              "whether the first line names the columns; auto: if none of its fields is a number "
              "and, with `epsilon`, a column is called rating, value, score or stars")
      .choice("separator", separator,
              "the separator of the columns of CSV and TSV; auto: that of the first line, with "
              "`epsilon` as `format` says")
      .choice("decimal", decimal, "the decimal mark of values in text")
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

Sensitive<Ratings> read_rating_files(const std::vector<std::string>& paths,
                                     const RatingFileOptions& options) {
  if (paths.size() == 1) return read_ratings(paths.front(), options);
  return Sensitive<Ratings>(read_joined(paths, options));
}

Sensitive<Ratings> read_more_ratings(const std::string& path, const RatingFileOptions& options,
                                     const Ratings& known) {
  return read_sensitive(path, options, &known);
}

}  // namespace sotto
