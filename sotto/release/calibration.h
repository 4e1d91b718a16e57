// Noise from a target: how much noise a Gaussian release needs so that, with the cost of finite
// precision, the certificate never states more than the target.
//
// Everything here is computed from public numbers, before the data is seen. Note: private_power.md.
#pragma once

#include <cstdint>

#include "sotto/privacy/budget.h"
#include "sotto/privacy/release_record.h"
#include "sotto/release/plan.h"

namespace sotto {

// A run that asks for pure epsilon still pays a delta for the sampler's truncated tails. This much
// covers them.
constexpr double kTailDelta = 1e-200;

// The mu that each of `releases` Gaussian releases may cost when together they hold `values`
// numbers. The charges of the finite-precision sampler are set aside first; the rest is exact GDP.
double affordable_mu(const PrivacyTarget& target, std::int64_t releases, std::int64_t values);

// The epsilon that Laplace releases of `values` numbers may cost together, with the charges of
// their precision set aside.
double affordable_epsilon(const PrivacyTarget& target, std::int64_t values);

// Refuses, before anything is drawn, a release whose truncated tails cost more than all of delta.
// Its certificate could only say "none".
void require_payable(const ReleaseRecord& record, const PrivacyTarget& target);

// What a release must hide. `bound` is the sensitivity plus twice the rounding error of the values.
// `spread` is the square root of the number of values that the grid moves. `grid_divisor` is the
// standard deviation over the smallest noise on the grid.
struct HiddenBlock {
  double bound = 0;
  double spread = 0;
  double grid_divisor = 1;
};

// The smallest standard deviation with (bound + grid step * spread) / deviation <= mu.
double deviation_for(const HiddenBlock& block, double mu);

}  // namespace sotto
