// Private moments of documents, document unit: the releases that private topic models are made of.
//
// Neighbours replace one document; the number of documents and the vocabulary are public. Every
// release is a mean over documents of a non-negative contribution that is scaled to norm one (or
// clipped to a public norm). So no bound has to be chosen, and for a given sensitivity the signal
// is largest.
// Two neighbours differ by at most sqrt(2) / N, and the Gaussian mechanism is exact:
// - first moment:  P1 / |P1|,                  V numbers
// - second moment: P2 / |P2|, symmetric,       V(V+1)/2 numbers, isometric noise
// - third moment:  P3 / |P3| at (Q,Q,Q), symmetric, in k dimensions. Isometric noise is invariant
//   under rotation, so this is what V^3 noisy numbers would give there (private_documents.md), at
//   O(k^3) instead of O(V^3).
// - expected counts of an expectation step,    V k numbers
// Everything made of them is post-processing. The weights 1/|P_j| grow with the length l like
// l^(j/2); the mass of a moment (the sum of its entries) says their mean.
// Cost: that of the exact sums; the noise is linear in the numbers released.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sotto/base/sensitive.h"
#include "sotto/moments/documents.h"
#include "sotto/release/calibration.h"
#include "sotto/release/noisy.h"
#include "sotto/release/private_run.h"
#include "sotto/tensor/corpus.h"
#include "sotto/tensor/symmetric_tensor.h"

namespace sotto {

PublicCorpusShape public_shape(const Sensitive<Corpus>& corpus);
PublicCorpusShape public_shape(const Sensitive<Documents>& documents);
// Documents in memory.
Sensitive<Documents> sensitive_documents(Sensitive<Corpus> corpus);

// What the certificate states about the document unit.
PrivacyStatement document_statement(const PublicCorpusShape& shape, const PrivacyTarget& target);

// What the releases are called in plans and certificates.
inline constexpr const char* kFirstMomentRelease = "mean of the documents' word shares";
inline constexpr const char* kSecondMomentRelease = "second moment of the documents";
inline constexpr const char* kThirdMomentRelease = "third moment of the documents";
inline constexpr const char* kExpectedCountsRelease = "expected shares of words in topics";

// The noise of a release that costs mu, for contributions of norm one, without what rounding adds.
double document_noise(Index documents, double mu);

class PrivateDocuments {
 public:
  // Takes the documents over. The run has a budget, and must outlive this object.
  PrivateDocuments(Sensitive<Documents> documents, PrivateRun& run);

  Index documents() const { return shape_.documents; }
  Index words() const { return shape_.words; }

  // Keeps only these words of every document, and numbers them anew. The list must come from public
  // knowledge or from releases. An empty list: all words.
  void keep_words(std::vector<std::int32_t> kept);

  // Each release pays mu, and states its noise. `clip` is a public norm that contributions are
  // clipped to, or one of the rules kUnitNorm and by_length(f) (moments/document_moments.h).
  Released<Noisy<Vector>> first_moment(double clip, double mu);
  Released<Noisy<Matrix>> second_moment(double clip, double mu);
  Released<Noisy<SymmetricTensor>> third_moment(const Matrix& orthonormal, double clip, double mu);
  // Topics are V x k, row by row. The counts of word w are multiplied by scale[w] before they are
  // scaled and noise is added; the released counts still contain this factor.
  Released<Noisy<RowMatrix>> expected_counts(const RowMatrix& topics, const Vector& alpha,
                                             int rounds, const Vector& word_scale, double mu);

 private:
  double scale() const { return 1 / static_cast<double>(shape_.documents); }
  double depth() const;
  double third_error(double q) const;

  PublicCorpusShape shape_;
  PrivateRun& run_;
  Documents documents_;
};

}  // namespace sotto
