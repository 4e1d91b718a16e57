#include "sotto/decompose/alternating.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/decompose/block.h"
#include "sotto/decompose/deflation.h"

namespace sotto {
namespace {

using ModeBlock = std::vector<Matrix>;  // one matrix a mode, one column a start

ModeBlock columns_of(const ModeBlock& block, const std::vector<Index>& columns) {
  ModeBlock selected;
  for (const Matrix& factor : block) selected.push_back(factor(Eigen::all, columns));
  return selected;
}

// One sweep over the modes; returns how far each column moved, over all modes together.
Vector sweep(ModeOracle& oracle, ModeBlock& block) {
  Vector moved = Vector::Zero(block[0].cols());
  for (int m = 0; m < static_cast<int>(block.size()); ++m) {
    Matrix next = unit_columns(oracle.contract_all_but(m, block), block[m]);
    moved = moved.cwiseMax(movement(next, block[m]));
    block[m] = std::move(next);
  }
  return moved;
}

struct IteratedModes {
  ModeBlock block;
  std::vector<int> steps;
  std::vector<bool> converged;
  bool stopped = false;
};

template <class Report>
IteratedModes iterate(ModeOracle& oracle, ModeBlock block, std::int64_t limit, double tolerance,
                      Report report) {
  const Index columns = block[0].cols();
  IteratedModes result{std::move(block), std::vector<int>(columns, 0), std::vector<bool>(columns),
                       false};
  std::vector<Index> active(static_cast<std::size_t>(columns));
  for (Index l = 0; l < columns; ++l) active[static_cast<std::size_t>(l)] = l;
  for (int t = 1; t <= limit && !active.empty(); ++t) {
    ModeBlock moving = columns_of(result.block, active);
    const Vector moved = sweep(oracle, moving);
    for (std::size_t m = 0; m < moving.size(); ++m) {
      result.block[m](Eigen::all, active) = moving[m];
    }
    if (!report(t, moved.maxCoeff(), static_cast<Index>(active.size()))) {
      result.stopped = true;
      break;
    }
    std::vector<Index> still_active;
    for (std::size_t a = 0; a < active.size(); ++a) {
      const auto column = static_cast<std::size_t>(active[a]);
      result.steps[column] = t;
      result.converged[column] = moved[static_cast<Index>(a)] <= tolerance;
      if (!result.converged[column]) still_active.push_back(active[a]);
    }
    active = std::move(still_active);
  }
  return result;
}

// A start agrees with the chosen one when it agrees in every mode.
double block_agreement(const ModeBlock& block, const ModeBlock& chosen) {
  Eigen::ArrayXd least = Eigen::ArrayXd::Ones(block[0].cols());
  for (std::size_t m = 0; m < block.size(); ++m) {
    least = least.min((block[m].transpose() * chosen[m].col(0)).array().abs());
  }
  return (least >= 0.999).cast<double>().mean();
}

// The sign of the value moves into the last mode, so that weights come out non-negative.
void make_weight_positive(ModeBlock& vectors, double& weight) {
  if (weight < 0) {
    vectors.back() *= -1;
    weight = -weight;
  }
}

double residual(ModeOracle& oracle, const ModeBlock& vectors, double weight) {
  double sum = 0;
  for (int m = 0; m < static_cast<int>(vectors.size()); ++m) {
    sum += (oracle.contract_all_but(m, vectors) - weight * vectors[m]).squaredNorm();
  }
  return std::sqrt(sum / static_cast<double>(vectors.size()));
}

}  // namespace

Decomposition alternating_power_method(ModeOracle& oracle, const PowerOptions& options,
                                       const ProgressCallback& progress) {
  const auto& dims = oracle.dims();
  SOTTO_REQUIRE(dims.size() >= 3 && dims.size() <= 5,
                "alternating power iterations take tensors of order 3 to 5, got order {}",
                dims.size());
  options.check(*std::min_element(dims.begin(), dims.end()));
  const Index k = options.components;
  Decomposition result;
  result.weights.resize(0);
  for (const Index d : dims) result.factors.emplace_back(d, 0);
  DeflatedModeOracle deflated(oracle);
  SeededRandom random(static_cast<std::uint64_t>(options.seed));
  for (Index j = 0; j < k; ++j) {
    const std::string stage = fmt::format("component {} of {}", j + 1, k);
    const auto report = [&](int t, double change, Index active) {
      result.history.push_back({j, t, change, active});
      return report_progress(progress,
                             {stage.c_str(), j * options.iterations + t, k * options.iterations});
    };
    ModeBlock starts;
    for (const Index d : dims) starts.push_back(random_unit_block(d, options.starts, random));
    const IteratedModes ended =
        iterate(deflated, starts, options.iterations, options.tolerance, report);
    if (ended.stopped) {  // no further question is asked
      result.status = Status::stopped;
      break;
    }
    Index best = 0;
    deflated.values(ended.block).cwiseAbs().maxCoeff(&best);
    IteratedModes polished{columns_of(ended.block, {best}), {0}, {ended.converged[best]}, false};
    if (!ended.converged[best]) {
      polished = iterate(deflated, polished.block, options.polish, options.tolerance, report);
      if (polished.stopped) {
        result.status = Status::stopped;
        break;
      }
    }
    double weight = deflated.values(polished.block)[0];
    make_weight_positive(polished.block, weight);
    const auto append = [](Vector& v, double x) {
      v.conservativeResize(v.size() + 1);
      v[v.size() - 1] = x;
    };
    append(result.weights, weight);
    append(result.residuals, residual(deflated, polished.block, weight));
    append(result.agreement, block_agreement(ended.block, polished.block));
    for (std::size_t m = 0; m < dims.size(); ++m) {
      result.factors[m].conservativeResize(Eigen::NoChange, j + 1);
      result.factors[m].col(j) = polished.block[m].col(0);
    }
    result.iterations.push_back(ended.steps[best] + polished.steps[0]);
    if (!polished.converged[0]) result.status = Status::iteration_limit;
    deflated.deflate(weight, polished.block);
  }
  result.sort_by_weight();
  return result;
}

}  // namespace sotto
