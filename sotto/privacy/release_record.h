// What one release costs, and what a certificate says about it, written by the mechanism that drew
// the noise.
//
// A mechanism owns its sampler, its cost and this record, so that what is shown, what is charged
// and what is added cannot come apart.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "sotto/base/export.h"

namespace SOTTO_API sotto {

// What one release costs, in the terms every accountant understands. Sensitivities are already
// divided out, so a cost is dimensionless.

// A Gaussian release of any dimension: mu = (L2 sensitivity) / (standard deviation).
struct GaussianCost {
  double mu;
};

// One number with Laplace noise: epsilon = sensitivity / scale.
struct LaplaceCost {
  double epsilon;
};

// Any mechanism that is epsilon-differentially private and of which nothing else is known.
struct PureCost {
  double epsilon;
};

// A Gaussian release computed on a Poisson sample of the records; neighbours add or remove one.
struct SubsampledGaussianCost {
  double noise_multiplier;
  double sampling_rate;
};

using Cost = std::variant<GaussianCost, LaplaceCost, PureCost, SubsampledGaussianCost>;

// The same cost paid `count` times.
struct Spend {
  Cost cost;
  std::int64_t count = 1;
};

// What a finite-precision sampler costs beyond the ideal mechanism that `cost` describes.
//
// If the ideal release is (e, d)-differentially private, the one that was made is
// (e + epsilon, exp(epsilon) d + delta). `epsilon` comes from multiplicative errors in the sampled
// law, `delta` from its truncated tails. Charges of successive releases add.
struct PrecisionCharge {
  double epsilon = 0;
  double delta = 0;
};

// What one record pays: the releases that read it.
struct RecordBill {
  std::vector<Spend> spends;
  PrecisionCharge precision;
};

struct ReleaseRecord {
  std::string what;        // in the user's words: "third moment", "iteration block"
  std::string mechanism;   // "gaussian", "laplace", ...
  double sensitivity = 0;  // as charged: with the rounding of the sums and of the grid included
  double noise = 0;        // standard deviation, or scale; of each value in isometric coordinates
  std::int64_t count = 1;  // how many such releases: each costs `cost` and `precision`
  Cost cost;
  PrecisionCharge precision;
  std::string note;
  std::int64_t values = 1;  // how many numbers one of them holds
};

}  // namespace sotto
