// What one release costs, in the terms every accountant understands.
//
// A mechanism states its cost next to the code that draws its noise; accountants only ever see
// costs. Sensitivities are already divided out, so a cost is dimensionless.
#pragma once

#include <cstdint>
#include <variant>

namespace sotto {

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

}  // namespace sotto
