// For als_cp.cc and als_tucker.cc: the entries by row, and what an entry leaves for a mode.
#pragma once

#include <numeric>
#include <vector>

#include "sotto/complete/als.h"
#include "sotto/complete/row_system.h"

namespace sotto {

// Threads cost more than they bring where a pass takes well below a millisecond.
inline bool worth_threads(const ObservedEntries& entries) { return entries.size() > 10000; }

// An entry as a mode's pass meets it.
struct AlsEntry {
  const std::int32_t* rows;  // one a mode
  double value;
};

// The entries once for each mode, in the order of its rows: a pass then reads them from front to
// back, where their places in the file would be scattered. 8 + 4 order bytes an entry and mode.
class EntriesInRowOrder {
 public:
  EntriesInRowOrder(const ObservedEntries& entries, Index mode)
      : order_(entries.index.size()), begin_(1, 0) {
    const RowEntries groups(entries, mode);
    rows_.reserve(order_ * entries.value.size());
    value_.reserve(entries.value.size());
    for (Index i = 0; i < groups.rows(); ++i) {
      for (const std::int32_t e : groups.of(i)) {
        for (Index n = 0; n < entries.order(); ++n) rows_.push_back(entries.row(n, e));
        value_.push_back(entries.at(e));
      }
      begin_.push_back(value_.size());
    }
  }

  Index rows() const { return std::ssize(begin_) - 1; }
  // Calls visit(AlsEntry) for every entry of row i.
  template <class Visit>
  void for_each(Index i, Visit visit) const {
    const auto n = static_cast<std::size_t>(i);
    for (std::size_t at = begin_[n]; at < begin_[n + 1]; ++at) {
      visit(AlsEntry{rows_.data() + order_ * at, value_[at]});
    }
  }

 private:
  std::size_t order_;
  std::vector<std::size_t> begin_;
  std::vector<std::int32_t> rows_;
  std::vector<double> value_;
};

class AlsRows {
 public:
  AlsRows(const ObservedEntries& entries, const AlsSettings& settings, CompletionModel& model)
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
  // The value without the biases, but with that of `mode` when the row's bias is solved for.
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

  // Solves every row of free mode number `n`. `make_work` gives a thread its work space;
  // fill(work, system, entry) adds an entry to the system; done(i, system, solution) sees each
  // solution and returns its part of the error. Rows keep their order in the sum.
  template <int S, class MakeWork, class Fill, class Done>
  double solve_mode(std::size_t n, bool with_covariance, MakeWork make_work, Fill fill, Done done) {
    const auto m = static_cast<std::size_t>(free_[n]);
    const RowPenalty how = penalty(free_[n]);
    const EntriesInRowOrder& entries = groups_[n];
    std::vector<double> error(static_cast<std::size_t>(entries.rows()));
#pragma omp parallel if (worth_threads(entries_))
    {
      RowSystem<S> system(model_.rank);
      auto work = make_work();
#pragma omp for schedule(dynamic, 16)
      for (Index i = 0; i < entries.rows(); ++i) {
        system.clear();
        entries.for_each(i, [&](const AlsEntry& entry) { fill(work, system, entry); });
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
  std::vector<Index> free_;
  std::vector<EntriesInRowOrder> groups_;  // one a free mode
};

std::unique_ptr<Solver> make_cp_als(const ObservedEntries& entries, const AlsSettings& settings,
                                    CompletionModel& model);
std::unique_ptr<Solver> make_tucker_als(const ObservedEntries& entries, const AlsSettings& settings,
                                        CompletionModel& model);

}  // namespace sotto
