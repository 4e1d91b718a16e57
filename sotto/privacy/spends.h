// Lists of costs: checks, a canonical order, and simple totals.
#pragma once

#include <span>
#include <vector>

#include "sotto/privacy/release_record.h"

namespace sotto {

// Refuses counts below 1 and costs that are not finite and positive (a cost of zero is allowed).
void require_spends(std::span<const Spend> spends);

// The same releases in one order: all Gaussian costs merged into one (GDP is exact for them), equal
// costs joined, free ones dropped. Sampling at rate 1, or with so little noise that sampling is not
// worth accounting for, counts as a plain Gaussian release, which dominates it.
std::vector<Spend> canonical(std::span<const Spend> spends);

// epsilon of a pure cost, 0 for others.
double pure_epsilon(const Cost& cost);

bool any_sampled(std::span<const Spend> spends);

// sum of count * epsilon if all costs are pure, else NaN.
double basic_pure_epsilon(std::span<const Spend> spends);

// mu of a list of Gaussian costs, else NaN; whole_mu also takes sampled ones, as if not sampled.
double gaussian_mu(std::span<const Spend> spends);
double whole_mu(std::span<const Spend> spends);

}  // namespace sotto
