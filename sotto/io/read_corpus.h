// Reads a file or standard input ("-") of documents in any known format, recognised by its content,
// into memory: UCI docword, LDA-C, SVMlight (document_reader.h), MatrixMarket (entry_reader.h,
// documents by words, in any order) and plain text (text_corpus.h); plain or gzip.
//
// Private documents (CorpusFileOptions::records_are_private): no document decides how another one
// is read, or how many there are.
//   - The format is that of public_format.h; gzip is told by the name.
//   - The words of LDA-C and SVMlight need --vocab: the largest number would be read off documents.
//   - Every line of text is a document, a blank one and one that begins with # too; what a line has
//     beyond 2^30 bytes is not read. The empty document of LDA-C is "0", that of SVMlight a label;
//     a line that is blank or a comment is none of theirs and is refused, since the number of
//     documents is public. Sizes in a header are public.
//   - Malformed, and refused wherever it stands: a count that is not a whole
//     number from 1 to 2^31 - 1; a word number outside --vocab or header; a word given twice; in
//     LDA-C and SVMlight a line of 2^30 bytes or more.
//
// Counts must be whole numbers from 1 on. Words have names when a vocabulary is given, one word a
// line, or when the file is text. A vocabulary must fit: as many words as the header says, and no
// word number beyond it. What cannot be read is an Error with file and, where there is one, line.
// Cost: one pass, 8 bytes an entry (16 at the peak for MatrixMarket that is not in order of
// documents).
// Privacy: none but that; messages quote what they complain of, and the caller of a private run
// must not pass them on. Such a run also needs Corpus::vocabulary_is_declared, and no --min-df,
// which looks at all documents.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sotto/base/options.h"
#include "sotto/tensor/corpus.h"

namespace sotto {

struct CorpusFileOptions {
  std::string format = "auto";  // uci, lda-c, mm, svmlight, text
  std::string vocab;            // file; empty: none
  std::int64_t min_df = 1;
  // Text only.
  std::string stop_words = "none";  // english, or a file
  std::int64_t min_length = 2;
  bool keep_case = false;
  // Not an option of the user's: whether the documents belong to persons (see above).
  bool records_are_private = false;

  OptionTable table();
};

// Sets `format`, where it is given, to the one that the file was read in.
Corpus read_corpus(const std::string& path, const CorpusFileOptions& options = {},
                   std::string* format = nullptr);

// Another file whose words are to be numbered as in a corpus that was read with the same options:
// its text is counted over these words, a file with numbers is matched by its --vocab. `words`
// empty: the numbers must agree as they are, `count` of them.
Corpus read_corpus_over(const std::vector<std::string>& words, Index count, const std::string& path,
                        CorpusFileOptions options);

// The words of a file, one a line; blank lines only at the end.
std::vector<std::string> read_vocabulary(const std::string& path);

}  // namespace sotto
