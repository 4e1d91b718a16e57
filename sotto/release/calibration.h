// Noise from a target: how much a Gaussian release must carry so that, with everything that
// precision costs, the certificate never says more than was asked for.
//
// Everything here is computed from public numbers, before the data is seen. Note: private_power.md.
#pragma once

#include <cstdint>

#include "sotto/privacy/budget.h"
#include "sotto/privacy/release_record.h"
#include "sotto/release/plan.h"

namespace sotto {

// Where a run asks for pure epsilon, the sampler's truncated tails still cost a delta: this much
// covers them.
constexpr double kTailDelta = 1e-200;

// mu that each of `releases` Gaussian releases may cost when together they hold `values` numbers.
// The charges of the finite-precision sampler are set aside first; what is left is exact GDP.
double affordable_mu(const PrivacyTarget& target, std::int64_t releases, std::int64_t values);

// epsilon that Laplace releases of `values` numbers may cost together, their precision set aside.
double affordable_epsilon(const PrivacyTarget& target, std::int64_t values);

// Refuses, before anything is drawn, a release whose truncated tails cost more than all of delta: a
// certificate could only say "none" of it.
void require_payable(const ReleaseRecord& record, const PrivacyTarget& target);

// What a release must hide. `bound` is sensitivity plus twice the rounding error of the values;
// `spread` is the square root of the number of values the grid moves; `grid_divisor` how many times
// smaller than the standard deviation the smallest noise under the grid is.
struct HiddenBlock {
  double bound = 0;
  double spread = 0;
  double grid_divisor = 1;
};

// The smallest standard deviation with (bound + grid step * spread) / deviation <= mu.
double deviation_for(const HiddenBlock& block, double mu);

}  // namespace sotto
