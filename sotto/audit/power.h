// What a number of runs could have shown, at best (audit.md, 5).
#pragma once

#include <cstddef>

#include "sotto/audit/audit.h"
#include "sotto/audit/claims.h"
#include "sotto/audit/limits.h"

namespace sotto::audit {

// For a claim on the first `count` releases, with the best test there is against noise of its kind.
Power power_of(const Claims& claims, std::size_t count, const BinomialLimits& limits);

// The most that an event proves beyond a claim, and the delta at which it does so.
struct Excess {
  double epsilon = 0, delta = 0, claimed = 0;
  double beyond() const { return epsilon - claimed; }
};
Excess largest_excess(const Claims& claims, std::size_t count, double p, double q);

}  // namespace sotto::audit
