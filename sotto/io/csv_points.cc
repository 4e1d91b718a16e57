#include "sotto/io/csv_points.h"

#include <algorithm>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/io/line_reader.h"
#include "sotto/io/parse_number.h"

namespace sotto {
namespace {

char separator_of(std::string_view line) {
  for (const char c : {',', '\t'}) {
    if (line.find(c) != std::string_view::npos) return c;
  }
  return ' ';
}

}  // namespace

CsvPoints::CsvPoints(std::unique_ptr<ByteSource> bytes, const CsvRules& rules)
    : bytes_(std::move(bytes)), rules_(rules) {
  begin();
}

// Moves to the first record, past a header.
void CsvPoints::begin() {
  lines_.emplace(*bytes_, LineReader::longest_document);
  const bool header = take_header();
  dim_ = header ? std::ssize(words_) : rules_.dim.value_or(std::ssize(words_));
  if (!header) return;
  SOTTO_REQUIRE_AT(next_line(), lines_->place(), "has a header but no records");
  split();
}

// Cuts the first line into words, and returns whether these are names.
bool CsvPoints::take_header() {
  const bool expected = rules_.header.value_or(false);
  there_ = expected ? lines_->next(line_) : next_line();
  SOTTO_REQUIRE_AT(there_, name(), "has no records");
  if (expected) line_ = trimmed(line_.starts_with('#') ? line_.substr(1) : line_);
  separator_ = rules_.separator.value_or(separator_of(line_));
  split();
  double ignored;
  return rules_.header.value_or(std::none_of(
      words_.begin(), words_.end(), [&](std::string_view w) { return is_real(w, ignored); }));
}

// Moves to the next line, past those that are left out.
bool CsvPoints::next_line() {
  while ((there_ = lines_->next(line_))) {
    line_ = trimmed(line_);
    if (rules_.every_line_is_a_record || (!line_.empty() && line_.front() != '#')) break;
  }
  return there_;
}

void CsvPoints::split() {
  words_.clear();
  std::string_view rest = line_;
  if (separator_ == ' ') {
    for (auto word = take_word(rest); !word.empty(); word = take_word(rest)) words_.push_back(word);
    return;
  }
  for (;;) {
    const std::size_t end = rest.find(separator_);
    words_.push_back(trimmed(rest.substr(0, end)));
    if (end == std::string_view::npos) return;
    rest.remove_prefix(end + 1);
  }
}

Index CsvPoints::fill(Index max_rows, PointBlock& block) {
  block.is_sparse = false;
  block.dense.resize(max_rows, dim_);
  Index rows = 0;
  while (rows < max_rows && there_) {
    SOTTO_REQUIRE_AT(std::ssize(words_) == dim_, lines_->place(),
                     "has {} numbers, the first line has {}", words_.size(), dim_);
    for (Index j = 0; j < dim_; ++j) {
      block.dense(rows, j) = parse_real(words_[static_cast<std::size_t>(j)], *lines_);
    }
    ++rows;
    if (next_line()) split();
  }
  if (rows < max_rows) block.dense.conservativeResize(rows, dim_);
  return rows;
}

void CsvPoints::restart() {
  bytes_ = bytes_->reopened();
  begin();
}

}  // namespace sotto
