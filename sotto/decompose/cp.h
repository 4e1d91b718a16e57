// CP (PARAFAC) of a tensor of order 3 to 8: all factors fitted jointly to the least squares.
//
//   minimise |X - sum_r w_r a^1_r (x) a^2_r (x) ..|^2  over the observed entries
//
// Several starts, the leading singular vectors of the unfoldings and random ones. Each runs through
// alternating least squares with extrapolation (cp_als.h) and, where all entries are known and any
// sign is allowed, Gauss-Newton steps (cp_newton.h). The best start is kept.
// A dense tensor whose core is much smaller is compressed first (Bro & Andersson 1998): starts work
// on the core X x_m U_m^T of bases from a sketch (tensor/sketched_bases.h), and only the best is
// polished on the tensor itself, so that compression costs no accuracy. Non-negative factors keep
// their full size on the way (Cohen, Comon & Luciani 2015).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sotto/base/export.h"
#include "sotto/base/progress.h"
#include "sotto/decompose/cp_model.h"
#include "sotto/decompose/fit_measures.h"
#include "sotto/decompose/result.h"
#include "sotto/tensor/sparse_tensor.h"

namespace SOTTO_API sotto {

struct CpOptions {
  std::int64_t components = 0;
  std::int64_t starts = 8;
  std::int64_t iterations = 500;  // on the tensor itself, for the start that is kept
  double tolerance = 1e-9;        // relative decrease of the squared error; 0: all iterations
  std::int64_t seed = 0;
  bool non_negative = false;
  bool negative_entries = false;  // of noise, for a non-negative model: taken as they are
  bool missing = false;           // NaN, and what a sparse tensor does not list, are unknown
  bool compress = true;           // where it pays
  bool newton = true;             // where it applies; else alternating least squares to the end
};

// Two components that nearly cancel each other: the product of their cosines over all modes is
// below -0.9, and their weights grow without bound. No best fit of this rank may exist.
struct DegeneratePair {
  Index first, second;
  double congruence;
};

struct CpFit {
  Decomposition found;  // agreement: share of the starts with a component of congruence >= 0.99
  FitMeasures measures;
  Vector start_congruence;  // of each component with its match in the other starts, the mean
  std::optional<double> core_consistency;  // in percent; none where it cannot be computed
  std::vector<DegeneratePair> degenerate;
  std::vector<double> start_errors;   // relative error that each start reached
  std::vector<double> error_history;  // relative error after each iteration of the start kept
};

// Refuses: order below 3 or above 8, a mode of one row, more components than the tensor allows, NaN
// where none may be, a tensor without a known entry, negative entries for a non-negative model
// unless `negative_entries`.
CpFit fit_cp(const AnyTensor& tensor, const CpOptions& options,
             const ProgressCallback& progress = {});

// From given factors instead of starts: the local optimum that they lead to.
CpFit refine_cp(const AnyTensor& tensor, const Factors& start, const CpOptions& options);

// The number of components above which no tensor of this shape needs more.
Index most_components(const std::vector<Index>& dims);

}  // namespace sotto
