// Documents from a file, one after the other: a row of word counts (or other weights) each.
//
//   UCI docword: see entry_reader.h; documents in increasing order. A document without an entry is
//     an empty row.
//   LDA-C: "N word:count word:count ..", N pairs, words counted from 0.
//   SVMlight: "label index:value ..", indices counted from 1; the label, qid: and what follows #
//     are left out.
// `index-base` says where words are counted from in a file that does it in another way.
//
// Lines of LDA-C and SVMlight that are blank or only a comment hold no document. They are skipped,
// or refused where the number of documents is public and one document must not change it.
//
// A word that appears twice in a document, a word outside the dimension, a header that does not
// match and a file that ends early are Errors that name file and line.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/enum_names.h"
#include "sotto/io/entry_reader.h"
#include "sotto/io/file_options.h"

namespace sotto {

enum class DocumentFormat { uci, lda_c, svmlight };
constexpr auto enum_names(DocumentFormat) {
  return std::to_array<EnumName<DocumentFormat>>({{DocumentFormat::uci, "uci"},
                                                  {DocumentFormat::lda_c, "lda-c"},
                                                  {DocumentFormat::svmlight, "svmlight"}});
}

// What to do with a line that holds no document.
enum class BareLines { passed_over, refused };
inline BareLines bare_lines(bool records_are_private) {
  return records_are_private ? BareLines::refused : BareLines::passed_over;
}

class DocumentReader {
 public:
  struct Item {
    Index word;  // counted from 0
    double value;
  };

  // `dim` limits the words of a file that does not say how many there are; none: no limit.
  DocumentReader(ByteSource& bytes, DocumentFormat format, DocumentValues values,
                 std::optional<Index> dim = {}, BareLines bare = BareLines::passed_over,
                 IndexBase base = IndexBase::automatic);

  // Words are numbered below this.
  Index dim() const { return dim_; }
  // What the header says; LDA-C and SVMlight have none.
  std::optional<Index> documents() const;
  std::optional<Index> entries() const;

  // The next document, words increasing; false after the last one.
  bool next(std::vector<Item>& document);

 private:
  bool next_of_entries(std::vector<Item>& document);
  bool next_of_pairs(std::vector<Item>& document);
  Item parse_pair(std::string_view word) const;
  void finish(std::vector<Item>& document) const;

  DocumentFormat format_;
  DocumentValues values_;
  BareLines bare_;
  Index base_;  // the number of the first word
  Index dim_;
  bool dim_is_given_;
  std::optional<LineReader> lines_;  // LDA-C and SVMlight

  // UCI: the entry read last may belong to a later document.
  std::optional<EntryReader> entries_;
  DocumentEntry entry_{};
  bool has_entry_ = false;
  Index done_ = 0;
};

}  // namespace sotto
