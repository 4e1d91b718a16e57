// Completion as published by Wei et al. 2022: stochastic gradients on objectives (6) and (7), with
// noise on the input (Algorithm 1), on the gradients of the third mode (Algorithm 2) or on its
// factor at the end (Algorithm 3). For reproduction and comparison, order 3.
//
// Values are scaled to [0, 1] by the public range. Each entry of a fresh permutation makes one
// step:
//   a <- a - step (-2 e dx^/da + 2 lambda a), b, c and the Tucker core likewise, at the same point.
//
// Privacy. Input: proved; what follows the noise is post-processing. Gradient and output: none. The
// data moves the factors of the first two modes and the core without noise, and these are released
// as they are. docs/published-claims.md explains why this is a fault, and the tests read a rating
// off the factors. The certificate shows the claimed epsilon beside what the drawn noise amounts
// to.
// Cost: about 150 ns per entry and epoch. Gradient perturbation draws one vector of noise per entry
// and costs about twice as much.
#pragma once

#include <cstdint>

#include "sotto/complete/fit/fit.h"
#include "sotto/release/privacy_options.h"
#include "sotto/release/rating_sums.h"
#include "sotto/tensor/ratings.h"

namespace sotto {

struct PublishedSettings {
  LowRank kind = LowRank::cp;
  Index rank = 3;
  double lambda = 0.01;
  double core_lambda = 0.001;
  double step = 0.005;
  Index epochs = 100;
  double clip = 1;  // m of Algorithm 2, L of Algorithm 3
  std::uint64_t seed = 0;
};

// The paper's settings for MovieLens.
PublishedSettings published_defaults(LowRank kind);

// The claim for the certificate, made before the run.
PrivacyClaim published_claim(double epsilon);

// What this method releases under the settings of the run. `where`: input, gradient or output.
PlannedRelease planned_release(const PublishedSettings& settings, Perturbation where,
                               const RatingPlan& plan, const RatingShape& shape);

struct PublishedFit {
  CompletionModel model;
  FitStatus status = FitStatus::completed;  // or diverged
};

// Runs the method and adds its noise and its denials to the certificate. Does not look at the
// values in `positions`.
PublishedFit fit_published(const ObservedEntries& positions, RatingValues values,
                           const RatingPlan& plan, Perturbation where,
                           const PublishedSettings& settings, PrivateRun& run);

}  // namespace sotto
