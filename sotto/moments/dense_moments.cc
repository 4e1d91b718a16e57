#include "sotto/moments/dense_moments.h"

#include "sotto/base/error.h"
#include "sotto/moments/document_moments.h"

namespace sotto {
namespace {

// The factors of the three terms of M3 (the first two also of M2), divisors included.
struct Factors {
  double raw, product, cross, cube;
  Factors(Index documents, double a0) {
    const auto n = static_cast<double>(documents);
    raw = 1 / n;
    product = a0 / (a0 + 1) / (n * (n - 1));
    cross = a0 / (a0 + 2) / (n * (n - 1));
    cube = 2 * a0 * a0 / ((a0 + 1) * (a0 + 2)) / (n * (n - 1) * (n - 2));
  }
};

// What one document adds to M3 at words i <= j <= k, counts a, b, c:
//   raw P3 + cross placements(P2 (x) p) + 2 cube p^(x)3.
class DocumentTerm {
 public:
  DocumentTerm(const Factors& f, double l)
      : raw_(l < 3 ? 0 : f.raw / (l * (l - 1) * (l - 2))),
        cross_(l < 2 ? 0 : f.cross / (l * l * (l - 1))),
        cube_(2 * f.cube / (l * l * l)) {}

  double operator()(double a, double b, double c, bool ij, bool jk) const {
    const bool ik = ij && jk;
    const double triples = a * (b - ij) * (c - ik - jk);
    const double pairs = a * (b - ij) * c + a * (c - ik) * b + b * (c - jk) * a;
    return raw_ * triples + cross_ * pairs + cube_ * (a * b * c);
  }

 private:
  double raw_, cross_, cube_;
};

// Adds the document's own term to the packed entries, in lexicographic order i <= j <= k.
void add_document(const Corpus& corpus, Index n, const Factors& factors, std::span<double> packed) {
  const auto words = corpus.words_of(n);
  const auto counts = corpus.counts_of(n);
  if (words.empty()) return;
  const DocumentTerm term(factors, static_cast<double>(corpus.length(n)));
  const Index size = static_cast<Index>(packed.size());
  for (std::size_t x = 0; x < words.size(); ++x) {
    const Index rows = corpus.vocabulary_size - words[x];
    const Index slice = size - rows * (rows + 1) * (rows + 2) / 6;
    for (std::size_t y = x; y < words.size(); ++y) {
      const Index a = words[y] - words[x];
      const Index row = slice + a * rows - a * (a - 1) / 2 - a - words[x];
      for (std::size_t z = y; z < words.size(); ++z) {
        packed[row + words[z]] += term(counts[x], counts[y], counts[z], x == y, y == z);
      }
    }
  }
}

SymmetricTensor document_terms(const Corpus& corpus, const Factors& factors) {
  SymmetricTensor sum(corpus.vocabulary_size, 3);
  SymmetricTensor piece(corpus.vocabulary_size, 3);
  for_pieces(0, corpus.documents(), [&](Index first, Index last) {
    std::fill(piece.packed().begin(), piece.packed().end(), 0.0);
    for (Index n = first; n < last; ++n) add_document(corpus, n, factors, piece.packed());
    sum.add_scaled(1, piece);
  });
  return sum;
}

// sum p p^T.
Matrix repeated_pairs(const Corpus& corpus) {
  const Index v = corpus.vocabulary_size;
  Matrix sum = Matrix::Zero(v, v), piece(v, v);
  for_pieces(0, corpus.documents(), [&](Index first, Index last) {
    piece.setZero();
    for (Index n = first; n < last; ++n) {
      const auto words = corpus.words_of(n);
      const auto counts = corpus.counts_of(n);
      const auto l = static_cast<double>(corpus.length(n));
      for (std::size_t x = 0; x < words.size(); ++x) {
        for (std::size_t y = 0; y < words.size(); ++y) {
          piece(words[x], words[y]) += double(counts[x]) * counts[y] / (l * l);
        }
      }
    }
    sum += piece;
  });
  return sum;
}

}  // namespace

void require_dense_moments(Index documents, Index words) {
  SOTTO_REQUIRE(words <= kMostDenseWords,
                "this method writes out a third moment with the cube of {} words; it takes at most "
                "{}",
                words, kMostDenseWords);
  SOTTO_REQUIRE(documents >= 3, "the moments of a topic model need 3 documents or more");
}

DenseMoments dense_topic_moments(const Corpus& corpus, double alpha0) {
  require_dense_moments(corpus.documents(), corpus.vocabulary_size);
  const Factors factors(corpus.documents(), alpha0);
  const CountMatrix by_word = transposed(corpus.view());
  const DocumentMoments raw(corpus, by_word, MomentClips{});
  const Matrix s2 = raw.second_sum();
  DenseMoments moments{s2 * factors.raw, document_terms(corpus, factors)};
  if (alpha0 == 0) return moments;
  const Vector s1 = raw.first_sum();
  const Matrix repeated = repeated_pairs(corpus);
  moments.second -= factors.product * (s1 * s1.transpose() - repeated);
  // placements(S (x) s1) of the two dense matrices together, and s1^(x)3.
  const Matrix joint = factors.cross * s2 + factors.cube * repeated;
  auto entry = moments.third.packed().begin();
  const Index v = corpus.vocabulary_size;
  for (Index i = 0; i < v; ++i) {
    for (Index j = i; j < v; ++j) {
      for (Index k = j; k < v; ++k) {
        *entry++ += factors.cube * s1[i] * s1[j] * s1[k] -
                    (joint(i, j) * s1[k] + joint(i, k) * s1[j] + joint(j, k) * s1[i]);
      }
    }
  }
  return moments;
}

double dense_moments_error(Index documents) {
  const double n = (3 * static_cast<double>(sum_depth(documents)) + 64) * 0x1p-53;
  return 32 * n / (1 - n);
}

}  // namespace sotto
