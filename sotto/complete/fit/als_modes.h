// For als_cp.cc and als_tucker.cc: the modes of a model that least squares solves, and what the
// biases leave of an entry for each.
#pragma once

#include <vector>

#include "sotto/complete/fit/als.h"
#include "sotto/complete/kernels/als_rows.h"

namespace sotto {

class AlsModes {
 public:
  AlsModes(const ObservedEntries& entries, const AlsSettings& settings, CompletionModel& model)
      : entries_(entries), settings_(settings), model_(model) {
    for (Index m = 0; m < model.order(); ++m) {
      if (model.holds(m)) continue;
      free_.push_back(m);
      groups_.emplace_back(entries, m);
    }
  }

  const std::vector<Index>& free_modes() const { return free_; }

  RowPenalty penalty(Index mode) const {
    const auto m = static_cast<std::size_t>(mode);
    return {settings_.lambda[m], settings_.centre[m], settings_.train_biases,
            settings_.train_biases ? settings_.bias_shrink[m] : 0};
  }
  // The value without the biases; the bias of `mode` stays in when it is solved for.
  double target(Index mode, const AlsEntry& entry) const {
    double t = entry.value - model_.biases.mean;
    for (Index n = 0; n < model_.order(); ++n) {
      if (n == mode && settings_.train_biases) continue;
      t -= model_.biases.rows[static_cast<std::size_t>(n)][entry.rows[n]];
    }
    return t;
  }
  const double* row(Index mode, const AlsEntry& entry) const {
    const FactorRows& factor = model_.factors[static_cast<std::size_t>(mode)];
    return factor.data() + factor.cols() * entry.rows[mode];
  }

  // Solves every row of free mode number `n` by solve_rows and puts it into the model. `done` sees
  // the row afterwards.
  template <int S, class MakeWork, class Fill, class Done>
  double solve_mode(std::size_t n, bool with_covariance, MakeWork make_work, Fill fill, Done done) {
    const auto m = static_cast<std::size_t>(free_[n]);
    const RowPenalty how = penalty(free_[n]);
    const RowPass pass{groups_[n], model_.rank, how, with_covariance, worth_threads(entries_)};
    return solve_rows<S>(pass, make_work, fill,
                         [&](Index i, const RowSystem<S>& system, const RowSolution& found) {
                           model_.factors[m].row(i).head(model_.rank) = found.row.transpose();
                           if (how.with_bias) model_.biases.rows[m][i] = found.bias;
                           return done(i, system, found);
                         });
  }

 private:
  const ObservedEntries& entries_;
  AlsSettings settings_;
  CompletionModel& model_;
  std::vector<Index> free_;
  std::vector<EntriesInRowOrder> groups_;  // one a free mode
};

std::unique_ptr<Solver> make_cp_als(const ObservedEntries& entries, const AlsSettings& settings,
                                    CompletionModel& model);
std::unique_ptr<Solver> make_tucker_als(const ObservedEntries& entries, const AlsSettings& settings,
                                        CompletionModel& model);

}  // namespace sotto
