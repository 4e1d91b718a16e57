#include "sotto/moments/documents.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/tensor/over_words.h"

namespace sotto {
namespace {

// The documents first .. last - 1 of a corpus.
Corpus slice(const Corpus& corpus, Index first, Index last) {
  Corpus part;
  part.vocabulary_size = corpus.vocabulary_size;
  const auto begin = corpus.begin.begin() + first;
  part.begin.assign(begin, begin + (last - first) + 1);
  const std::int64_t from = part.begin.front(), to = part.begin.back();
  for (std::int64_t& place : part.begin) place -= from;
  part.word.assign(corpus.word.begin() + from, corpus.word.begin() + to);
  part.count.assign(corpus.count.begin() + from, corpus.count.begin() + to);
  return part;
}

// FNV-1a, mixed: a fixed shuffle of all words.
std::uint64_t place_of(const std::string& word) {
  std::uint64_t x = 0xcbf29ce484222325;
  for (const char c : word) x = (x ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// The words of a document that count, at most `most`: a function of the document alone.
std::vector<std::int32_t> counted_words(const Corpus& corpus, Index n, Index most) {
  const auto all = corpus.words_of(n);
  std::vector<std::int32_t> words(all.begin(), all.end());
  if (std::ssize(words) <= most) return words;
  std::vector<std::pair<std::uint64_t, std::int32_t>> placed;
  placed.reserve(words.size());
  for (const std::int32_t w : words) placed.emplace_back(place_of(corpus.vocabulary[w]), w);
  const auto earlier = [&](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first
                              : corpus.vocabulary[a.second] < corpus.vocabulary[b.second];
  };
  std::nth_element(placed.begin(), placed.begin() + most, placed.end(), earlier);
  words.clear();
  for (Index i = 0; i < most; ++i) words.push_back(placed[static_cast<std::size_t>(i)].second);
  return words;
}

// The whole part of 2^64 / w.
std::uint64_t two_to_64_over(std::uint64_t w) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  return most / w + (most % w + 1 == w ? 1 : 0);
}

// The largest whole w with m (w 2^-32)^2 <= 1, m below 2^32. The first guess is at most two above.
std::int64_t weight_among(std::uint64_t m) {
  if (m == 0) return 0;
  auto w = static_cast<std::uint64_t>(0x1p32 / std::sqrt(static_cast<double>(m))) + 1;
  while (m * w > two_to_64_over(w)) --w;
  return static_cast<std::int64_t>(w);
}

}  // namespace

std::span<const DocumentNorms> DocumentPiece::norms() const {
  if (norms_.empty()) norms_ = all_document_norms(corpus_);
  return norms_;
}

const DocumentMoments& DocumentPiece::moments(const MomentClips& clips) const {
  const bool same =
      clips.first == clips_.first && clips.second == clips_.second && clips.third == clips_.third;
  if (!moments_ || !same) {
    moments_.emplace(corpus_, by_word_, clips, norms());
    clips_ = clips;
  }
  return *moments_;
}

void WordSelection::write(ByteWriter& bytes) const {
  bytes.integer(vocabulary ? 1 : 0);
  if (vocabulary) {
    bytes.integer(std::ssize(*vocabulary));
    for (const std::string& word : *vocabulary) bytes.text(word);
  }
  bytes.integer(std::ssize(kept));
  for (const std::int32_t word : kept) bytes.integer(word);
}

WordSelection WordSelection::read(ByteReader& bytes) {
  WordSelection selection;
  if (bytes.integer() == 1) {
    selection.vocabulary.emplace();
    for (Index left = bytes.integer(); left > 0; --left) {
      selection.vocabulary->push_back(bytes.text());
    }
  }
  for (Index left = bytes.integer(); left > 0; --left) {
    selection.kept.push_back(static_cast<std::int32_t>(bytes.integer()));
  }
  return selection;
}

void DocumentSource::set_vocabulary(std::vector<std::string> names, bool is_declared) {
  words_ = {std::ssize(names), std::move(names), is_declared};
  selection_ = {words_.names, {}};
}

PartialWords count_words(const Corpus& corpus, Index documents, Index own_words) {
  std::vector<WordCount> counts(static_cast<std::size_t>(corpus.vocabulary_size));
  for (Index n = 0; n < documents; ++n) {
    const auto words = corpus.words_of(n), tokens = corpus.counts_of(n);
    for (std::size_t e = 0; e < words.size(); ++e) {
      WordCount& count = counts[static_cast<std::size_t>(words[e])];
      count.tokens += tokens[e];
      ++count.documents;
    }
    if (own_words == 0) continue;
    const std::vector<std::int32_t> counted = counted_words(corpus, n, own_words);
    const std::int64_t weight = weight_among(counted.size());
    for (const std::int32_t w : counted) counts[static_cast<std::size_t>(w)].weight += weight;
  }
  PartialWords part;
  for (std::size_t w = 0; w < counts.size(); ++w) {
    if (counts[w].documents > 0) part.add(corpus.vocabulary[w], counts[w]);
  }
  return part;
}

void HeldDocuments::select(const WordSelection& selection, Index documents) {
  if (selected_ == selection) return;
  pieces_.clear();
  const Corpus* corpus = corpus_.get();
  std::optional<Corpus> other;
  if (selection.vocabulary) corpus = &other.emplace(over_words(*corpus, *selection.vocabulary));
  if (!selection.kept.empty())
    corpus = &other.emplace(restrict_vocabulary(*corpus, selection.kept));
  const Index last = document_pieces(end_);
  for (Index piece = document_pieces(first_); piece < last; ++piece) {
    const Index begin = piece * kPieceDocuments - first_;
    const Index end = std::min((piece + 1) * kPieceDocuments, documents) - first_;
    SOTTO_REQUIRE(end <= corpus->documents(), "a holder of documents lacks some of its last piece");
    pieces_.push_back(std::make_unique<DocumentPiece>(piece, slice(*corpus, begin, end)));
  }
  selected_ = selection;
}

void HeldDocuments::add(const DocumentSum& sum, PartialSum& part,
                        const std::function<void()>& before_piece) const {
  for (const auto& piece : pieces_) {
    if (before_piece) before_piece();
    part.records += piece->corpus().documents();
    part.add(piece->number(), sum.of_piece(*piece));
  }
}

void HeldDocuments::add(const DocumentRows& rows, PartialRows& part) const {
  for (const auto& piece : pieces_) part.add(piece->number(), rows.of_piece(*piece));
}

LocalDocuments::LocalDocuments(const std::shared_ptr<const Corpus>& corpus)
    : DocumentSource({corpus->vocabulary_size, corpus->vocabulary, corpus->vocabulary_is_declared}),
      held_(corpus, 0, corpus->documents()) {}

LocalDocuments::LocalDocuments(Corpus corpus)
    : LocalDocuments(std::make_shared<const Corpus>(std::move(corpus))) {}

LocalDocuments::LocalDocuments(const Corpus* corpus)
    : LocalDocuments(std::shared_ptr<const Corpus>(std::shared_ptr<void>(), corpus)) {}

RowMatrix LocalDocuments::sum(const DocumentSum& sum) {
  const Index pieces = document_pieces(documents());
  held_.select(selection(), documents());
  PartialSum part(sum.rows(), sum.cols(), pieces);
  held_.add(sum, part);
  return part.total(pieces);
}

RowMatrix LocalDocuments::rows(const DocumentRows& rows) {
  held_.select(selection(), documents());
  PartialRows part(rows.cols());
  held_.add(rows, part);
  return part.all(document_pieces(documents()));
}

PartialWords LocalDocuments::count_words(Index own_words) {
  return sotto::count_words(held_.corpus(), documents(), own_words);
}

}  // namespace sotto
