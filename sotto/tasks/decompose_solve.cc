#include "sotto/tasks/decompose_solve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/decompose/alternating.h"
#include "sotto/decompose/shifted_power.h"
#include "sotto/decompose/whitening.h"
#include "sotto/io/npy.h"
#include "sotto/linalg/gemm.h"
#include "sotto/linalg/spectral.h"
#include "sotto/tasks/decompose_plan.h"
#include "sotto/tensor/mode_oracles.h"
#include "sotto/tensor/oracle.h"

namespace sotto {
namespace {

Matrix read_moment(const std::string& path, Index dim) {
  const DenseTensor moment = read_npy(path);
  SOTTO_REQUIRE_AT(moment.order() == 2 && moment.dims()[0] == dim && moment.dims()[1] == dim, path,
                   "expected a {} x {} matrix, got {}", dim, dim, shape_text(moment.dims()));
  SOTTO_REQUIRE_AT(!moment.has_nonfinite(), path, "has NaN or infinite entries");
  return Eigen::Map<const Matrix>(moment.values().data(), dim, dim);
}

Decomposition whitened(const SymmetricTensor& tensor, const DecomposeTask& task,
                       const PowerOptions& power, const ProgressCallback& progress) {
  power.check(tensor.dim());
  const Whitening whitening =
      task.whiten_with.empty()
          ? whitening_from_tensor(tensor, power.components, static_cast<std::uint64_t>(power.seed))
          : whitening_from_moment(read_moment(task.whiten_with, tensor.dim()), power.components);
  return whitened_power_method(tensor, whitening, power, progress);
}

// The k eigenpairs of largest |lambda| that the starts reached.
Decomposition leading_eigenpairs_of(SymmetricOracle& oracle, const PowerOptions& power,
                                    const ProgressCallback& progress) {
  power.check(oracle.dim());
  EigenpairOptions options;
  options.starts = power.starts;
  options.iterations = power.iterations;
  options.tolerance = power.tolerance;
  options.seed = power.seed;
  Decomposition found = eigenpairs(oracle, options, progress);
  found.keep_first(std::min<Index>(power.components, found.weights.size()));
  return found;
}

// ---- how well components found one by one fit ----

// |T - sum_j w_j v_j (x) ..|^2 from the grams of the components and T(v_j, ..).
double squared_error_of(double squared_norm, const Vector& values, const Matrix& gram,
                        const Vector& weights) {
  return squared_norm - 2 * weights.dot(values) + weights.dot(gram * weights);
}

Index entry_count(const std::vector<Index>& dims) {
  double count = 1;
  for (const Index d : dims) count *= static_cast<double>(d);
  return static_cast<Index>(std::min(count, 9e18));
}

// Components that were found one after the other fit a tensor when they are orthogonal. Where
// others fit better with the same directions, or the directions lie close, it is said.
void judge_deflation(double squared_norm, const Vector& values, const Matrix& gram,
                     DecomposeResult& result) {
  if (result.found.weights.size() == 0 || !(squared_norm > 0)) return;
  const Vector& weights = result.found.weights;
  const double deflated = std::max(0.0, squared_error_of(squared_norm, values, gram, weights));
  const Vector refitted = solve_semidefinite(gram, values);
  const double joint = std::max(0.0, squared_error_of(squared_norm, values, gram, refitted));
  result.measures = FitMeasures{deflated, squared_norm, entry_count(result.dims)};
  Matrix cosines = gram.cwiseAbs();
  cosines.diagonal().setZero();
  constexpr double kNoticeable = 0.01;  // of |T|
  const double relative = result.measures->relative_error();
  const bool weights_differ = relative - std::sqrt(joint / squared_norm) > kNoticeable;
  const bool close = cosines.maxCoeff() > kNoticeable && relative > kNoticeable;
  if (!weights_differ && !close) return;
  result.advice = fmt::format(
      "the components are not orthogonal: found one after the other they have a relative error of "
      "{:.3g}, with weights fitted jointly {:.3g}; `method` cp fits all factors jointly",
      relative, std::sqrt(joint / squared_norm));
}

}  // namespace

Decomposition solve(const SymmetricInput& input, const DecomposeTask& task,
                    const PowerOptions& power, const ProgressCallback& progress) {
  if (whitens(task)) return whitened(input.packed(""), task, power, progress);
  const auto oracle = input.oracle();
  if (task.method == TensorMethod::simultaneous) {
    return simultaneous_power_method(*oracle, power, progress);
  }
  if (task.method == TensorMethod::eigenpairs) {
    return leading_eigenpairs_of(*oracle, power, progress);
  }
  return robust_power_method(*oracle, power, progress);
}

DecomposeResult run_symmetric(const SymmetricInput& input, const DecomposeTask& task,
                              DecomposeResult result, const ProgressCallback& progress) {
  result.found = solve(input, task, task.power, progress);
  if (result.found.status == Status::stopped) return result;
  const Matrix& v = result.found.vectors();
  const auto order = static_cast<double>(result.dims.size());
  const Matrix gram = multiply_transposed(v, v).array().pow(order);
  if (task.method != TensorMethod::eigenpairs) {  // these are no model of the tensor
    judge_deflation(input.squared_norm(), input.oracle()->values(v), gram, result);
  }
  return result;
}

DecomposeResult run_alternating(const AnyTensor& tensor, const DecomposeTask& task,
                                DecomposeResult result, const ProgressCallback& progress) {
  const auto oracle = mode_oracle(tensor);
  result.found = alternating_power_method(*oracle, task.power, progress);
  if (result.found.status == Status::stopped) return result;
  const double squared_norm = std::visit(
      [](const auto& t) {
        return Eigen::Map<const Vector>(t.values().data(), std::ssize(t.values())).squaredNorm();
      },
      tensor);
  judge_deflation(squared_norm, oracle->values(result.found.factors),
                  gram_product(grams_of(result.found.factors)), result);
  return result;
}

}  // namespace sotto
