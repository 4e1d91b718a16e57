// For als_cp.cc and als_tucker.cc: the entries by row, and what an entry leaves for a mode.
#pragma once

#include <numeric>
#include <vector>

#include "sotto/complete/als.h"
#include "sotto/complete/row_system.h"

namespace sotto {

// Threads cost more than they bring where a pass takes well below a millisecond.
inline bool worth_threads(const ObservedEntries& entries) { return entries.size() > 10000; }

class AlsRows {
 public:
  AlsRows(const ObservedEntries& entries, const AlsSettings& settings, CompletionModel& model)
      : entries_(entries), settings_(settings), model_(model) {
    for (Index m = 0; m < model.order(); ++m) {
      groups_.emplace_back(entries, m);
      if (!model.holds(m)) free_.push_back(m);
    }
  }

  const std::vector<Index>& free_modes() const { return free_; }

  RowPenalty penalty(Index mode) const {
    const auto m = static_cast<std::size_t>(mode);
    return {settings_.lambda[m], settings_.centre[m], settings_.train_biases,
            settings_.train_biases ? settings_.bias_shrink[m] : 0};
  }
  // The value without the biases, but with that of `mode` when the row's bias is solved for.
  double target(Index mode, Index entry) const {
    double t = entries_.at(entry) - model_.biases.predict(entries_, entry);
    if (settings_.train_biases) {
      t += model_.biases.rows[static_cast<std::size_t>(mode)][entries_.row(mode, entry)];
    }
    return t;
  }
  const double* row(Index mode, Index entry) const {
    const FactorRows& factor = model_.factors[static_cast<std::size_t>(mode)];
    return factor.data() + factor.cols() * entries_.row(mode, entry);
  }

  // Solves every row of a mode. `make_work` gives a thread its work space; fill(work, system, e)
  // adds entry e to the system; done(i, system, solution) sees each solution and returns its part
  // of the error. Rows keep their order in the sum.
  template <int S, class MakeWork, class Fill, class Done>
  double solve_mode(Index mode, bool with_covariance, MakeWork make_work, Fill fill, Done done) {
    const auto m = static_cast<std::size_t>(mode);
    const RowPenalty how = penalty(mode);
    std::vector<double> error(static_cast<std::size_t>(groups_[m].rows()));
#pragma omp parallel if (worth_threads(entries_))
    {
      RowSystem<S> system(model_.rank);
      auto work = make_work();
#pragma omp for schedule(dynamic, 16)
      for (Index i = 0; i < groups_[m].rows(); ++i) {
        system.clear();
        for (const std::int32_t e : groups_[m].of(i)) fill(work, system, Index{e});
        const RowSolution found = system.solve(how, with_covariance);
        model_.factors[m].row(i).head(model_.rank) = found.row.transpose();
        if (how.with_bias) model_.biases.rows[m][i] = found.bias;
        error[static_cast<std::size_t>(i)] = done(i, system, found);
      }
    }
    return std::accumulate(error.begin(), error.end(), 0.0);
  }

 private:
  const ObservedEntries& entries_;
  AlsSettings settings_;
  CompletionModel& model_;
  std::vector<RowEntries> groups_;
  std::vector<Index> free_;
};

std::unique_ptr<Solver> make_cp_als(const ObservedEntries& entries, const AlsSettings& settings,
                                    CompletionModel& model);
std::unique_ptr<Solver> make_tucker_als(const ObservedEntries& entries, const AlsSettings& settings,
                                        CompletionModel& model);

}  // namespace sotto
