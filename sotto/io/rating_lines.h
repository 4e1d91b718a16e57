// The lines of a file of ratings: what its readers have in common.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "sotto/base/error.h"
#include "sotto/io/large_values.h"
#include "sotto/io/line_reader.h"
#include "sotto/io/parse_number.h"
#include "sotto/io/rating_columns.h"
#include "sotto/io/read_ratings.h"
#include "sotto/io/text_fields.h"

namespace sotto {

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

}  // namespace sotto
