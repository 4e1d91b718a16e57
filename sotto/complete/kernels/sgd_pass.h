// One epoch of stochastic gradients as passes over the blocks of a stratum, and the update of an
// entry.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "sotto/base/parallel.h"
#include "sotto/complete/kernels/blocks.h"
#include "sotto/complete/kernels/packs.h"

namespace sotto {

// What an update needs, in the form the inner loop reads it (fit/sgd_step.h fills it).
template <int O>
struct SgdStep {
  std::array<double*, O> rows{}, biases{};  // row 0 of each mode
  std::array<const double*, O> weights{};   // w, by row
  std::array<double, O> lambda{}, centre{}, shrink{};
  std::array<bool, O> held{};
  double mean = 0, step2 = 0;
  double core_keep = 1, core_pull = 0;
  bool train_biases = false;

  double bias_of(const Record<O>& record) const {
    double x = mean;
    for (int m = 0; m < O; ++m) x += biases[m][record.row[m]];
    return x;
  }
  // row + step2 (error slope - w lambda (row - centre)), and the bias likewise; `unit` is 1 within
  // the rank, 0 in the padding.
  template <int S>
  void move(int m, const Record<O>& record, double error, const Pack<S>& row, const Pack<S>& slope,
            const Pack<S>& unit) const {
    if (held[m]) return;
    // The penalty never pulls a row beyond its centre, however few entries the row has.
    const double weight = step2 * weights[m][record.row[m]];
    const double pull = std::min(1.0, weight * lambda[m]);
    (row * (1 - pull) + slope * (step2 * error) + unit * (pull * centre[m]))
        .store(rows[m] + Index{S} * record.row[m]);
    if (!train_biases) return;
    double& bias = biases[m][record.row[m]];
    bias += step2 * error - std::min(1.0, weight * shrink[m]) * bias;
  }
};

template <int S>
Pack<S> unit_row(Index rank) {
  double row[S] = {};
  std::fill(row, row + rank, 1.0);
  return Pack<S>::load(row);
}

// Streams of one seed: one for the order of the strata, and one for each block of each epoch.
constexpr std::uint64_t kStrataStream = std::uint64_t{1} << 62;
constexpr std::uint64_t kBlockStream = std::uint64_t{1} << 63;

// Runs `pass(block, j)`, the j-th block of its stratum, over all blocks of an epoch and
// `end_stratum(stratum)` after each stratum. Returns the sum of what the passes return.
template <int O, class Pass, class EndStratum>
double for_each_stratum(BlockedRecords<O>& records, const BlockPlan& plan, std::uint64_t seed,
                        std::uint64_t epoch, Pass pass, EndStratum end_stratum) {
  std::vector<Index> strata(static_cast<std::size_t>(plan.strata()));
  std::iota(strata.begin(), strata.end(), Index{0});
  SeededRandom random(seed, kStrataStream + epoch);
  shuffle(std::span(strata), random);
  std::vector<double> found(static_cast<std::size_t>(plan.parts()));
  double sum = 0;
  for (const Index stratum : strata) {
    parallel_for(plan.parts(), {1, plan.parts() > 1}, [&](Index j) {
      const Index b = plan.block_in(stratum, j);
      const auto number = epoch * static_cast<std::uint64_t>(plan.blocks());
      SeededRandom order(seed, kBlockStream + number + static_cast<std::uint64_t>(b));
      const std::span<Record<O>> block = records.block(b);
      shuffle(block, order);
      found[static_cast<std::size_t>(j)] = pass(block, j);
    });
    sum += std::accumulate(found.begin(), found.end(), 0.0);
    end_stratum(stratum);
  }
  return sum;
}

}  // namespace sotto
