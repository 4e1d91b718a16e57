// Noise after whitening, as published: the private power method as Imtiaz & Sarwate 2018 ran it
// (dp-tpm), and configurations 2, 3 and 4 of Esmaeili & Huang 2018. For comparison only.
//
// W and (W^T)^+ come from the k leading singular pairs of M2, T = M3(W,W,W), T = sum lambda_i
// v_i^(x)3. Noise goes on
// - power:      every product of the power method on T, nu |u|_inf^2 with 2 for 6; none on M2
// - tensor:     configuration 2: T (their edge e6), and M2 for (W^T)^+ (e8)
// - components: configuration 3: every v_i and lambda_i (e7), and M2 for (W^T)^+ (e8)
// - topics:     configuration 4: every topic and its weight (e9)
// with s(e, d) = sqrt(2 ln(1.25/d))/e, epsilon and delta in halves where there are two edges, and
// the paper's sensitivities (Theorems G.3 to G.8). Topics are scaled to sum to one in the end, so
// the paper's factor 1/sqrt(a0 (a0+1)), which multiplies both topic and sensitivity, is left out.
//
// Privacy: none, and the certificate says why: scales are read off the data and bounds are about
// other quantities than those released (published_whitened.md). The conditions of the theorems are
// evaluated on the data, too.
// Cost: that of dense_topic_moments; more than 500 words are refused.
#pragma once

#include <string>
#include <vector>

#include "sotto/base/sensitive.h"
#include "sotto/decompose/power.h"
#include "sotto/release/published_moments.h"
#include "sotto/tensor/corpus.h"
#include "sotto/tensor/symmetric_tensor.h"

namespace sotto {

// The k leading singular pairs of a symmetric matrix, M2 ~ U S U^T. Signs of the columns are chosen
// so that their sums are not negative. Refuses a matrix of smaller rank.
struct SingularWhitening {
  Vector singular;  // k + 1 of them, the last for the gap; 0 when the matrix has no more than k
  Matrix whiten;    // W = U S^(-1/2)
  Matrix unwhiten;  // (W^T)^+ = U S^(1/2)
};
SingularWhitening singular_whitening(const Matrix& second, Index k);

// Topics before they are made distributions, and their Dirichlet parameters (a0 = 0: shares).
struct RawTopics {
  Matrix columns;
  Vector alpha;
};
RawTopics unwhiten_topics(const Vector& lambda, const Matrix& vectors, const Matrix& unwhiten,
                          double alpha0);

enum class WhitenedNoise { power, tensor, components, topics };

struct WhitenedRelease {
  RawTopics topics;
  std::vector<PublishedCondition> conditions;
};

// `power` decomposes T: components, starts, iterations and seed are read.
Released<WhitenedRelease> release_whitened(const Sensitive<Corpus>& corpus, WhitenedNoise noise,
                                           const PublishedSetting& setting,
                                           const PowerOptions& power, PrivateRun& run);

// What it releases. The noise is unknown where it is read off the data.
std::vector<PlannedRelease> plan_whitened(const PublicCorpusShape& shape, WhitenedNoise noise,
                                          const PublishedSetting& setting,
                                          const PowerOptions& power);

// Theorem G.6: the sensitivity of T in Frobenius norm, as claimed. `singular` as in
// SingularWhitening.
double esmaeili_tensor_sensitivity(Index documents, double alpha0, const Vector& singular);

}  // namespace sotto
