// Noise on every entry of the moments of documents, as published: AGN and AVN (Imtiaz & Sarwate
// 2018, Algorithm 1) and configuration 1 of Esmaeili & Huang 2018. For comparison; the strict
// releases of private_documents.h need far less noise.
//
// Neighbours replace one document; N documents and the vocabulary are public. With epsilon and
// delta split in halves, s(e, d) = sqrt(2 ln(1.25/d))/e and independent noise on the unique entries
// i <= j (<= k):
// - agn:      M2 and M3 Gaussian, deviation sqrt(2)/N s(epsilon/2, delta/2) each
// - avn:      M2 Gaussian, deviation sqrt(2)/N s(epsilon/2, delta); M3 of density
//             exp(-|b| (epsilon/2) N / sqrt(2))
// - esmaeili: M2 and M3 of latent Dirichlet allocation Gaussian, with the sensitivities of their
//             Theorems G.3 and G.4; one noisy M2 whitens and un-whitens (their section 5.1)
// The certificate shows what the papers claim, and what the noise costs by the proof of the same
// sensitivities in published_moments.md: guarantee proved.
// Cost: that of dense_topic_moments, O(V^3) numbers; more than 500 words are refused.
#pragma once

#include <vector>

#include "sotto/base/sensitive.h"
#include "sotto/moments/dense_moments.h"
#include "sotto/privacy/gaussian.h"
#include "sotto/release/calibration.h"
#include "sotto/release/private_documents.h"
#include "sotto/release/private_run.h"

namespace sotto {

enum class MomentNoise { agn, avn, esmaeili };

// sqrt(2 ln(1.25/delta)) / epsilon: the classical Gaussian mechanism, proved for epsilon < 1 only.
double classical_multiplier(const PrivacyTarget& target);

// Theorems G.3 and G.4 of Esmaeili & Huang 2018: in the sum of absolute values.
double esmaeili_second_sensitivity(Index documents, double alpha0);
double esmaeili_third_sensitivity(Index documents, double alpha0);

// The arguments of a published method.
struct PublishedSetting {
  double alpha0 = 0;  // 0: single topic
  PrivacyTarget target;
};

// agn and avn are for the single-topic model: alpha0 must be 0.
Released<DenseMoments> release_published_moments(const Sensitive<Corpus>& corpus, MomentNoise noise,
                                                 const PublishedSetting& setting, PrivateRun& run);
// What it releases.
std::vector<PlannedRelease> plan_published_moments(const PublicCorpusShape& shape,
                                                   MomentNoise noise,
                                                   const PublishedSetting& setting);

// A symmetric matrix with independent Gaussian noise of one deviation on its unique entries; its
// rounding error must be below dense_moments_error(documents).
GaussianMechanism published_second(const PublicCorpusShape& shape, double sensitivity,
                                   double deviation);
Released<Matrix> release_published_second(const Sensitive<Matrix>& second,
                                          const GaussianMechanism& mechanism, PrivateRun& run);

}  // namespace sotto
