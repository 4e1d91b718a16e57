#include "sotto/decompose/shifted_power.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/decompose/block.h"

namespace sotto {
namespace {

// All starts with their values and gradients T(I,x,..); sign = -1 turns minima into maxima.
struct Climb {
  Matrix x, gradient;
  Vector value, shift, residual;
  std::vector<int> steps;
  double scale = 0;  // of the tensor: the longest gradient at a start
};

Climb begin(SymmetricOracle& oracle, const Matrix& starts, double sign) {
  Climb c;
  c.x = starts;
  c.gradient = sign * oracle.contract(starts);
  c.value = column_dots(c.x, c.gradient);
  c.shift = Vector::Zero(starts.cols());
  c.residual = (c.gradient - c.x * c.value.asDiagonal()).colwise().norm().transpose();
  c.scale = c.gradient.colwise().norm().maxCoeff();
  c.steps.assign(static_cast<std::size_t>(starts.cols()), 0);
  return c;
}

bool converged(const Climb& c, Index l, double tolerance) {
  return c.residual[l] <= tolerance * c.scale;
}

// A step goes up when the value grows. Close to an eigenpair the value changes by the square of the
// residual, which is lost in rounding; there the residual must not grow instead.
bool goes_up(double value, double residual, double value_before, double residual_before) {
  const double rounding = 1e-14 * std::max(std::abs(value_before), residual_before);
  if (value > value_before + rounding) return true;
  return value >= value_before - rounding && residual <= residual_before;
}

// One trial step for the given columns. A step that does not go up is undone and the shift grows;
// the scale of the first shift is the length of the gradient.
void step(SymmetricOracle& oracle, Climb& c, const std::vector<Index>& active, double sign) {
  const Matrix before = c.x(Eigen::all, active);
  const Matrix shifted = c.gradient(Eigen::all, active) + before * c.shift(active).asDiagonal();
  const Matrix trial = unit_columns(shifted, before);
  const Matrix gradient = sign * oracle.contract(trial);
  const Vector value = column_dots(trial, gradient);
  for (std::size_t a = 0; a < active.size(); ++a) {
    const Index l = active[a];
    const auto at = static_cast<Index>(a);
    ++c.steps[static_cast<std::size_t>(l)];
    const double residual = (gradient.col(at) - value[at] * trial.col(at)).norm();
    if (!goes_up(value[at], residual, c.value[l], c.residual[l])) {
      c.shift[l] = std::max(2 * c.shift[l], 0.5 * c.gradient.col(l).norm());
      continue;
    }
    c.x.col(l) = trial.col(at);
    c.gradient.col(l) = gradient.col(at);
    c.value[l] = value[at];
    c.residual[l] = residual;
    c.shift[l] *= 0.9;
  }
}

Climb climb(SymmetricOracle& oracle, const EigenpairOptions& options, double sign,
            std::vector<HistoryPoint>& history, const ProgressCallback& progress, bool& stopped) {
  SeededRandom random(static_cast<std::uint64_t>(options.seed));
  Climb c = begin(oracle, random_unit_block(oracle.dim(), options.starts, random), sign);
  for (int t = 1; t <= options.iterations; ++t) {
    std::vector<Index> active;
    for (Index l = 0; l < c.x.cols(); ++l) {
      if (!converged(c, l, options.tolerance)) active.push_back(l);
    }
    if (active.empty()) break;
    if (!report_progress(progress, {"eigenpairs", t, options.iterations})) {
      stopped = true;
      break;
    }
    history.push_back({0, t, c.residual(active).maxCoeff(), static_cast<Index>(active.size())});
    step(oracle, c, active, sign);
  }
  return c;
}

void check(const EigenpairOptions& options) {
  SOTTO_REQUIRE_AT(options.starts >= 1, "`starts`", "must be at least 1, got {}", options.starts);
  SOTTO_REQUIRE_AT(options.iterations >= 1, "`iterations`", "must be at least 1, got {}",
                   options.iterations);
}

}  // namespace

Decomposition eigenpairs(SymmetricOracle& oracle, const EigenpairOptions& options,
                         const ProgressCallback& progress) {
  check(options);
  Decomposition result;
  const double sign = options.minima ? -1.0 : 1.0;
  bool stopped = false;
  Climb c = climb(oracle, options, sign, result.history, progress, stopped);
  std::vector<Index> found;
  std::vector<int> hits;
  for (Index l = 0; l < c.x.cols(); ++l) {
    if (!converged(c, l, options.tolerance)) {
      result.status = Status::iteration_limit;
      continue;
    }
    // x and -x are one eigenpair. For even orders both have the same value; for odd orders they are
    // never both maxima.
    const auto same = std::find_if(found.begin(), found.end(), [&](Index f) {
      return movement(c.x.col(f), c.x.col(l))[0] < 1e-4;
    });
    if (same == found.end()) {
      found.push_back(l);
      hits.push_back(1);
    } else {
      ++hits[static_cast<std::size_t>(same - found.begin())];
    }
  }
  if (stopped) result.status = Status::stopped;
  const auto k = static_cast<Index>(found.size());
  result.factors = {Matrix(c.x(Eigen::all, found))};
  result.weights = sign * c.value(found);
  result.residuals = c.residual(found);
  result.agreement.resize(k);
  for (Index j = 0; j < k; ++j) {
    const auto n = static_cast<std::size_t>(j);
    result.agreement[j] = hits[n] / static_cast<double>(options.starts);
    result.iterations.push_back(c.steps[static_cast<std::size_t>(found[n])]);
  }
  result.sort_by_weight();
  return result;
}

double operator_norm(SymmetricOracle& oracle, const EigenpairOptions& options) {
  check(options);
  std::vector<HistoryPoint> history;
  bool stopped = false;
  double norm = climb(oracle, options, 1.0, history, {}, stopped).value.maxCoeff();
  if (oracle.order() % 2 == 0) {
    norm = std::max(norm, climb(oracle, options, -1.0, history, {}, stopped).value.maxCoeff());
  }
  return std::max(norm, 0.0);
}

}  // namespace sotto
