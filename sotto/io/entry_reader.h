// Entries "document word value", one a line, after a header that says how many there are.
//
//   UCI docword: three lines with the numbers of documents, of words and of entries.
//   MatrixMarket: "%%MatrixMarket matrix coordinate integer|real|pattern general", comments (%),
//     then those three numbers on one line. With pattern an entry has no value and counts 1.
//
// Documents and words are counted from 1 in the file. The entries come in the order of the file. A
// header that does not match them is an Error, with file and line where there is one.
#pragma once

#include <string>
#include <string_view>

#include "sotto/io/file_options.h"
#include "sotto/io/line_reader.h"
#include "sotto/linalg/matrix.h"

namespace sotto {

enum class EntryFormat { uci, matrix_market };
// The values that are allowed: any finite numbers, or whole numbers from 1 on.
enum class DocumentValues { real, count };

struct DocumentEntry {
  Index document;  // counted from 0, as is the word
  Index word;
  double value;
};

class EntryReader {
 public:
  EntryReader(ByteSource& bytes, EntryFormat format, DocumentValues values,
              IndexBase base = IndexBase::automatic);

  Index documents() const { return documents_; }
  Index words() const { return words_; }
  Index entries() const { return entries_; }
  // False at the end.
  bool next(DocumentEntry& entry);
  // For public files: refuse claims of the header that nothing supports (claims.h). Words by the
  // header alone; documents by the entries so far.
  void refuse_false_words() const;
  void refuse_false_documents(Index so_far) const;
  const std::string& path() const { return path_; }
  std::string place() const { return lines_.place(); }

 private:
  void read_uci_header();
  void read_matrix_market_header();
  void read_banner();
  void set_size(int n, std::string_view word);

  std::string path_;
  LineReader lines_;
  DocumentValues values_;
  Index base_;  // the number of the first document and of the first word
  bool has_values_ = true;
  Index documents_ = 0, words_ = 0, entries_ = 0;
  Index seen_ = 0;
  Index room_;  // for entries, in the file
};

}  // namespace sotto
