// The privacy loss distribution accountant: a fixed list of releases of any kind, composed by FFT.
//
// Never below the exact epsilon, and close to it: each loss is put on a grid so that the grid
// dominates it, tilted to where delta is decided, and composed with every error bounded and charged
// (pld.md). For lists fixed in advance only: an adaptive sequence is bounded by GDP or zCDP
// (budget.h). Subsampled releases are accounted for removing and for adding a record, and the worse
// counts. Cost: 5 to 60 ms a kind of release, whatever the count.
#pragma once

#include <span>
#include <string>

#include "sotto/privacy/release_record.h"

namespace sotto {

// An epsilon, and the rule that gave it: basic, gdp, rdp or pld.
struct BestBound {
  double epsilon;
  std::string rule;
};

// The PLD account, or one of the bounds that hold as well (RDP; the plain sum for pure costs; GDP
// where only Gaussian costs, sampled or not, are involved), whichever is smallest.
BestBound best_bound(std::span<const Spend> spends, double delta);
double pld_epsilon(std::span<const Spend> spends, double delta);

// The discretised account alone, also for purely Gaussian lists; infinite where no grid resolves
// it.
double pld_epsilon_by_grid(std::span<const Spend> spends, double delta);

}  // namespace sotto
