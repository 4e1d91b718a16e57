#include "sotto/decompose/power.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/decompose/block.h"
#include "sotto/decompose/deflation.h"
#include "sotto/linalg/spectral.h"

namespace sotto {
namespace {

// A block of columns that iterate until they converge; vectors have one entry per column.
struct Iterated {
  Matrix block;
  std::vector<int> steps;  // taken by each column until it moved less than the tolerance
  std::vector<bool> converged;
  bool stopped = false;
};

struct Run {
  const PowerOptions& options;
  const ProgressCallback& progress;
  std::vector<HistoryPoint>& history;
  Index component;
  std::int64_t total_steps;

  bool report(int iteration) const {
    const std::string stage = fmt::format("component {} of {}", component + 1, options.components);
    return report_progress(
        progress, {stage.c_str(), component * options.iterations + iteration, total_steps});
  }
};

Matrix select_columns(const Matrix& m, const std::vector<Index>& columns) {
  Matrix selected(m.rows(), static_cast<Index>(columns.size()));
  for (std::size_t c = 0; c < columns.size(); ++c) {
    selected.col(static_cast<Index>(c)) = m.col(columns[c]);
  }
  return selected;
}

// u <- T(I,u,..,u)/|.| on all columns. Columns that have stopped moving leave the product.
Iterated iterate(SymmetricOracle& oracle, Matrix block, std::int64_t limit, const Run& run) {
  const Index columns = block.cols();
  Iterated result{std::move(block), std::vector<int>(columns, 0), std::vector<bool>(columns),
                  false};
  std::vector<Index> active(static_cast<std::size_t>(columns));
  for (Index l = 0; l < columns; ++l) active[static_cast<std::size_t>(l)] = l;
  for (int t = 1; t <= limit && !active.empty(); ++t) {
    if (!run.report(t)) {
      result.stopped = true;
      break;
    }
    const Matrix before = select_columns(result.block, active);
    const Matrix after = unit_columns(oracle.contract(before), before);
    const Vector moved = movement(after, before);
    run.history.push_back({run.component, t, moved.maxCoeff(), static_cast<Index>(active.size())});
    std::vector<Index> still_active;
    for (std::size_t a = 0; a < active.size(); ++a) {
      const auto column = static_cast<std::size_t>(active[a]);
      result.block.col(active[a]) = after.col(static_cast<Index>(a));
      result.steps[column] = t;
      const double left = moved[static_cast<Index>(a)];
      result.converged[column] = run.options.tolerance > 0 && left <= run.options.tolerance;
      if (!result.converged[column]) still_active.push_back(active[a]);
    }
    active = std::move(still_active);
  }
  return result;
}

// The start with the largest value. For even orders a weight may be negative.
Index best_start(const Vector& values, int order) {
  Index best = 0;
  if (order % 2 == 0) {
    values.cwiseAbs().maxCoeff(&best);
  } else {
    values.maxCoeff(&best);
  }
  return best;
}

Status unfinished(const PowerOptions& options) {
  return options.tolerance == 0 ? Status::completed : Status::iteration_limit;
}

Decomposition empty_result(Index dim, Index k, bool residuals) {
  Decomposition result;
  result.weights = Vector::Zero(k);
  result.factors = {Matrix::Zero(dim, k)};
  result.residuals = Vector::Zero(residuals ? k : 0);
  result.agreement = Vector::Zero(k);
  return result;
}

// Asks the oracle nothing more: no plan contains a question after the caller's stop.
Decomposition stopped(Decomposition result, Index found) {
  result.status = Status::stopped;
  result.keep_first(found);
  result.sort_by_weight();
  return result;
}

// One QR for each group of k columns.
Matrix orthonormal_groups(const Matrix& block, Index k) {
  Matrix result(block.rows(), block.cols());
  for (Index g = 0; g < block.cols() / k; ++g) {
    result.middleCols(g * k, k) = orthonormal_columns(block.middleCols(g * k, k));
  }
  return result;
}

// The number of groups whose set of vectors equals that of the chosen group.
Vector group_agreement(const Matrix& block, const Matrix& chosen) {
  const Index k = chosen.cols();
  Vector share = Vector::Zero(k);
  const Index groups = block.cols() / k;
  for (Index g = 0; g < groups; ++g) {
    const Matrix cosines = (block.middleCols(g * k, k).transpose() * chosen).cwiseAbs();
    share += (cosines.colwise().maxCoeff().array() >= 0.999).cast<double>().matrix().transpose();
  }
  return share / static_cast<double>(groups);
}

}  // namespace

OptionTable PowerOptions::table() {
  return OptionTable()
      .integer("starts", 'L', starts, {1, 1000000},
               "random starts for each component; of all components together for cp")
      .integer("iterations", 'R', iterations, {1, 1000000},
               "power iterations for each component; sweeps or steps for cp and tucker")
      .integer("polish", 0, polish, {0, 1000000}, "more iterations for the chosen start")
      .real("tolerance", 0, tolerance, {0, 1},
            "a vector that moves less than this has converged; cp and tucker: the squared "
            "error decreases by less than this share")
      .integer("seed", 0, seed, {0, std::numeric_limits<std::int64_t>::max()},
               "seed of the random starts");
}

void PowerOptions::check(Index dim) const {
  SOTTO_REQUIRE_AT(components >= 1, "`components`", "must be at least 1, got {}", components);
  SOTTO_REQUIRE_AT(components <= dim, "`components`",
                   "cannot exceed the dimension {} of the tensor, got {}", dim, components);
  SOTTO_REQUIRE_AT(starts >= 1, "`starts`", "must be at least 1, got {}", starts);
  SOTTO_REQUIRE_AT(iterations >= 1, "`iterations`", "must be at least 1, got {}", iterations);
  SOTTO_REQUIRE_AT(polish >= 0, "`polish`", "must be at least 0, got {}", polish);
  SOTTO_REQUIRE_AT(tolerance >= 0, "`tolerance`", "must be at least 0, got {}", tolerance);
}

Decomposition robust_power_method(SymmetricOracle& oracle, const PowerOptions& options,
                                  const ProgressCallback& progress) {
  options.check(oracle.dim());
  const Index k = options.components;
  Decomposition result = empty_result(oracle.dim(), k, options.residuals);
  DeflatedOracle deflated(oracle);
  SeededRandom random(static_cast<std::uint64_t>(options.seed));
  for (Index j = 0; j < k; ++j) {
    const Run run{options, progress, result.history, j, k * options.iterations};
    const Matrix starts = random_unit_block(oracle.dim(), options.starts, random);
    const Iterated ended = iterate(deflated, starts, options.iterations, run);
    if (ended.stopped) return stopped(std::move(result), j);
    const Vector values = deflated.values(ended.block);
    const Index best = best_start(values, oracle.order());
    Vector v = ended.block.col(best);
    double weight = values[best];
    bool finished = ended.converged[best];
    int steps = ended.steps[best];
    if (!finished && options.polish > 0) {
      const Iterated polished = iterate(deflated, v, options.polish, run);
      if (polished.stopped) return stopped(std::move(result), j);
      v = polished.block.col(0);
      weight = deflated.values(v)[0];
      finished = polished.converged[0];
      steps += polished.steps[0];
    }
    result.weights[j] = weight;
    result.factors[0].col(j) = v;
    if (options.residuals) result.residuals[j] = (deflated.contract(v) - weight * v).norm();
    result.agreement[j] = agreement(ended.block, v);
    result.iterations.push_back(steps);
    if (!finished) result.status = unfinished(options);
    deflated.deflate(weight, v);
  }
  result.sort_by_weight();
  return result;
}

Decomposition simultaneous_power_method(SymmetricOracle& oracle, const PowerOptions& options,
                                        const ProgressCallback& progress) {
  options.check(oracle.dim());
  const Index k = options.components;
  Decomposition result = empty_result(oracle.dim(), k, options.residuals);
  SeededRandom random(static_cast<std::uint64_t>(options.seed));
  Matrix block = orthonormal_groups(random_unit_block(oracle.dim(), k * options.starts, random), k);
  Vector moved;
  int t = 0;
  do {
    ++t;
    if (!report_progress(progress, {"all components", t, options.iterations})) {
      return stopped(std::move(result), 0);
    }
    const Matrix next = orthonormal_groups(oracle.contract(block), k);
    moved = movement(next, block);
    result.history.push_back({0, t, moved.maxCoeff(), block.cols()});
    block = next;
  } while (t < options.iterations &&
           (options.tolerance == 0 || moved.maxCoeff() > options.tolerance));

  const Vector values = oracle.values(block);
  Index best = 0;
  values.cwiseAbs().reshaped(k, options.starts).colwise().sum().maxCoeff(&best);
  const Matrix chosen = block.middleCols(best * k, k);
  result.weights = values.segment(best * k, k);
  result.factors[0] = chosen;
  if (options.residuals) {
    const Matrix left = oracle.contract(chosen) - chosen * result.weights.asDiagonal();
    result.residuals = left.colwise().norm().transpose();
  }
  result.agreement = group_agreement(block, chosen);
  result.iterations.assign(static_cast<std::size_t>(k), t);
  if (options.tolerance == 0 || moved.segment(best * k, k).maxCoeff() > options.tolerance) {
    result.status = unfinished(options);
  }
  result.sort_by_weight();
  return result;
}

}  // namespace sotto
