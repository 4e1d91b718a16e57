#include "sotto/io/csv_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/io/large_values.h"
#include "sotto/io/parse_number.h"
#include "sotto/io/text_fields.h"

namespace sotto {
namespace {

constexpr std::string_view kDropNothing = "none";
// A first column that counts so many records, or all of fewer, is taken for a saved index.
constexpr Index kEnoughToCount = 1000, kTooFewToCount = 3;

// 0, 1, 2, ..: what pandas calls columns without names.
bool counts_from_zero(const std::vector<std::string_view>& words) {
  Index number = 0;
  for (std::size_t n = 0; n < words.size(); ++n) {
    if (!is_whole(words[n], number) || number != static_cast<Index>(n)) return false;
  }
  return words.size() > 1;
}

bool is_unnamed(std::string_view name) { return name.empty() || name.starts_with("Unnamed:"); }

std::vector<std::string_view> listed_columns(const std::string& list) {
  std::vector<std::string_view> words;
  if (list.empty() || list == kDropNothing) return words;
  std::string_view rest = list;
  for (;;) {
    const std::size_t end = rest.find(',');
    words.push_back(trimmed(rest.substr(0, end)));
    if (end == std::string_view::npos) return words;
    rest.remove_prefix(end + 1);
  }
}

}  // namespace

CsvPoints::CsvPoints(std::unique_ptr<ByteSource> bytes, const CsvRules& rules)
    : bytes_(std::move(bytes)), rules_(rules) {
  begin();
}

// Moves to the first record, past a header.
void CsvPoints::begin() {
  lines_.emplace(*bytes_, LineReader::longest_document);
  ids_.clear();
  const bool header = take_header();
  if (header && rules_.guarded) refuse_unnamed();
  choose_columns(header);
  if (header) {
    const std::vector<std::string> words(words_.begin(), words_.end());
    SOTTO_REQUIRE_AT(next_line(), lines_->place(), "has a header but no records");
    split();
    if (rules_.guarded && words_.size() == dropped_.size() + 1) take_row_names();
    name_columns(words);
  }
  dim_ = std::ssize(kept_);
  counted_ = 0;
  may_be_index_ = rules_.guarded && rules_.drop_columns.empty() && dim_ > 1;
}

// Cuts the first line into words, and returns whether these are names.
bool CsvPoints::take_header() {
  const bool expected = rules_.header.value_or(false);
  there_ = expected ? lines_->next(line_) : next_line();
  if (there_ && rules_.guarded && excel_separator(line_) != 0) {
    if (!rules_.separator) rules_.separator = excel_separator(line_);
    there_ = expected ? lines_->next(line_) : next_line();
  }
  SOTTO_REQUIRE_AT(there_, name(), "has no records");
  if (expected && line_.starts_with('#')) line_ = trimmed(line_.substr(1));
  first_line_ = lines_->number();
  separator_ = rules_.separator ? *rules_.separator : separator_in(line_, lines_->place());
  if (separator_ == 0) separator_ = ' ';
  split();
  if (rules_.header) return *rules_.header;
  SOTTO_REQUIRE_AT(!rules_.guarded || !counts_from_zero(words_), lines_->place(),
                   "may be a header, as pandas numbers columns: say `header` yes, or no if it is a "
                   "record");
  return !std::all_of(words_.begin(), words_.end(), is_missing_value) &&
         std::none_of(words_.begin(), words_.end(), looks_like_number);
}

// A saved index is not a coordinate.
void CsvPoints::refuse_unnamed() const {
  if (!rules_.drop_columns.empty() || !rules_.id_column.empty()) return;
  const auto at = std::find_if(words_.begin(), words_.end(), is_unnamed);
  SOTTO_REQUIRE_AT(at == words_.end(), lines_->place(),
                   "column {0} of the header has no name (a saved index?): `drop-columns` {0} "
                   "leaves it out, `drop-columns` none keeps it",
                   at - words_.begin() + 1);
}

// Leaves a column out, and returns its place.
std::size_t CsvPoints::drop_column(std::string_view word, bool header, const char* option) {
  Index column = 0;
  if (!is_whole(word, column)) {
    SOTTO_REQUIRE_AT(header, option,
                     "the file has no header with names; give the number of the column");
    const auto at = std::find(words_.begin(), words_.end(), word);
    SOTTO_REQUIRE_AT(at != words_.end(), option, "the header has no column {}", word);
    column = at - words_.begin() + 1;
  }
  SOTTO_REQUIRE_AT(column >= 1 && column <= std::ssize(dropped_), option,
                   "there is no column {}; columns are numbered from 1", column);
  const auto place = static_cast<std::size_t>(column) - 1;
  SOTTO_REQUIRE_AT(!dropped_[place], option, "column {} is left out already", column);
  dropped_[place] = true;
  return place;
}

// Which columns are read: all but those of `drop-columns` and `id-column`. Their number is that of
// the first line, or follows from the dimension where that was declared.
void CsvPoints::choose_columns(bool header) {
  const auto listed = listed_columns(rules_.drop_columns);
  std::size_t fields = words_.size();
  if (!header && rules_.dim) fields = static_cast<std::size_t>(*rules_.dim) + listed.size();
  dropped_.assign(fields, false);
  for (const std::string_view word : listed) drop_column(word, header, "`drop-columns`");
  if (!rules_.id_column.empty()) id_at_ = drop_column(rules_.id_column, header, "`id-column`");
  kept_.clear();
  for (std::size_t n = 0; n < dropped_.size(); ++n) {
    if (!dropped_[n]) kept_.push_back(n);
  }
  SOTTO_REQUIRE_AT(!kept_.empty(), "`drop-columns`", "leaves no column");
}

// R writes the names of rows in a column that the header does not have.
void CsvPoints::take_row_names() {
  const bool is_first =
      rules_.drop_columns == "1" || (rules_.id_column == "1" && rules_.drop_columns.empty());
  SOTTO_REQUIRE_AT(is_first, lines_->place(),
                   "has {} fields, the header names {}; `drop-columns` 1 leaves out the names of "
                   "rows that R writes",
                   words_.size(), dropped_.size());
  dropped_.assign(words_.size(), false);
  dropped_[0] = true;
  kept_.clear();
  for (std::size_t n = 1; n < dropped_.size(); ++n) kept_.push_back(n);
}

// The header may lack the column of the names of rows, which stands first.
void CsvPoints::name_columns(const std::vector<std::string>& header) {
  const std::size_t before = dropped_.size() - header.size();
  names_.clear();
  for (const std::size_t n : kept_) {
    const std::string& name = header[n - before];
    names_.push_back(name.empty() ? fmt::format("column {}", n + 1) : name);
  }
}

// Moves to the next line, past those that are left out.
bool CsvPoints::next_line() {
  while ((there_ = lines_->next(line_))) {
    // A tab may stand before an empty field.
    line_.remove_prefix(std::min(line_.find_first_not_of(' '), line_.size()));
    line_ = line_.substr(0, line_.find_last_not_of(' ') + 1);
    if (rules_.every_line_is_a_record) break;
    const std::string_view text = trimmed(line_);
    if (!text.empty() && text.front() != '#') break;
  }
  return there_;
}

void CsvPoints::split() {
  words_.clear();
  std::string_view rest = line_;
  if (separator_ == ' ') {
    for (auto word = take_word(rest); !word.empty(); word = take_word(rest)) {
      words_.push_back(unquoted(word));
    }
    return;
  }
  const std::string_view separator(&separator_, 1);
  for (;;) {
    const std::size_t end = field_end(rest, separator);
    words_.push_back(unquoted(rest.substr(0, end)));
    if (end == std::string_view::npos) return;
    rest.remove_prefix(end + 1);
  }
}

// The number in a column, or an error that names the option that helps.
double CsvPoints::number(std::size_t column) const {
  try {
    return parse_real(words_[column], rules_.decimal, *lines_);
  } catch (const Error& error) {
    double ignored;
    if (error.message().find('`') != std::string::npos || is_real(words_[column], ignored)) throw;
    const bool first = lines_->number() == first_line_;
    throw Error(
        fmt::format("{}; {}", error.message(),
                    first ? "if this line names the columns, say `header` yes"
                          : fmt::format("`drop-columns` {} leaves the column out", column + 1)),
        error.place(), error.fault(), error.condition(), error.raised_at());
  }
}

// Refuses a first column that counts the records.
void CsvPoints::watch_index(double first) {
  const bool counts = counted_ == 0 ? first == 0 || first == 1 : first == last_count_ + 1;
  last_count_ = first;
  may_be_index_ = counts;
  ++counted_;
}

Index CsvPoints::fill(Index max_rows, PointBlock& block) {
  block.is_sparse = false;
  block.dense.resize(max_rows, dim_);
  Index rows = 0;
  while (rows < max_rows && there_) {
    SOTTO_REQUIRE_AT(words_.size() == dropped_.size(), lines_->place(),
                     "has {} fields, the first line has {}", words_.size(), dropped_.size());
    for (Index j = 0; j < dim_; ++j) {
      block.dense(rows, j) = number(kept_[static_cast<std::size_t>(j)]);
    }
    if (rules_.guarded) {
      refuse_large({block.dense.row(rows).data(), static_cast<std::size_t>(dim_)},
                   kLargestPublicValue, lines_->place());
    }
    if (id_at_) ids_.emplace_back(words_[*id_at_]);
    if (may_be_index_) watch_index(block.dense(rows, 0));
    ++rows;
    if (next_line()) split();
    const bool enough = counted_ >= kEnoughToCount || (!there_ && counted_ >= kTooFewToCount);
    SOTTO_REQUIRE_AT(!may_be_index_ || !enough, name(),
                     "column 1 counts the records (a saved index?): `drop-columns` 1 leaves it "
                     "out, `drop-columns` none keeps it");
  }
  if (rows < max_rows) block.dense.conservativeResize(rows, dim_);
  return rows;
}

void CsvPoints::restart() {
  bytes_ = bytes_->reopened();
  begin();
}

}  // namespace sotto
