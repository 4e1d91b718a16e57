#include "sotto/tensor/partial_lists.h"

#include <utility>
#include <vector>

#include "sotto/base/error.h"

namespace sotto {
namespace {

void require_list(bool holds, const char* message) {
  if (!holds) throw Error(message, "", Fault::system);
}

}  // namespace

void PartialRows::add(Index piece, RowMatrix rows) {
  require_list(rows.cols() == cols_, "a part has rows of another length");
  require_list(pieces_.emplace(piece, std::move(rows)).second, "a piece of rows came twice");
}

void PartialRows::join(PartialRows&& other) {
  for (auto& [piece, rows] : other.pieces_) add(piece, std::move(rows));
}

RowMatrix PartialRows::all(Index pieces) const {
  Index count = 0, next = 0;
  for (const auto& [piece, rows] : pieces_) {
    require_list(piece == next++, "a piece of rows is missing");
    count += rows.rows();
  }
  require_list(next == pieces, "a piece of rows is missing");
  RowMatrix all(count, cols_);
  Index at = 0;
  for (const auto& [piece, rows] : pieces_) {
    all.middleRows(at, rows.rows()) = rows;
    at += rows.rows();
  }
  return all;
}

void PartialRows::write(ByteWriter& bytes) const {
  bytes.integer(cols_);
  bytes.integer(static_cast<Index>(pieces_.size()));
  for (const auto& [piece, rows] : pieces_) {
    bytes.integer(piece);
    bytes.reals({rows.data(), static_cast<std::size_t>(rows.size())});
  }
}

PartialRows PartialRows::read(ByteReader& bytes) {
  PartialRows part(bytes.integer());
  require_list(part.cols_ >= 1, "a part has rows without numbers");
  for (Index left = bytes.integer(); left > 0; --left) {
    const Index piece = bytes.integer();
    const std::vector<double> values = bytes.reals();
    require_list(std::ssize(values) % part.cols_ == 0, "a part has rows of another length");
    part.add(piece, Eigen::Map<const RowMatrix>(values.data(), std::ssize(values) / part.cols_,
                                                part.cols_));
  }
  return part;
}

void PartialWords::add(const std::string& word, const WordCount& count) {
  WordCount& sum = words_[word];
  sum.tokens += count.tokens;
  sum.documents += count.documents;
  sum.weight += count.weight;
}

void PartialWords::join(const PartialWords& other) {
  for (const auto& [word, count] : other.words_) add(word, count);
}

void PartialWords::write(ByteWriter& bytes) const {
  bytes.integer(static_cast<Index>(words_.size()));
  for (const auto& [word, count] : words_) {
    bytes.text(word);
    for (const std::int64_t number : {count.tokens, count.documents, count.weight}) {
      bytes.integer(number);
    }
  }
}

PartialWords PartialWords::read(ByteReader& bytes) {
  PartialWords part;
  for (Index left = bytes.integer(); left > 0; --left) {
    const std::string word = bytes.text();
    WordCount count;
    for (std::int64_t* number : {&count.tokens, &count.documents, &count.weight}) {
      *number = bytes.integer();
    }
    part.add(word, count);
  }
  return part;
}

}  // namespace sotto
