// M2 and M3 of a topic model written out, V x V and V x V x V, for methods that put noise on every
// entry of the moments (Imtiaz & Sarwate 2018; Esmaeili & Huang 2018, configuration 1).
//
// The unbiased form of topic_moments.h with every document counted. With p, P2, P3 the probability
// tensors of a document (zero where it is too short), S1 and S2 their sums, and N all documents,
//   M2 = S2/N - a0/(a0+1) (S1 S1^T - sum p p^T) / (N)_2,
//   M3 = S3/N - a0/(a0+2) placements(S2 (x) S1 - sum P2 (x) p) / (N)_2
//        + 2 a0^2/((a0+1)(a0+2)) (S1^(x)3 - placements(sum p p^T (x) S1) + 2 sum p^(x)3) / (N)_3.
// So replacing a document never changes a divisor. With a0 = 0 these are the raw moments E2 and E3,
// which have no negative terms.
// Cost: O(m^3) per document of m different words, and O(V^3) for each 1024 documents.
// Privacy: none here; release/published_moments adds the noise.
#pragma once

#include "sotto/tensor/corpus.h"
#include "sotto/tensor/symmetric_tensor.h"

namespace sotto {

struct DenseMoments {
  Matrix second;
  SymmetricTensor third;
};

// The largest vocabulary whose M3 is still written out: 21 million numbers.
inline constexpr Index kMostDenseWords = 500;

// Refuses more words, and fewer than 3 documents.
void require_dense_moments(Index documents, Index words);
DenseMoments dense_topic_moments(const Corpus& corpus, double alpha0);

// Bounds the rounding error of either moment, in the sum of absolute values, for every corpus of
// this many documents (release/published_moments.md, 4).
double dense_moments_error(Index documents);

}  // namespace sotto
