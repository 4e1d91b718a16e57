// The robust tensor power method (Wang & Anandkumar 2016, Algorithm 1; Anandkumar et al. 2014).
//
// For each of k components, L random unit starts are iterated together as one block by u <-
// T(I,u,..,u)/|.|. The start with the largest T(u,..,u) is kept, polished and deflated. The tensor
// is never rewritten: deflation subtracts sum_j lambda_j v_j (v_j.u)^(p-1) from each answer.
//
// Columns that have converged leave the block. With tolerance 0 no column does. If nothing is
// polished and no residuals are wanted either, each component asks the oracle for exactly
// `iterations` blocks of products and one of values; an oracle that charges for its answers needs
// this. Order 3 turns negative weights into positive ones (v -> -v); order 4 finds weights by
// absolute value.
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
  bool residuals = true;  // diagnostics; cost one more product per component

  OptionTable table();  // without the number of components
  // Refuses options that are impossible in this dimension.
  void check(Index dim) const;
};

Decomposition robust_power_method(SymmetricOracle& oracle, const PowerOptions& options,
                                  const ProgressCallback& progress = {});

// Finds all k vectors at once, with a QR factorisation in each step. `starts` independent groups of
// k vectors run side by side in one block; the group with the largest sum of |weights| is kept.
// There is no deflation, so errors do not build up from one component to the next.
Decomposition simultaneous_power_method(SymmetricOracle& oracle, const PowerOptions& options,
                                        const ProgressCallback& progress = {});

}  // namespace sotto
