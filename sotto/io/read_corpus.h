// Reads a file or standard input ("-") of documents in any known format, recognised by its content,
// into memory: UCI docword, LDA-C, SVMlight (document_reader.h), MatrixMarket (entry_reader.h,
// documents by words, in any order) and plain text (text_corpus.h); plain or gzip.
//
// Private documents (CorpusFileOptions::records_are_private): no document decides how another one
// is read, or how many there are, and none is quoted in a message.
//   - The format is that of public_format.h; the name says whether the file is gzip.
//   - The words of LDA-C and SVMlight need a vocabulary: otherwise the largest number would be read
//     off the documents.
//   - Every line of text is a document, even a blank one and one that begins with #; bytes of a
//     line beyond 2^30 are not read. The empty document of LDA-C is "0", that of SVMlight a label.
//     In these two a line that is blank or a comment is no document and is refused, since the
//     number of documents is public. Sizes in a header are public.
//   - Malformed, and refused wherever it is: a count that is not a whole number from 1 to 2^31 - 1;
//     a word number outside vocabulary or header; a word given twice; in LDA-C and SVMlight a line
//     of 2^30 bytes or more. The message names the file and no more. Errors in the vocabulary or
//     the stop words, which are public, are described.
//
// Counts must be whole numbers from 1 on. Words have names when a vocabulary is given, one word a
// line, or when the file is text. A vocabulary must fit: as many words as the header says, and no
// word number beyond it. What cannot be read is an Error with file and, where there is one, line.
// Cost: one pass, 8 bytes an entry (16 at the peak for MatrixMarket that is not in order of
// documents).
// Privacy: what is read is sensitive until someone declares it public. A private run also needs
// Corpus::vocabulary_is_declared, and no `min-df`, which looks at all documents.
#pragma once

#include <string>
#include <vector>

#include "sotto/base/sensitive.h"
#include "sotto/io/file_options.h"
#include "sotto/tensor/corpus.h"

namespace sotto {

// Sets `format`, if given, to the format in which the file was read.
Sensitive<Corpus> read_corpus(const std::string& path, const CorpusFileOptions& options = {},
                              CorpusFormat* format = nullptr);

// Several files, all in one format, one after the other. Words of text are those of all of them.
Sensitive<Corpus> read_corpus(const std::vector<std::string>& paths,
                              const CorpusFileOptions& options = {},
                              CorpusFormat* format = nullptr);

// The format in which read_corpus() would read a file. Refuses options that do not fit it.
CorpusFormat corpus_format(const std::string& path, const CorpusFileOptions& options);

// Documents of text from a place on (text_files.h): those with the numbers first .. last - 1, when
// `counts` are the documents in each range of the files. Words of text that no vocabulary lists are
// those that are found.
class TextFiles;
Sensitive<Corpus> read_text_range(const TextFiles& files, const std::vector<Index>& counts,
                                  Index first, Index last, const CorpusFileOptions& options);
// Refuses a first line that is taken for a document and says how many follow it.
void check_first_lines(const TextFiles& files, const std::vector<Index>& counts,
                       const CorpusFileOptions& options);
// Whether the first line of a text is left out.
bool has_header_line(const CorpusFileOptions& options);

// Reads another file and numbers its words as in a corpus that was read with the same options. Text
// is counted over these words; a file with numbers is matched by its vocabulary. If `words` is
// empty, the numbers must agree as they are, `count` of them. Options of text do not matter to a
// file with numbers.
Sensitive<Corpus> read_corpus_over(const std::vector<std::string>& words, Index count,
                                   const std::string& path, CorpusFileOptions options);

// The words of a file, one a line; blank lines only at the end. A tab and a count may follow a
// word.
std::vector<std::string> read_vocabulary(const std::string& path);

// The same for a file that counts every word. Refuses a word that stands there twice, and counts
// whose sum is zero.
WordCounts read_word_counts(const std::string& path);

}  // namespace sotto
