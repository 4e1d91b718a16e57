// Parts of answers that are not sums: rows of documents, and words with their counts. Like those of
// partial_sum.h, they join in any order to the same result.
// Privacy: exact, and as secret as the documents.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sotto/base/bytes.h"
#include "sotto/linalg/matrix.h"

namespace sotto {

// Rows that belong to numbered pieces.
class PartialRows {
 public:
  explicit PartialRows(Index cols = 0) : cols_(cols) {}
  void add(Index piece, RowMatrix rows);
  void join(PartialRows&& other);
  // All rows in the order of the pieces 0, 1, ..; refuses where one is missing.
  RowMatrix all(Index pieces) const;

  void write(ByteWriter& bytes) const;
  static PartialRows read(ByteReader& bytes);

 private:
  Index cols_;
  std::map<Index, RowMatrix> pieces_;
};

// What documents say of a word. Whole numbers, whose sums are exact.
struct WordCount {
  std::int64_t tokens = 0, documents = 0;
  // A document gives each of its m words 1 / sqrt(m), rounded down to a multiple of 2^-32.
  std::int64_t weight = 0;
};

class PartialWords {
 public:
  void add(const std::string& word, const WordCount& count);
  void join(const PartialWords& other);
  const std::map<std::string, WordCount>& words() const { return words_; }

  void write(ByteWriter& bytes) const;
  static PartialWords read(ByteReader& bytes);

 private:
  std::map<std::string, WordCount> words_;
};

}  // namespace sotto
