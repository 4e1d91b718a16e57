#include "sotto/io/document_points.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/io/parse_number.h"

namespace sotto {
namespace {

constexpr Index largest = std::numeric_limits<std::int32_t>::max();

// Takes the next word off the front of `rest`; empty at the end.
std::string_view take_word(std::string_view& rest) {
  constexpr std::string_view space = " \t";
  rest.remove_prefix(std::min(rest.find_first_not_of(space), rest.size()));
  const std::string_view word = rest.substr(0, rest.find_first_of(space));
  rest.remove_prefix(word.size());
  return word;
}

}  // namespace

DocumentPoints::DocumentPoints(std::unique_ptr<ByteSource> bytes, DocumentFormat format,
                               std::optional<Index> dim)
    : bytes_(std::move(bytes)),
      format_(format),
      dim_is_declared_(format == DocumentFormat::uci || dim.has_value()) {
  begin();
  if (format == DocumentFormat::uci) {
    SOTTO_REQUIRE_AT(!dim || *dim == dim_, "--dim", "{} has {} words, not {}", name(), dim_, *dim);
  } else if (dim) {
    dim_ = *dim;
  } else {
    measure();
  }
}

void DocumentPoints::begin() {
  lines_.emplace(*bytes_);
  if (format_ == DocumentFormat::uci) read_uci_header();
}

void DocumentPoints::restart() {
  bytes_ = std::make_unique<ByteSource>(bytes_->path());
  entries_seen_ = documents_done_ = entry_document_ = 0;
  has_entry_ = false;
  begin();
}

// The dimension is the largest index there is.
void DocumentPoints::measure() {
  SOTTO_REQUIRE_AT(bytes_->is_regular(), "--dim",
                   "is needed: {} can be read only once and does not say its dimension", name());
  dim_ = largest;
  Index documents = 0, width = 0;
  for (; next_document(); ++documents) {
    if (!document_.empty()) width = std::max(width, document_.back().column + 1);
  }
  SOTTO_REQUIRE_AT(width > 0, name(), "has no words");
  dim_ = width;
  records_ = documents;
  restart();
}

void DocumentPoints::read_uci_header() {
  Index header[3];
  const std::string_view what[] = {"number of documents", "number of words", "number of entries"};
  for (int n = 0; n < 3; ++n) {
    std::string_view line;
    SOTTO_REQUIRE_AT(lines_->next(line), name(), "ends within its header of three numbers");
    const std::string_view word = take_word(line);
    SOTTO_REQUIRE_AT(take_word(line).empty(), lines_->place(), "expected only the {}", what[n]);
    constexpr Index most = std::numeric_limits<Index>::max();
    header[n] = parse_whole(word, what[n], n == 1 ? 1 : 0, n == 1 ? largest : most, *lines_);
  }
  records_ = header[0];
  dim_ = header[1];
  entries_ = header[2];
}

bool DocumentPoints::next_document() {
  document_.clear();
  const bool there = format_ == DocumentFormat::uci ? next_uci_document() : next_pairs();
  if (there) finish_document();
  return there;
}

// Columns increase, and none stands twice.
void DocumentPoints::finish_document() {
  const auto less = [](const Entry& a, const Entry& b) { return a.column < b.column; };
  if (!std::is_sorted(document_.begin(), document_.end(), less)) {
    std::sort(document_.begin(), document_.end(), less);
  }
  const auto twice =
      std::adjacent_find(document_.begin(), document_.end(),
                         [](const Entry& a, const Entry& b) { return a.column == b.column; });
  SOTTO_REQUIRE_AT(twice == document_.end(), lines_->place(), "word {} stands twice in a document",
                   twice->column + (format_ == DocumentFormat::lda_c ? 0 : 1));
}

bool DocumentPoints::next_uci_document() {
  if (documents_done_ == *records_) return false;
  ++documents_done_;
  while ((has_entry_ || next_uci_entry()) && entry_document_ == documents_done_) {
    document_.push_back(entry_);
    has_entry_ = false;
  }
  return true;
}

// Reads one line into entry_; false at the end, where the header must have been right.
bool DocumentPoints::next_uci_entry() {
  std::string_view line, word;
  do {
    if (!lines_->next(line)) {
      SOTTO_REQUIRE_AT(entries_seen_ == entries_, name(), "has {} entries, its header says {}",
                       entries_seen_, entries_);
      return false;
    }
    word = take_word(line);
  } while (word.empty());
  SOTTO_REQUIRE_AT(++entries_seen_ <= entries_, lines_->place(),
                   "goes on after the {} entries of its header", entries_);
  const Index document = parse_whole(word, "document number", 1, *records_, *lines_);
  SOTTO_REQUIRE_AT(document >= entry_document_, lines_->place(),
                   "document {} comes after document {}; sort the entries by document", document,
                   entry_document_);
  entry_document_ = document;
  entry_.column = parse_whole(take_word(line), "word number", 1, dim_, *lines_) - 1;
  entry_.value = parse_real(take_word(line), *lines_);
  SOTTO_REQUIRE_AT(take_word(line).empty(), lines_->place(),
                   "expected three numbers: document, word, count");
  has_entry_ = true;
  return true;
}

// One line of LDA-C or SVMlight.
bool DocumentPoints::next_pairs() {
  std::string_view line, first;
  do {
    if (!lines_->next(line)) return false;
    if (format_ == DocumentFormat::svmlight) line = line.substr(0, line.find('#'));
    first = take_word(line);
  } while (first.empty());
  if (format_ == DocumentFormat::svmlight) parse_real(first, *lines_);
  for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) {
    if (format_ == DocumentFormat::svmlight && word.starts_with("qid:")) continue;
    add_pair(word);
  }
  if (format_ == DocumentFormat::lda_c) {
    const Index claimed = parse_whole(first, "number of words", 0, largest, *lines_);
    SOTTO_REQUIRE_AT(claimed == std::ssize(document_), lines_->place(),
                     "the line says {} words and has {}", claimed, document_.size());
  }
  return true;
}

void DocumentPoints::add_pair(std::string_view word) {
  const std::size_t colon = word.find(':');
  SOTTO_REQUIRE_AT(colon != std::string_view::npos, lines_->place(),
                   "expected number:value, got {}", printable(word));
  const Index base = format_ == DocumentFormat::lda_c ? 0 : 1;
  const Index column =
      parse_whole(word.substr(0, colon), "word number", base, dim_ - 1 + base, *lines_) - base;
  document_.push_back({column, parse_real(word.substr(colon + 1), *lines_)});
}

Index DocumentPoints::fill(Index max_rows, PointBlock& block) {
  std::vector<std::int64_t> starts{0};
  std::vector<Entry> entries;
  while (std::ssize(starts) <= max_rows && next_document()) {
    entries.insert(entries.end(), document_.begin(), document_.end());
    starts.push_back(std::ssize(entries));
  }
  const Index rows = std::ssize(starts) - 1;
  block.is_sparse = true;
  block.sparse.resize(rows, dim_);
  block.sparse.resizeNonZeros(std::ssize(entries));
  std::copy(starts.begin(), starts.end(), block.sparse.outerIndexPtr());
  for (std::size_t e = 0; e < entries.size(); ++e) {
    block.sparse.innerIndexPtr()[e] = entries[e].column;
    block.sparse.valuePtr()[e] = entries[e].value;
  }
  return rows;
}

}  // namespace sotto
