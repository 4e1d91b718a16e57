// How many components a CP model should have: a range is fitted, and two measures decide.
//
// Held-out entries: a tenth of the known entries is left out of a second fit and predicted by it.
// `by_held_out` is the smallest number of components whose error is within one standard error of
// the smallest. Core consistency: a number of components above the true one breaks the CP
// structure, which shows long before the error does. Chosen is the largest number up to
// `by_held_out` with a core consistency of 50 % or more; where there is none, `by_held_out` itself.
// A sparse tensor whose other entries are 0 has no entries to hold out: there core consistency
// decides alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sotto/decompose/cp.h"

namespace SOTTO_API sotto {

struct RankTrial {
  Index components = 0;
  double fit = 0;
  std::optional<double> core_consistency;
  std::optional<double> held_out;        // root mean square error
  std::optional<double> standard_error;  // of its square
  bool degenerate = false;
};

struct RankChoice {
  Index components = 0;
  std::vector<RankTrial> trials;
  std::string why;  // one sentence
  CpFit fit;        // of the number chosen
};

// Fits 1 to `most` components; `options.components` is not read.
RankChoice choose_components(const AnyTensor& tensor, const CpOptions& options, Index most,
                             const ProgressCallback& progress = {});

}  // namespace sotto
