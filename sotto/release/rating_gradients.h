// Noisy gradients over Poisson samples of ratings, unit: one value, positions public.
//
// Differentially private stochastic gradients (Abadi et al. 2016): each step draws a secret sample
// of the entries, adds their gradients, each clipped to norm `clip` over all parameters jointly,
// and releases the sum with Gaussian noise on every parameter. Neighbours withdraw one value or put
// one in; rate, steps and clip are fixed in advance, and the account is the PLD of the subsampled
// Gaussian mechanism. Why rows outside the sample need noise too: rating_gradients.md, the proof.
// Cost of a step: sample * coefficients, and the noise of all parameters.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sotto/linalg/matrix.h"
#include "sotto/privacy/subsampled_gaussian.h"
#include "sotto/release/calibration.h"
#include "sotto/release/private_run.h"
#include "sotto/release/rating_sums.h"

namespace sotto {

// The public numbers of a run.
struct GradientPlan {
  PrivacyTarget target;
  ValueBounds bounds;
  double rate = 0.2;  // share of the entries in a step
  std::int64_t steps = 50;
  double clip = 1;
  std::int64_t numbers = 1;       // parameters
  std::int64_t coefficients = 1;  // cap on the parameters that an entry touches
  std::int64_t ratings = 0;       // their number, by which delta is judged; 0: not given
  double multiplier = 0;          // of the noise; 0: computed from the target
};

// The least noise multiplier with which all steps stay within the target, their precision included.
// plan.ratings must be set. Takes a good part of a second, so a plan may keep it.
double noise_multiplier(const GradientPlan& plan);

struct Coefficient {
  Index number;
  double value;
};

// The prediction for an entry, and its derivative with respect to the parameters that it touches,
// no parameter twice. A function of positions, options and earlier steps.
struct Linearised {
  double predicted = 0;
  std::vector<Coefficient> direction;
};
using Linearise = std::function<void(Index entry, Linearised& out)>;

PrivacyStatement gradient_statement(const GradientPlan& plan);

// All steps, as in a plan. plan.ratings must be set.
PlannedRelease planned_gradients(const GradientPlan& plan);

class RatingGradients {
 public:
  // The run must outlive this object. It is charged for all steps at once, before the first.
  RatingGradients(RatingValues values, const GradientPlan& plan, PrivateRun& run);

  // Standard deviation of the noise in a number.
  double deviation() const { return mechanism_.record().noise; }

  // The sum over the sample of (value - predicted) * direction, clipped and noisy. Refused after
  // the last step of the plan.
  Released<Noisy<Vector>> step(const Linearise& linearise);

 private:
  Vector gradient(std::span<const std::size_t> sample, const Linearise& linearise) const;

  GradientPlan plan_;
  std::vector<double> values_;
  SubsampledGaussianMechanism mechanism_;
  PlannedReleases steps_;
};

}  // namespace sotto
