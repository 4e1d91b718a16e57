#include "sotto/io/document_reader.h"

#include <algorithm>
#include <cstdint>

#include "sotto/base/error.h"
#include "sotto/io/parse_number.h"

namespace sotto {

DocumentReader::DocumentReader(ByteSource& bytes, DocumentFormat format, DocumentValues values,
                               std::optional<Index> dim, BareLines bare, IndexBase base)
    : format_(format),
      values_(values),
      bare_(bare),
      base_(first_index(base, format == DocumentFormat::lda_c ? 0 : 1)),
      dim_(dim.value_or(kMostWords)),
      dim_is_given_(dim.has_value()) {
  if (format == DocumentFormat::uci) {
    entries_.emplace(bytes, EntryFormat::uci, values, base);
    dim_ = entries_->words();
    if (bare == BareLines::passed_over) entries_->refuse_false_words();
  } else {
    lines_.emplace(bytes, LineReader::longest_document);
  }
}

std::optional<Index> DocumentReader::documents() const {
  return entries_ ? std::optional(entries_->documents()) : std::nullopt;
}

std::optional<Index> DocumentReader::entries() const {
  return entries_ ? std::optional(entries_->entries()) : std::nullopt;
}

bool DocumentReader::next(std::vector<Item>& document) {
  document.clear();
  const bool there = entries_ ? next_of_entries(document) : next_of_pairs(document);
  if (there) finish(document);
  return there;
}

// Words increase, and none appears twice.
void DocumentReader::finish(std::vector<Item>& document) const {
  const auto rises = [](const Item& a, const Item& b) { return a.word < b.word; };
  const auto falls = [](const Item& a, const Item& b) { return a.word >= b.word; };
  if (std::adjacent_find(document.begin(), document.end(), falls) == document.end()) return;
  std::sort(document.begin(), document.end(), rises);
  const auto twice = std::adjacent_find(document.begin(), document.end(), falls);
  if (twice == document.end()) return;
  const Index number = twice->word + base_;
  // The lines of this document have been read already.
  SOTTO_REQUIRE_AT(!entries_, entries_->path(), "word {} appears twice in document {}", number,
                   done_);
  throw Error(fmt::format("word {} appears twice in a document", number), lines_->place());
}

bool DocumentReader::next_of_entries(std::vector<Item>& document) {
  if (done_ == entries_->documents()) return false;
  for (;;) {
    if (!has_entry_ && !entries_->next(entry_)) break;
    has_entry_ = entry_.document != done_;
    SOTTO_REQUIRE_AT(entry_.document >= done_, entries_->place(),
                     "document {} comes after document {}; sort the entries by document",
                     entry_.document + 1, done_ + 1);
    if (has_entry_) break;
    document.push_back({entry_.word, entry_.value});
  }
  ++done_;
  if (bare_ == BareLines::passed_over) entries_->refuse_false_documents(done_);
  return true;
}

// One line of LDA-C or SVMlight.
bool DocumentReader::next_of_pairs(std::vector<Item>& document) {
  std::string_view line, first;
  do {
    if (!lines_->next(line)) return false;
    if (format_ == DocumentFormat::svmlight) line = line.substr(0, line.find('#'));
    first = take_word(line);
    SOTTO_REQUIRE_AT(bare_ == BareLines::passed_over || !first.empty(), lines_->place(),
                     "is blank or a comment; the number of documents is public, and every line is "
                     "one");
  } while (first.empty());
  if (format_ == DocumentFormat::svmlight) parse_real(first, *lines_);
  for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) {
    if (format_ == DocumentFormat::svmlight && word.starts_with("qid:")) continue;
    document.push_back(parse_pair(word));
  }
  if (format_ == DocumentFormat::lda_c) {
    const Index claimed = parse_whole(first, "number of words", 0, kMostWords, *lines_);
    SOTTO_REQUIRE_AT(claimed == std::ssize(document), lines_->place(),
                     "the line says {} words and has {}", claimed, document.size());
  }
  return true;
}

DocumentReader::Item DocumentReader::parse_pair(std::string_view word) const {
  const std::size_t colon = word.find(':');
  SOTTO_REQUIRE_AT(colon != std::string_view::npos, lines_->place(),
                   "expected number:value, got {}", printable(word));
  const Index number = parse_index(word.substr(0, colon), "word number", base_, dim_, *lines_,
                                   dim_is_given_ ? ", the words of the vocabulary or `dim`" : "");
  const std::string_view value = word.substr(colon + 1);
  return {number, values_ == DocumentValues::count ? parse_count(value, *lines_)
                                                   : parse_real(value, *lines_)};
}

}  // namespace sotto
