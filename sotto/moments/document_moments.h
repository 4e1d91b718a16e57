// The raw moments of a corpus: E1, E2, E3 as weighted means of the documents' probability tensors.
//
// A document of length l with counts c estimates, without bias, the probability of a word, of a
// pair and of a triple of different tokens:
//   P1 = c / l,   P2 = (c c^T - diag c) / (l)_2,
//   P3 with entries c_i c_j c_k, c_i (c_i - 1) c_k, c_i (c_i - 1)(c_i - 2), over (l)_3,
// with (l)_j the falling factorial. A clip C_j shrinks a longer P_j to Frobenius norm C_j. This
// bounds what one document can do to a moment, and keeps a few short or repetitive documents from
// dominating it. A document with l < j has no P_j and contributes nothing.
//
// Nothing of size V^3 is ever formed. With y = W^T c and w_i the rows of W,
//   sum_n a_n (l)_3 P3(W,W,W) = placements( sum_n a_n y/3 (x) y (x) y
//                                            + sum_i (2/3 g_i w_i - z_i) (x) w_i (x) w_i ),
//   g = C^T a, z = C^T diag(a) Y, placements(Q) = Q_abc + Q_bac + Q_cab,
// which is O(nnz k + (N + V) k^3).
//
// Privacy: none here; release/ adds the noise. Its sensitivities rest on the norms below.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "sotto/linalg/counts.h"
#include "sotto/tensor/corpus.h"
#include "sotto/tensor/symmetric_tensor.h"

namespace sotto {

// Frobenius norms of P1, P2, P3 of one document; a norm is zero exactly where the document is too
// short. The relative error is below 2^-44 for every document (release/private_documents.md, 5).
struct DocumentNorms {
  double first = 0, second = 0, third = 0;
};
DocumentNorms document_norms(std::span<const std::int32_t> counts);
std::vector<DocumentNorms> all_document_norms(const Corpus& corpus);

// The norms that contributions are clipped to, or one of two rules that need no bound and keep
// norms at one:
// - kUnitNorm: P_j / |P_j|. The most signal; weights depend on the content of a document.
// - by_length(f): P_j min(f sqrt((l)_j / 6), 1 / |P_j|), 0 < f <= 1. Weights depend on the length
//   alone, so moments keep their direction, unless a document repeats its words so much that P_j is
//   sqrt(6)/f times as long as for different words. The smaller f is, the fewer documents do, and
//   the smaller the moments are against the bound. With f = 1, documents of three words have weight
//   one, whatever they repeat.
inline constexpr double kUnitNorm = 0;
constexpr double by_length(double f) { return -f; }
inline constexpr double kByLength = by_length(1);
struct MomentClips {
  double first = std::numeric_limits<double>::infinity();
  double second = std::numeric_limits<double>::infinity();
  double third = std::numeric_limits<double>::infinity();
};

// The medians of the documents' norms. Documents that are too short for a norm do not count there.
MomentClips median_norms(const Corpus& corpus);

// Sums a symmetric k x k x k tensor that is given in pieces:
//   T = placements( sum_r  left_r (x) right_r (x) right_r ), rows r.
class PlacementSum {
 public:
  explicit PlacementSum(Index k);
  void add(const RowMatrix& left, const RowMatrix& right);
  // Adds placements( left (x) S ) for a symmetric k x k matrix S.
  void add(const Vector& left, const Matrix& symmetric);
  SymmetricTensor tensor() const;
  // The sum as it is kept, k x k(k+1)/2 numbers: such sums may be added.
  const Matrix& numbers() const { return sum_; }
  Matrix& numbers() { return sum_; }

 private:
  Index pair(Index a, Index b) const { return a * k_ - a * (a - 1) / 2 + b - a; }  // a <= b

  Index k_;
  Matrix sum_;  // k x k(k+1)/2: the second and third index packed
};

// A weight of each document, made of those it has in the moments. With b and a the weights of P1
// and P2 and t that of P3, it is the sum of these factors times
//   b / l,  a / (l)_2,  t / (l)_3,  (b / l)^2,  a b / (l (l)_2),  (b / l)^3.
struct WeightFactors {
  double first = 0, second = 0, third = 0;
  double first_squared = 0, first_and_second = 0, first_cubed = 0;
};

// Sums over documents. A mean is a sum divided by `mass`, the sum of the weights min(1, C_j /
// |P_j|). A private run releases the sum divided by the number of documents.
class DocumentMoments {
 public:
  // Borrows the corpus and its transpose, the corpus word by word. The second takes norms that are
  // known already.
  DocumentMoments(const Corpus& corpus, const CountMatrix& by_word, const MomentClips& clips);
  DocumentMoments(const Corpus& corpus, const CountMatrix& by_word, const MomentClips& clips,
                  std::span<const DocumentNorms> norms);

  const Corpus& corpus() const { return corpus_; }
  double first_mass() const { return first_.sum(); }
  double second_mass() const { return second_.sum(); }
  double third_mass() const { return third_.sum(); }

  Vector first_sum() const;                                  // V
  Matrix second_sum() const;                                 // V x V
  RowMatrix second_sum_times(const RowMatrix& block) const;  // V x L, never V x V
  SymmetricTensor third_sum(const RowMatrix& w) const;       // E3(W,W,W), k x k x k

  // sum += factor times the pieces of third_sum(w), given y = C W.
  void add_third(const RowMatrix& w, const RowMatrix& y, double factor, PlacementSum& sum) const;

  // The weights of the documents: that of P_j is `weight / (l)_j` times counts.
  const Vector& first_weights() const { return first_; }
  const Vector& second_weights() const { return second_; }
  const Vector& third_weights() const { return third_; }
  const Vector& lengths() const { return lengths_; }
  Vector combined(const WeightFactors& factors) const;
  const CountMatrix& by_word() const { return by_word_; }

 private:
  // weight / (l)_j, zero for documents left out.
  Vector per_tuple(const Vector& weights, int j) const;

  const Corpus& corpus_;
  const CountMatrix& by_word_;
  Vector lengths_;
  Vector first_, second_, third_;
};

}  // namespace sotto
