// The entry point of the accountants: what a list of releases costs, and how much noise a target
// needs.
//
// Every epsilon is an upper bound, and every noise is enough. Bad input (epsilon <= 0, delta
// outside (0, 1), a sampling rate above 1, a count below 1, NaN) throws Error with one line. delta
// = 0 is accepted where only pure costs are composed. These accounts are for lists fixed in
// advance; a sequence chosen during the run is limited by a Budget (budget.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sotto/privacy/pld.h"
#include "sotto/privacy/release_record.h"

namespace sotto {

// epsilon of `count` releases of sensitivity 1.
double account_gaussian(double noise_multiplier, std::int64_t count, double delta);
double account_laplace(double scale, std::int64_t count, double delta);
double account_subsampled(double noise_multiplier, double sampling_rate, std::int64_t count,
                          double delta);

// epsilon of any list, and the rule that gave it: the smallest of the bounds that hold. Exact for
// Gaussian costs.
BestBound account_by_rule(std::span<const Spend> spends, double delta);
double account(std::span<const Spend> spends, double delta);

// The least noise multiplier (Laplace: scale) for `count` releases of sensitivity 1.
double calibrate_gaussian(double epsilon, double delta, std::int64_t count);
double calibrate_laplace(double epsilon, double delta, std::int64_t count);
double calibrate_subsampled(double epsilon, double delta, double sampling_rate, std::int64_t count);

// What one accountant says of a list; epsilon is NaN where it does not apply, and note says why.
struct AccountLine {
  std::string accountant;
  double epsilon;
  std::string note;
};

// basic, advanced, zcdp, rdp, gdp, pld, in this order.
std::vector<AccountLine> compare(std::span<const Spend> spends, double delta);

}  // namespace sotto
