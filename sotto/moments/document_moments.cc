#include "sotto/moments/document_moments.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "sotto/base/clip.h"
#include "sotto/base/error.h"
#include "sotto/base/parallel.h"
#include "sotto/linalg/gemm.h"
#include "sotto/moments/by_halves.h"

namespace sotto {
namespace {

double falling(double l, int j) {
  double product = 1;
  for (int a = 0; a < j; ++a) product *= l - a;
  return product;
}

// The weight of P_j, given its norm; zero for a document that is too short.
double weight(double norm, double clip, double length, int j) {
  if (norm == 0) return 0;
  if (clip == kUnitNorm) return 1 / norm;
  if (clip < 0) return clipped(-clip * std::sqrt(falling(length, j) / 6), 0, 1 / norm);
  return clipped(1, 0, clip / norm);
}

double median(std::vector<double>& values) {
  SOTTO_REQUIRE(!values.empty(), "no document has 3 tokens or more: there is no third moment");
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// [right_a right_b] for a <= b, the pairs (0,0) (0,1) .. (0,k-1) (1,1) ..
void fill_pairs(const Eigen::Ref<const RowMatrix>& right, Matrix& pairs) {
  Index column = 0;
  for (Index a = 0; a < right.cols(); ++a) {
    for (Index b = a; b < right.cols(); ++b, ++column) {
      pairs.col(column).head(right.rows()) = right.col(a).cwiseProduct(right.col(b));
    }
  }
}

// Sums over words. No term is negative, so rounding is small against each sum, whatever the counts
// are. a = c^2, b = (c(c-1))^2.
struct NormSums {
  double ones = 0;     // of a_i
  double twos = 0;     // of a_i a_j, i < j
  double threes = 0;   // of a_i a_j a_k, i < j < k
  double pairs = 0;    // of b_i
  double mixed = 0;    // of b_i a_k, i != k
  double triples = 0;  // of (c_i(c_i-1)(c_i-2))^2

  void add(double c) {
    const double a = c * c, pair = c * (c - 1), b = pair * pair, triple = pair * (c - 2);
    threes += twos * a;
    twos += ones * a;
    mixed += pairs * a + ones * b;
    ones += a;
    pairs += b;
    triples += triple * triple;
  }
};

NormSums joined(const NormSums& x, const NormSums& y) {
  return {x.ones + y.ones,
          x.twos + y.twos + x.ones * y.ones,
          x.threes + y.threes + (x.twos * y.ones + x.ones * y.twos),
          x.pairs + y.pairs,
          x.mixed + y.mixed + (x.pairs * y.ones + x.ones * y.pairs),
          x.triples + y.triples};
}

}  // namespace

DocumentNorms document_norms(std::span<const std::int32_t> counts) {
  const auto word = [&](std::int64_t e) { return counts[static_cast<std::size_t>(e)]; };
  const NormSums sums = by_halves(
      0, std::ssize(counts),
      [&](std::int64_t first, std::int64_t last) {
        NormSums leaf;
        for (std::int64_t e = first; e < last; ++e) leaf.add(word(e));
        return leaf;
      },
      joined);
  const auto l =
      static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
  // Index patterns: all different, two equal (3 placements), all equal.
  const double second = 2 * sums.twos + sums.pairs;
  const double third = 6 * sums.threes + (3 * sums.mixed + sums.triples);
  return {l < 1 ? 0 : std::sqrt(sums.ones) / l, l < 2 ? 0 : std::sqrt(second) / falling(l, 2),
          l < 3 ? 0 : std::sqrt(third) / falling(l, 3)};
}

MomentClips median_norms(const Corpus& corpus) {
  std::vector<double> first, second, third;
  for (Index n = 0; n < corpus.documents(); ++n) {
    const DocumentNorms norms = document_norms(corpus.counts_of(n));
    if (norms.first > 0) first.push_back(norms.first);
    if (norms.second > 0) second.push_back(norms.second);
    if (norms.third > 0) third.push_back(norms.third);
  }
  return {median(first), median(second), median(third)};
}

std::vector<DocumentNorms> all_document_norms(const Corpus& corpus) {
  std::vector<DocumentNorms> norms(static_cast<std::size_t>(corpus.documents()));
  for (Index n = 0; n < corpus.documents(); ++n) {
    norms[static_cast<std::size_t>(n)] = document_norms(corpus.counts_of(n));
  }
  return norms;
}

DocumentMoments::DocumentMoments(const Corpus& corpus, const CountMatrix& by_word,
                                 const MomentClips& clips)
    : DocumentMoments(corpus, by_word, clips, all_document_norms(corpus)) {}

DocumentMoments::DocumentMoments(const Corpus& corpus, const CountMatrix& by_word,
                                 const MomentClips& clips, std::span<const DocumentNorms> all)
    : corpus_(corpus),
      by_word_(by_word),
      lengths_(corpus.documents()),
      first_(Vector::Zero(corpus.documents())),
      second_(Vector::Zero(corpus.documents())),
      third_(Vector::Zero(corpus.documents())) {
  for (Index n = 0; n < corpus.documents(); ++n) {
    lengths_[n] = static_cast<double>(corpus.length(n));
    const DocumentNorms& norms = all[static_cast<std::size_t>(n)];
    first_[n] = weight(norms.first, clips.first, lengths_[n], 1);
    second_[n] = weight(norms.second, clips.second, lengths_[n], 2);
    third_[n] = weight(norms.third, clips.third, lengths_[n], 3);
  }
}

Vector DocumentMoments::per_tuple(const Vector& weights, int j) const {
  Vector scale(weights.size());
  for (Index n = 0; n < scale.size(); ++n) {
    scale[n] = weights[n] == 0 ? 0 : weights[n] / falling(lengths_[n], j);
  }
  return scale;
}

Vector DocumentMoments::combined(const WeightFactors& factors) const {
  const Vector b = per_tuple(first_, 1), a = per_tuple(second_, 2), t = per_tuple(third_, 3);
  Vector sum(b.size());
  for (Index n = 0; n < sum.size(); ++n) {
    sum[n] = factors.first * b[n] + factors.second * a[n] + factors.third * t[n] +
             factors.first_squared * (b[n] * b[n]) + factors.first_and_second * (a[n] * b[n]) +
             factors.first_cubed * (b[n] * b[n] * b[n]);
  }
  return sum;
}

Vector DocumentMoments::first_sum() const {
  return multiply(by_word_.view(), per_tuple(first_, 1));
}

Matrix DocumentMoments::second_sum() const {
  const Index v = corpus_.vocabulary_size;
  const Vector scale = per_tuple(second_, 2);
  Matrix sum = Matrix::Zero(v, v);
  // Column i gathers the documents with word i: one thread per column, and one order of the sums.
  // All terms are positive, so the rounding errors are small against the sum itself.
  parallel_for(v, {16}, [&](Index i) {
    Vector piece(v);
    for_pieces(by_word_.begin[i], by_word_.begin[i + 1],
               [&](std::int64_t first, std::int64_t last) {
                 piece.setZero();
                 for (std::int64_t e = first; e < last; ++e) {
                   const Index n = by_word_.column[e];
                   const double c = by_word_.count[e] * scale[n];
                   const auto words = corpus_.words_of(n);
                   const auto counts = corpus_.counts_of(n);
                   for (std::size_t a = 0; a < words.size(); ++a) {
                     piece[words[a]] += c * (counts[a] - (words[a] == i));
                   }
                 }
                 sum.col(i) += piece;
               });
  });
  return sum;
}

RowMatrix DocumentMoments::second_sum_times(const RowMatrix& block) const {
  const Vector scale = per_tuple(second_, 2);
  RowMatrix product = multiply(by_word_.view(), scale, multiply(corpus_.view(), block));
  product -= multiply(by_word_.view(), scale).asDiagonal() * block;
  return product;
}

SymmetricTensor DocumentMoments::third_sum(const RowMatrix& w) const {
  PlacementSum sum(w.cols());
  add_third(w, multiply(corpus_.view(), w), 1, sum);
  return sum.tensor();
}

void DocumentMoments::add_third(const RowMatrix& w, const RowMatrix& y, double factor,
                                PlacementSum& sum) const {
  const Vector scale = factor * per_tuple(third_, 3);
  const RowMatrix z = multiply(by_word_.view(), scale, y);
  const Vector g = multiply(by_word_.view(), scale);
  sum.add((scale / 3).asDiagonal() * y, y);
  sum.add(RowMatrix((2.0 / 3.0 * g).asDiagonal() * w - z), w);
}

PlacementSum::PlacementSum(Index k) : k_(k), sum_(Matrix::Zero(k, k * (k + 1) / 2)) {}

void PlacementSum::add(const RowMatrix& left, const RowMatrix& right) {
  Matrix pairs(kSumPiece, sum_.cols());
  for_pieces(0, right.rows(), [&](Index first, Index last) {
    const Index rows = last - first;
    fill_pairs(right.middleRows(first, rows), pairs);
    const Matrix piece = left.middleRows(first, rows);
    sum_ += multiply_transposed(pairs.topRows(rows), piece).transpose();
  });
}

void PlacementSum::add(const Vector& left, const Matrix& symmetric) {
  for (Index a = 0; a < k_; ++a) {
    for (Index b = a; b < k_; ++b) sum_.col(pair(a, b)) += symmetric(a, b) * left;
  }
}

SymmetricTensor PlacementSum::tensor() const {
  SymmetricTensor result(k_, 3);
  Index at = 0;
  for (Index a = 0; a < k_; ++a) {
    for (Index b = a; b < k_; ++b) {
      for (Index c = b; c < k_; ++c) {
        result.packed()[at++] = sum_(a, pair(b, c)) + sum_(b, pair(a, c)) + sum_(c, pair(a, b));
      }
    }
  }
  return result;
}

}  // namespace sotto
