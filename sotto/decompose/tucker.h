// Tucker models of a tensor of order 3 to 8: X^ = G x_1 U_1 x_2 U_2 .., a core of chosen ranks and
// a factor for each mode.
//
// Least squares: truncated HOSVD to start (each mode on what the modes before it have left;
// Vannieuwenhoven et al. 2012), then higher-order orthogonal iteration (HOOI, De Lathauwer et al.
// 2000): mode after mode, the leading singular vectors of X contracted with all other factors. Two
// passes over a dense tensor a sweep; sparse tensors contract entry by entry and start from random
// bases. A large dense tensor is first fitted in few dimensions a mode, which three passes find
// (tensor/sketched_bases.h): sweeps there cost little, and mostly two are left for the tensor
// itself. Non-negative: coordinate descent (HALS) on factors, accelerated projected gradients on
// the core. Missing entries: the observed least squares are majorised, in each sweep, by the full
// ones with the model's values at missing places. The error over the observed entries falls in
// every sweep, and where it stops no missing place counts.
#pragma once

#include <cstdint>
#include <vector>

#include "sotto/base/export.h"
#include "sotto/base/progress.h"
#include "sotto/decompose/cp_model.h"
#include "sotto/decompose/fit_measures.h"
#include "sotto/decompose/result.h"
#include "sotto/tensor/sparse_tensor.h"

namespace SOTTO_API sotto {

struct TuckerOptions {
  std::vector<Index> ranks;  // one a mode
  std::int64_t iterations = 200;
  double tolerance = 1e-9;  // relative decrease of the squared error; 0: all iterations
  std::int64_t seed = 0;
  bool non_negative = false;
  bool negative_entries = false;  // of noise, for a non-negative model: taken as they are
  bool missing = false;           // NaN are unknown; dense tensors only
};

struct TuckerFit {
  DenseTensor core;
  Factors factors;  // orthonormal columns; non-negative ones have unit columns
  FitMeasures measures;
  int iterations = 0;
  Status status = Status::converged;
  std::vector<double> error_history;  // relative error after each sweep
};

// Refuses what fit_cp refuses, and ranks that the tensor cannot have: r_m <= d_m and r_m at most
// the product of the other ranks.
TuckerFit fit_tucker(const AnyTensor& tensor, const TuckerOptions& options,
                     const ProgressCallback& progress = {});

// From given factors instead of a start: sweeps over the tensor itself. Their ranks are those of
// the model; a least-squares fit makes their columns orthonormal.
TuckerFit refine_tucker(const AnyTensor& tensor, const Factors& start, TuckerOptions options);

// The refusal of such ranks alone.
void check_tucker_ranks(const std::vector<Index>& dims, const std::vector<Index>& ranks);

}  // namespace sotto
