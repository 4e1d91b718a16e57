// The sums over documents that topic models are made of (documents.h), each as a question that a
// shard can answer.
// Cost: that of the products in linalg/counts.h, O(nnz L) for L columns.
// Privacy: none here. What one document adds is bounded by its weights
// (release/private_documents.md).
#pragma once

#include <memory>
#include <vector>

#include "sotto/moments/documents.h"

namespace sotto {

// What documents are worth in a sum: the combined weights of document_moments.h.
struct DocumentWeighting {
  MomentClips clips;
  WeightFactors factors;

  Vector of(const DocumentPiece& piece) const { return piece.moments(clips).combined(factors); }
  void write(ByteWriter& bytes) const;
  static DocumentWeighting read(ByteReader& bytes);
};

// Sums of the weights b, a, t of P1, P2, P3 and of their products, and counts.
struct DocumentTotals {
  double first = 0, second = 0, third = 0;
  double first_squared = 0, first_and_second = 0, first_cubed = 0;
  double with_words = 0, entries = 0, tokens = 0, too_short = 0;  // too_short: fewer than 3 tokens
};
DocumentTotals document_totals(DocumentSource& documents, const MomentClips& clips);

// The medians of median_norms(), to the same bits.
MomentClips median_norms(DocumentSource& documents);

// sum_n weight_n c_n: V.
Vector weighted_words(DocumentSource& documents, const DocumentWeighting& weighting);
// sum_n weight_n c_n (c_n^T B): V x L.
RowMatrix weighted_products(DocumentSource& documents, const DocumentWeighting& weighting,
                            const RowMatrix& block);
// placements of sum_n weight_n y (x) y (x) y with y = W^T c_n.
PlacementSum weighted_cubes(DocumentSource& documents, const DocumentWeighting& weighting,
                            const RowMatrix& w);
// The sum of P2, V x V, symmetric.
Matrix second_sum(DocumentSource& documents, const MomentClips& clips);
// The sum of P3(W,W,W).
SymmetricTensor third_sum(DocumentSource& documents, const MomentClips& clips, const RowMatrix& w);

// Tokens of each word, and documents it is in: V x 2.
RowMatrix word_frequencies(DocumentSource& documents);
// In how many documents two of these words meet.
RowMatrix meeting_counts(DocumentSource& documents, const std::vector<Index>& words);

// These numbers are written into the bytes, so they are never reused.
enum class DocumentSumKind : std::int64_t {
  totals = 1,
  words = 2,
  products = 3,
  cubes = 4,
  pairs = 5,
  expectation = 6,
  single_topic = 7,
  normed_expectation = 8,
  meetings = 9,
  frequencies = 10,
  norm_counts = 11
};

void write_sum_kind(DocumentSumKind kind, ByteWriter& bytes);

// Reads what write() of a sum has written.
std::unique_ptr<DocumentSum> read_document_sum(ByteReader& bytes);

}  // namespace sotto
