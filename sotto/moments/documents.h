// Documents that are summed over: in memory, or held by shards (document_questions.h).
//
// Everything that a topic model takes from its documents is a sum over them. The documents are cut
// into pieces of 4096, a number that nothing else depends on, and the pieces are added in a fixed
// tree (tensor/partial_sum.h). So a sum has the same bits for any number of threads and of shards.
// Memory in one process: 24 bytes an entry: the corpus, its pieces, and these word by word.
// Privacy: none here. The sums are exact; the caller who releases them adds the noise.
#pragma once

#include <algorithm>
#include <bit>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sotto/base/bytes.h"
#include "sotto/moments/document_moments.h"
#include "sotto/tensor/corpus.h"
#include "sotto/tensor/partial_lists.h"
#include "sotto/tensor/partial_sum.h"

namespace sotto {

inline constexpr Index kPieceDocuments = 4096;
inline Index document_pieces(Index documents) {
  return (documents + kPieceDocuments - 1) / kPieceDocuments;
}

// The largest number of additions that a number passes through in a sum over documents: those of
// its piece (linalg/counts.h), and those of the tree.
inline Index document_depth(Index documents) {
  const auto pieces = static_cast<std::uint64_t>(document_pieces(documents));
  return sum_depth(std::min(documents, kPieceDocuments)) + std::bit_width(pieces) + 1;
}

// Some documents with what was found out about them. Only one thread at a time may use a piece.
class DocumentPiece {
 public:
  DocumentPiece(Index number, Corpus corpus)
      : number_(number), corpus_(std::move(corpus)), by_word_(transposed(corpus_.view())) {}
  DocumentPiece(const DocumentPiece&) = delete;
  DocumentPiece& operator=(const DocumentPiece&) = delete;

  Index number() const { return number_; }
  const Corpus& corpus() const { return corpus_; }
  CountView documents() const { return corpus_.view(); }
  CountView by_word() const { return by_word_.view(); }
  std::span<const DocumentNorms> norms() const;
  const DocumentMoments& moments(const MomentClips& clips) const;

  // Numbers of the documents after a list of expectation steps, and which steps these were. Without
  // them the steps are made again: they save time, and nothing depends on them.
  mutable std::string steps_made;
  mutable RowMatrix parameters;

 private:
  Index number_;
  Corpus corpus_;
  CountMatrix by_word_;
  mutable std::vector<DocumentNorms> norms_;
  mutable MomentClips clips_;
  mutable std::optional<DocumentMoments> moments_;
};

// A sum over documents: what a piece adds to it.
class DocumentSum {
 public:
  virtual ~DocumentSum() = default;
  virtual Index rows() const = 0;
  virtual Index cols() const = 0;
  virtual RowMatrix of_piece(const DocumentPiece& piece) const = 0;
  // The question: which sum this is, and its numbers.
  virtual void write(ByteWriter& bytes) const = 0;
};

// Rows, one for each document.
class DocumentRows {
 public:
  virtual ~DocumentRows() = default;
  virtual Index cols() const = 0;
  virtual RowMatrix of_piece(const DocumentPiece& piece) const = 0;
  virtual void write(ByteWriter& bytes) const = 0;
};

// The words that documents are taken over.
struct DocumentWords {
  Index size = 0;                  // of the vocabulary
  std::vector<std::string> names;  // of its words; empty when they have none
  bool is_declared = false;        // as Corpus::vocabulary_is_declared
};

// Which words of their documents holders look at.
struct WordSelection {
  // The vocabulary, where it is not that of the documents themselves: theirs are found by name.
  std::optional<std::vector<std::string>> vocabulary;
  std::vector<std::int32_t> kept;  // only these, numbered anew; empty: all

  bool operator==(const WordSelection&) const = default;
  void write(ByteWriter& bytes) const;
  static WordSelection read(ByteReader& bytes);
};

class DocumentSource {
 public:
  virtual ~DocumentSource() = default;
  virtual Index documents() const = 0;
  // The names of the documents, where they have some and are at hand.
  virtual std::vector<std::string> ids() const { return {}; }
  const DocumentWords& vocabulary() const { return words_; }
  // Words that are looked at.
  Index words() const {
    return selection_.kept.empty() ? words_.size : std::ssize(selection_.kept);
  }

  // Takes the documents over this vocabulary from now on. A word that no document has becomes one
  // without counts.
  void set_vocabulary(std::vector<std::string> names, bool is_declared);
  // Looks at these words alone, numbered anew; an empty list: at all.
  void keep_words(std::vector<std::int32_t> kept) { selection_.kept = std::move(kept); }

  virtual RowMatrix sum(const DocumentSum& sum) = 0;
  virtual RowMatrix rows(const DocumentRows& rows) = 0;
  // The words of the documents themselves. At most `own_words` of a document count in `weight`; 0:
  // no weights are wanted.
  virtual PartialWords count_words(Index own_words) = 0;

 protected:
  explicit DocumentSource(DocumentWords words) : words_(std::move(words)) {}
  const WordSelection& selection() const { return selection_; }

 private:
  DocumentWords words_;
  WordSelection selection_;
};

using Documents = std::unique_ptr<DocumentSource>;

// The words of documents that count when a vocabulary is chosen: a function of each alone.
PartialWords count_words(const Corpus& corpus, Index documents, Index own_words);

// Documents in memory: all of them, or those that a shard holds.
class HeldDocuments {
 public:
  // The corpus has the documents with the numbers `first` and on. The holder answers for the pieces
  // that begin before `end`, which must be in the corpus up to their own ends.
  HeldDocuments(std::shared_ptr<const Corpus> corpus, Index first, Index end)
      : corpus_(std::move(corpus)), first_(first), end_(end) {}

  const Corpus& corpus() const { return *corpus_; }
  Index first() const { return first_; }
  Index end() const { return end_; }

  // Cuts the documents over these words into pieces, where they are not cut so already. All
  // documents are `documents`.
  void select(const WordSelection& selection, Index documents);
  void add(const DocumentSum& sum, PartialSum& part,
           const std::function<void()>& before_piece = {}) const;
  void add(const DocumentRows& rows, PartialRows& part) const;

 private:
  std::shared_ptr<const Corpus> corpus_;
  Index first_, end_;
  std::optional<WordSelection> selected_;
  std::vector<std::unique_ptr<DocumentPiece>> pieces_;
};

class LocalDocuments final : public DocumentSource {
 public:
  explicit LocalDocuments(Corpus corpus);
  // Borrows the corpus.
  explicit LocalDocuments(const Corpus* corpus);

  Index documents() const override { return held_.corpus().documents(); }
  std::vector<std::string> ids() const override { return held_.corpus().ids; }
  RowMatrix sum(const DocumentSum& sum) override;
  RowMatrix rows(const DocumentRows& rows) override;
  PartialWords count_words(Index own_words) override;

 private:
  explicit LocalDocuments(const std::shared_ptr<const Corpus>& corpus);

  HeldDocuments held_;
};

}  // namespace sotto
