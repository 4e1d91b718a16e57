#include "sotto/io/entry_reader.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "sotto/base/error.h"
#include "sotto/io/claims.h"
#include "sotto/io/line_reader.h"
#include "sotto/io/parse_number.h"

namespace sotto {
namespace {

constexpr std::string_view size_names[] = {"number of documents", "number of words",
                                           "number of entries"};

}  // namespace

void EntryReader::refuse_false_words() const {
  SOTTO_REQUIRE_AT(is_believable(words_, std::min(entries_, room_)), path_,
                   "declares {} words for {} entries; is the header right?", words_, entries_);
}

void EntryReader::refuse_false_documents(Index so_far) const {
  SOTTO_REQUIRE_AT(is_believable(so_far, seen_), path_,
                   "declares {} documents for {} entries; is the header right?", documents_,
                   entries_);
}

EntryReader::EntryReader(ByteSource& bytes, EntryFormat format, DocumentValues values,
                         IndexBase base)
    : path_(bytes.path()), lines_(bytes), values_(values), base_(first_index(base)) {
  // No entry has fewer than 4 bytes. Of packed files the size is not known.
  room_ = bytes.size() ? static_cast<Index>(*bytes.size() / 4) + 1 : kClaimedForNothing;
  if (format == EntryFormat::uci) {
    read_uci_header();
  } else {
    read_matrix_market_header();
  }
}

void EntryReader::set_size(int n, std::string_view word) {
  constexpr Index most = std::numeric_limits<Index>::max();
  Index* const sizes[] = {&documents_, &words_, &entries_};
  *sizes[n] = parse_whole(word, size_names[n], n == 1 ? 1 : 0, n == 2 ? most : kMostWords, lines_);
}

void EntryReader::read_uci_header() {
  for (int n = 0; n < 3; ++n) {
    std::string_view line;
    SOTTO_REQUIRE_AT(lines_.next(line), path_, "ends within its header of three numbers");
    const std::string_view word = take_word(line);
    SOTTO_REQUIRE_AT(take_word(line).empty(), lines_.place(), "expected only the {}",
                     size_names[n]);
    set_size(n, word);
  }
}

void EntryReader::read_matrix_market_header() {
  read_banner();
  std::string_view line, word;
  do {
    SOTTO_REQUIRE_AT(lines_.next(line), path_, "ends before its size");
    word = take_word(line);
  } while (word.empty() || word.front() == '%');
  for (int n = 0; n < 3; ++n) {
    set_size(n, word);
    word = take_word(line);
  }
  SOTTO_REQUIRE_AT(word.empty(), lines_.place(),
                   "expected three numbers: documents, words, entries");
}

void EntryReader::read_banner() {
  std::string_view line;
  SOTTO_REQUIRE_AT(lines_.next(line), path_, "is empty");
  SOTTO_REQUIRE_AT(ascii_lower(take_word(line)) == "%%matrixmarket", lines_.place(),
                   "expected %%MatrixMarket");
  const std::string object = ascii_lower(take_word(line)), layout = ascii_lower(take_word(line));
  const std::string field = ascii_lower(take_word(line)), symmetry = ascii_lower(take_word(line));
  SOTTO_REQUIRE_AT(object == "matrix" && layout == "coordinate", lines_.place(),
                   "expected a matrix in coordinate form, got {} {}", printable(object),
                   printable(layout));
  SOTTO_REQUIRE_AT(field == "integer" || field == "real" || field == "pattern", lines_.place(),
                   "expected integer, real or pattern, got {}", printable(field));
  SOTTO_REQUIRE_AT(symmetry == "general", lines_.place(),
                   "expected a general matrix, documents by words, got {}", printable(symmetry));
  has_values_ = field != "pattern";
}

bool EntryReader::next(DocumentEntry& entry) {
  std::string_view line, word;
  do {
    if (!lines_.next(line)) {
      SOTTO_REQUIRE_AT(seen_ == entries_, path_, "has {} entries, its header says {}", seen_,
                       entries_);
      return false;
    }
    word = take_word(line);
  } while (word.empty());
  SOTTO_REQUIRE_AT(++seen_ <= entries_, lines_.place(),
                   "goes on after the {} entries of its header", entries_);
  entry.document = parse_index(word, "document number", base_, documents_, lines_);
  entry.word = parse_index(take_word(line), "word number", base_, words_, lines_);
  entry.value = 1;
  if (has_values_) {
    word = take_word(line);
    entry.value =
        values_ == DocumentValues::count ? parse_count(word, lines_) : parse_real(word, lines_);
  }
  SOTTO_REQUIRE_AT(take_word(line).empty(), lines_.place(), "expected {} numbers: document, word{}",
                   has_values_ ? "three" : "two", has_values_ ? ", count" : "");
  return true;
}

}  // namespace sotto
