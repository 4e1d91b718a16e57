// Writes documents as UCI docword, plain or gzip, piece by piece.
//
// The header says how many entries follow, which is known only at the end. So it is written with
// room to spare (the number is padded with blanks), and again at commit(). In a gzip file it is a
// member of its own, not compressed, so that it keeps its length; the entries follow in further
// members.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "sotto/io/atomic_file.h"
#include "sotto/tensor/corpus.h"

namespace sotto {

class DocwordWriter {
 public:
  DocwordWriter(const std::string& path, Index documents, Index words, bool gzip = false);

  // Writes the next documents. The bytes do not depend on the number of threads.
  void write(const Corpus& documents);
  std::int64_t entries() const { return entries_; }
  // Refuses unless as many documents were written as the header says.
  void commit();

 private:
  std::string header() const;
  void append(const std::string& text);

  std::string path_;
  AtomicFile file_;
  Index documents_, words_;
  bool gzip_;
  Index written_ = 0;
  std::int64_t entries_ = 0;
};

// The vocabulary, one word a line.
void write_vocabulary(const std::string& path, std::span<const std::string> words);

// Both files of a corpus; no vocabulary is written when the words have no names.
void write_corpus(const std::string& docword_path, const std::string& vocab_path,
                  const Corpus& corpus);

}  // namespace sotto
