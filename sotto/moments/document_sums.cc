#include "sotto/moments/document_sums.h"

#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/moments/expectation_sums.h"
#include "sotto/moments/record_questions.h"

namespace sotto {
namespace {

void write_clips(const MomentClips& clips, ByteWriter& bytes) {
  for (const double clip : {clips.first, clips.second, clips.third}) bytes.real(clip);
}

MomentClips read_clips(ByteReader& bytes) {
  MomentClips clips;
  for (double* clip : {&clips.first, &clips.second, &clips.third}) *clip = bytes.real();
  return clips;
}

class TotalsSum final : public DocumentSum {
 public:
  static constexpr Index kNumbers = 10;
  explicit TotalsSum(const MomentClips& clips) : clips_(clips) {}
  static std::unique_ptr<DocumentSum> read(ByteReader& bytes) {
    return std::make_unique<TotalsSum>(read_clips(bytes));
  }
  Index rows() const override { return 1; }
  Index cols() const override { return kNumbers; }
  RowMatrix of_piece(const DocumentPiece& piece) const override {
    const DocumentMoments& moments = piece.moments(clips_);
    RowMatrix sum = RowMatrix::Zero(1, kNumbers);
    for (Index n = 0; n < piece.corpus().documents(); ++n) {
      const double b = moments.first_weights()[n], a = moments.second_weights()[n];
      const double length = moments.lengths()[n];
      const std::array<double, kNumbers> terms = {
          b,
          a,
          moments.third_weights()[n],
          b * b,
          a * b,
          b * b * b,
          b > 0 ? 1.0 : 0.0,
          static_cast<double>(piece.corpus().words_of(n).size()),
          length,
          length < 3 ? 1.0 : 0.0};
      for (Index j = 0; j < kNumbers; ++j) sum(0, j) += terms[static_cast<std::size_t>(j)];
    }
    return sum;
  }
  void write(ByteWriter& bytes) const override {
    write_sum_kind(DocumentSumKind::totals, bytes);
    write_clips(clips_, bytes);
  }

 private:
  MomentClips clips_;
};

class WordsSum final : public DocumentSum {
 public:
  WordsSum(Index words, const DocumentWeighting& weighting)
      : words_(words), weighting_(weighting) {}
  static std::unique_ptr<DocumentSum> read(ByteReader& bytes) {
    const Index words = bytes.integer();
    return std::make_unique<WordsSum>(words, DocumentWeighting::read(bytes));
  }
  Index rows() const override { return words_; }
  Index cols() const override { return 1; }
  RowMatrix of_piece(const DocumentPiece& piece) const override {
    return multiply(piece.by_word(), weighting_.of(piece));
  }
  void write(ByteWriter& bytes) const override {
    write_sum_kind(DocumentSumKind::words, bytes);
    bytes.integer(words_);
    weighting_.write(bytes);
  }

 private:
  Index words_;
  DocumentWeighting weighting_;
};

class ProductsSum final : public DocumentSum {
 public:
  ProductsSum(const DocumentWeighting& weighting, RowMatrix block)
      : weighting_(weighting), block_(std::move(block)) {}
  static std::unique_ptr<DocumentSum> read(ByteReader& bytes) {
    const DocumentWeighting weighting = DocumentWeighting::read(bytes);
    return std::make_unique<ProductsSum>(weighting, read_matrix(bytes));
  }
  Index rows() const override { return block_.rows(); }
  Index cols() const override { return block_.cols(); }
  RowMatrix of_piece(const DocumentPiece& piece) const override {
    return multiply(piece.by_word(), weighting_.of(piece), multiply(piece.documents(), block_));
  }
  void write(ByteWriter& bytes) const override {
    write_sum_kind(DocumentSumKind::products, bytes);
    weighting_.write(bytes);
    write_matrix(block_, bytes);
  }

 private:
  DocumentWeighting weighting_;
  RowMatrix block_;
};

class CubesSum final : public DocumentSum {
 public:
  CubesSum(const DocumentWeighting& weighting, RowMatrix w)
      : weighting_(weighting), w_(std::move(w)) {}
  static std::unique_ptr<DocumentSum> read(ByteReader& bytes) {
    const DocumentWeighting weighting = DocumentWeighting::read(bytes);
    return std::make_unique<CubesSum>(weighting, read_matrix(bytes));
  }
  Index rows() const override { return w_.cols(); }
  Index cols() const override { return w_.cols() * (w_.cols() + 1) / 2; }
  RowMatrix of_piece(const DocumentPiece& piece) const override {
    const RowMatrix y = multiply(piece.documents(), w_);
    PlacementSum sum(w_.cols());
    sum.add(RowMatrix(weighting_.of(piece).asDiagonal() * y), y);
    return sum.numbers();
  }
  void write(ByteWriter& bytes) const override {
    write_sum_kind(DocumentSumKind::cubes, bytes);
    weighting_.write(bytes);
    write_matrix(w_, bytes);
  }

 private:
  DocumentWeighting weighting_;
  RowMatrix w_;
};

class PairsSum final : public DocumentSum {
 public:
  PairsSum(Index words, const MomentClips& clips) : words_(words), clips_(clips) {}
  static std::unique_ptr<DocumentSum> read(ByteReader& bytes) {
    const Index words = bytes.integer();
    return std::make_unique<PairsSum>(words, read_clips(bytes));
  }
  Index rows() const override { return words_; }
  Index cols() const override { return words_; }
  RowMatrix of_piece(const DocumentPiece& piece) const override {
    return piece.moments(clips_).second_sum();
  }
  void write(ByteWriter& bytes) const override {
    write_sum_kind(DocumentSumKind::pairs, bytes);
    bytes.integer(words_);
    write_clips(clips_, bytes);
  }

 private:
  Index words_;
  MomentClips clips_;
};

class MeetingsSum final : public DocumentSum {
 public:
  explicit MeetingsSum(std::vector<Index> words) : words_(std::move(words)) {}
  static std::unique_ptr<DocumentSum> read(ByteReader& bytes) {
    std::vector<Index> words;
    for (Index left = bytes.integer(); left > 0; --left) words.push_back(bytes.integer());
    return std::make_unique<MeetingsSum>(std::move(words));
  }
  Index rows() const override { return std::ssize(words_); }
  Index cols() const override { return std::ssize(words_); }
  RowMatrix of_piece(const DocumentPiece& piece) const override {
    const Corpus& corpus = piece.corpus();
    std::vector<Index> place(static_cast<std::size_t>(corpus.vocabulary_size), -1);
    for (std::size_t i = 0; i < words_.size(); ++i) place.at(words_[i]) = static_cast<Index>(i);
    RowMatrix together = RowMatrix::Zero(rows(), cols());
    std::vector<Index> present;
    for (Index n = 0; n < corpus.documents(); ++n) {
      present.clear();
      for (const std::int32_t w : corpus.words_of(n)) {
        if (place[w] >= 0) present.push_back(place[w]);
      }
      for (const Index a : present) {
        for (const Index b : present) ++together(a, b);
      }
    }
    return together;
  }
  void write(ByteWriter& bytes) const override {
    write_sum_kind(DocumentSumKind::meetings, bytes);
    bytes.integer(std::ssize(words_));
    for (const Index word : words_) bytes.integer(word);
  }

 private:
  std::vector<Index> words_;
};

class FrequenciesSum final : public DocumentSum {
 public:
  explicit FrequenciesSum(Index words) : words_(words) {}
  Index rows() const override { return words_; }
  Index cols() const override { return 2; }
  RowMatrix of_piece(const DocumentPiece& piece) const override {
    const Corpus& corpus = piece.corpus();
    RowMatrix counts = RowMatrix::Zero(words_, 2);
    for (std::size_t e = 0; e < corpus.word.size(); ++e) {
      counts(corpus.word[e], 0) += corpus.count[e];
      ++counts(corpus.word[e], 1);
    }
    return counts;
  }
  void write(ByteWriter& bytes) const override {
    write_sum_kind(DocumentSumKind::frequencies, bytes);
    bytes.integer(words_);
  }

 private:
  Index words_;
};

// Counts of documents by their norms. The bits of a positive number, read as a whole one, are in
// its order. A level counts the values of eleven of them, among the norms that begin with `prefix`.
class NormCountsByBits final : public DocumentSum {
 public:
  static constexpr int kBits = 11, kLevels = 6;  // 66 bits: more than there are below the sign
  static constexpr Index kBins = 1 << kBits;
  using Prefixes = std::array<std::int64_t, 3>;

  NormCountsByBits(int level, const Prefixes& prefixes) : level_(level), prefixes_(prefixes) {}
  static std::unique_ptr<DocumentSum> read(ByteReader& bytes) {
    const auto level = static_cast<int>(bytes.integer());
    SOTTO_REQUIRE(level >= 0 && level < kLevels, "a question has level {}", level);
    Prefixes prefixes{};
    for (std::int64_t& prefix : prefixes) prefix = bytes.integer();
    return std::make_unique<NormCountsByBits>(level, prefixes);
  }
  Index rows() const override { return kBins; }
  Index cols() const override { return 3; }
  RowMatrix of_piece(const DocumentPiece& piece) const override {
    RowMatrix counts = RowMatrix::Zero(kBins, 3);
    for (const DocumentNorms& norms : piece.norms()) {
      count(norms.first, 0, counts);
      count(norms.second, 1, counts);
      count(norms.third, 2, counts);
    }
    return counts;
  }
  void write(ByteWriter& bytes) const override {
    write_sum_kind(DocumentSumKind::norm_counts, bytes);
    bytes.integer(level_);
    for (const std::int64_t prefix : prefixes_) bytes.integer(prefix);
  }

 private:
  void count(double norm, Index column, RowMatrix& counts) const {
    if (!(norm > 0)) return;
    const auto bits = static_cast<std::uint64_t>(std::bit_cast<std::int64_t>(norm));
    const int below = kBits * (kLevels - 1 - level_);
    const std::uint64_t bin = bits >> below;
    if (static_cast<std::int64_t>(bin >> kBits) != prefixes_[static_cast<std::size_t>(column)]) {
      return;
    }
    ++counts(static_cast<Index>(bin % kBins), column);
  }

  int level_;
  Prefixes prefixes_;
};

}  // namespace

void write_sum_kind(DocumentSumKind kind, ByteWriter& bytes) {
  bytes.integer(static_cast<std::int64_t>(kind));
}

void DocumentWeighting::write(ByteWriter& bytes) const {
  write_clips(clips, bytes);
  for (const double factor : {factors.first, factors.second, factors.third, factors.first_squared,
                              factors.first_and_second, factors.first_cubed}) {
    bytes.real(factor);
  }
}

DocumentWeighting DocumentWeighting::read(ByteReader& bytes) {
  DocumentWeighting weighting{read_clips(bytes), {}};
  WeightFactors& f = weighting.factors;
  for (double* factor :
       {&f.first, &f.second, &f.third, &f.first_squared, &f.first_and_second, &f.first_cubed}) {
    *factor = bytes.real();
  }
  return weighting;
}

DocumentTotals document_totals(DocumentSource& documents, const MomentClips& clips) {
  const RowMatrix sum = documents.sum(TotalsSum(clips));
  return {sum(0, 0), sum(0, 1), sum(0, 2), sum(0, 3), sum(0, 4),
          sum(0, 5), sum(0, 6), sum(0, 7), sum(0, 8), sum(0, 9)};
}

MomentClips median_norms(DocumentSource& documents) {
  NormCountsByBits::Prefixes found{};
  std::array<double, 3> before{};  // documents with the same prefix that come before the median
  for (int level = 0; level < NormCountsByBits::kLevels; ++level) {
    const RowMatrix counts = documents.sum(NormCountsByBits(level, found));
    for (Index j = 0; j < 3; ++j) {
      auto& left = before[static_cast<std::size_t>(j)];
      if (level == 0) {
        const double all = counts.col(j).sum();
        SOTTO_REQUIRE(all > 0, "no document has 3 tokens or more: there is no third moment");
        left = std::floor(all / 2);
      }
      Index bin = 0;
      for (; counts(bin, j) <= left; ++bin) left -= counts(bin, j);
      auto& prefix = found[static_cast<std::size_t>(j)];
      prefix = prefix * NormCountsByBits::kBins + bin;
    }
  }
  return {std::bit_cast<double>(found[0]), std::bit_cast<double>(found[1]),
          std::bit_cast<double>(found[2])};
}

Vector weighted_words(DocumentSource& documents, const DocumentWeighting& weighting) {
  return documents.sum(WordsSum(documents.words(), weighting)).col(0);
}

RowMatrix weighted_products(DocumentSource& documents, const DocumentWeighting& weighting,
                            const RowMatrix& block) {
  return documents.sum(ProductsSum(weighting, block));
}

PlacementSum weighted_cubes(DocumentSource& documents, const DocumentWeighting& weighting,
                            const RowMatrix& w) {
  PlacementSum sum(w.cols());
  sum.numbers() = documents.sum(CubesSum(weighting, w));
  return sum;
}

Matrix second_sum(DocumentSource& documents, const MomentClips& clips) {
  return documents.sum(PairsSum(documents.words(), clips));
}

SymmetricTensor third_sum(DocumentSource& documents, const MomentClips& clips, const RowMatrix& w) {
  PlacementSum sum = weighted_cubes(documents, {clips, {.third = 1.0 / 3.0}}, w);
  const DocumentWeighting triples{clips, {.third = 1}};
  const RowMatrix z = weighted_products(documents, triples, w);
  const Vector g = weighted_words(documents, triples);
  sum.add(RowMatrix((2.0 / 3.0 * g).asDiagonal() * w - z), w);
  return sum.tensor();
}

RowMatrix word_frequencies(DocumentSource& documents) {
  return documents.sum(FrequenciesSum(documents.words()));
}

RowMatrix meeting_counts(DocumentSource& documents, const std::vector<Index>& words) {
  return documents.sum(MeetingsSum(words));
}

std::unique_ptr<DocumentSum> read_document_sum(ByteReader& bytes) {
  const std::int64_t kind = bytes.integer();
  switch (static_cast<DocumentSumKind>(kind)) {
    case DocumentSumKind::totals:
      return TotalsSum::read(bytes);
    case DocumentSumKind::words:
      return WordsSum::read(bytes);
    case DocumentSumKind::products:
      return ProductsSum::read(bytes);
    case DocumentSumKind::cubes:
      return CubesSum::read(bytes);
    case DocumentSumKind::pairs:
      return PairsSum::read(bytes);
    case DocumentSumKind::expectation:
      return read_expectation_steps(bytes);
    case DocumentSumKind::single_topic:
      return read_single_topic_sum(bytes);
    case DocumentSumKind::normed_expectation:
      return read_normed_sum(bytes);
    case DocumentSumKind::meetings:
      return MeetingsSum::read(bytes);
    case DocumentSumKind::frequencies:
      return std::make_unique<FrequenciesSum>(bytes.integer());
    case DocumentSumKind::norm_counts:
      return NormCountsByBits::read(bytes);
  }
  throw Error(fmt::format("a question asks for a sum of the unknown kind {}", kind), "");
}

}  // namespace sotto
