// The robust tensor power method (Wang & Anandkumar 2016, Algorithm 1; Anandkumar et al. 2014).
//
// For each of k components: L random unit starts, iterated together as one block by
// u <- T(I,u,..,u)/|.|; the start with the largest T(u,..,u) is kept, polished, and deflated. The
// tensor is never rewritten: deflation subtracts sum_j lambda_j v_j (v_j.u)^(p-1) from each answer.
// Columns that have converged leave the block; with tolerance 0 none does, and the oracle is asked
// for exactly `iterations` blocks of products and one of values a component when nothing is
// polished and no residuals are wanted: what an oracle that charges for its answers needs. Order 3:
// one finds weights of either sign as positive weights (v -> -v); order 4 finds them by absolute
// value.
#pragma once

#include <array>
#include <cstdint>

#include "sotto/base/export.h"
#include "sotto/base/options.h"
#include "sotto/base/progress.h"
#include "sotto/decompose/result.h"

namespace SOTTO_API sotto {

class SymmetricOracle;

// One component after the other, or all at once.
enum class PowerForm { robust, simultaneous };
constexpr auto enum_names(PowerForm) {
  return std::to_array<EnumName<PowerForm>>(
      {{PowerForm::robust, "power"}, {PowerForm::simultaneous, "simultaneous"}});
}

struct PowerOptions {
  std::int64_t components = 0;
  std::int64_t starts = 32;
  std::int64_t iterations = 100;
  std::int64_t polish = 100;
  double tolerance = 1e-11;
  std::int64_t seed = 0;
  bool residuals = true;  // one more product a component, for the diagnostics

  OptionTable table();
  // Refuses what cannot be done for this dimension.
  void check(Index dim) const;
};

Decomposition robust_power_method(SymmetricOracle& oracle, const PowerOptions& options,
                                  const ProgressCallback& progress = {});

// All k vectors at once with a QR factorisation each step. `starts` independent groups of k vectors
// run side by side in one block; the group with the largest sum of |weights| is kept. No deflation,
// so errors do not build up from one component to the next.
Decomposition simultaneous_power_method(SymmetricOracle& oracle, const PowerOptions& options,
                                        const ProgressCallback& progress = {});

}  // namespace sotto
