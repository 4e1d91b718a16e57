// The pass of alternating least squares over one mode: the entries by row, and every row solved.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "sotto/base/parallel.h"
#include "sotto/complete/kernels/row_system.h"
#include "sotto/tensor/observed.h"

namespace sotto {

// Threads cost more than they save where a pass takes well below a millisecond.
inline bool worth_threads(const ObservedEntries& entries) { return entries.size() > 10000; }

// An entry as the pass over a mode sees it.
struct AlsEntry {
  const std::int32_t* rows;  // one a mode
  double value;
};

// A copy of the entries for each mode, in the order of its rows: a pass then reads memory from
// front to back. In the order of the file the reads would be scattered. 8 + 4 order bytes per entry
// and mode.
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

// A pass over one mode.
struct RowPass {
  const EntriesInRowOrder& entries;
  Index rank;
  const RowPenalty& penalty;
  bool with_covariance;
  bool with_threads;
};

// Solves every row of a mode. `make_work` gives a thread its work space; fill(work, system, entry)
// adds an entry to the system; done(i, system, solution) takes each solution and returns its part
// of the error. The parts are summed in the order of the rows.
template <int S, class MakeWork, class Fill, class Done>
double solve_rows(const RowPass& pass, MakeWork make_work, Fill fill, Done done) {
  const EntriesInRowOrder& entries = pass.entries;
  std::vector<double> error(static_cast<std::size_t>(entries.rows()));
  struct Work {
    RowSystem<S> system;
    std::invoke_result_t<MakeWork&> own;
  };
  parallel_for_with(
      entries.rows(), {16, pass.with_threads},
      [&] {
        return Work{RowSystem<S>(pass.rank), make_work()};
      },
      [&](Work& work, Index i) {
        work.system.clear();
        entries.for_each(i, [&](const AlsEntry& entry) { fill(work.own, work.system, entry); });
        const RowSolution found = work.system.solve(pass.penalty, pass.with_covariance);
        error[static_cast<std::size_t>(i)] = done(i, work.system, found);
      });
  return std::accumulate(error.begin(), error.end(), 0.0);
}

}  // namespace sotto
