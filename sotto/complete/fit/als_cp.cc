#include <algorithm>

#include "sotto/base/error.h"
#include "sotto/complete/fit/als_modes.h"
#include "sotto/complete/fit/biases.h"

namespace sotto {
namespace {

template <int S>
class CpAls final : public Solver {
 public:
  CpAls(const ObservedEntries& entries, const AlsSettings& settings, CompletionModel& model)
      : model_(model), rows_(entries, settings, model) {}

  double epoch() override {
    double error = 0;
    for (std::size_t n = 0; n < rows_.free_modes().size(); ++n) {
      const Index m = rows_.free_modes()[n];
      error = rows_.template solve_mode<S>(
          n, false, [] { return 0; },
          [&](int, RowSystem<S>& system, const AlsEntry& e) {
            system.add(slope(m, e), rows_.target(m, e));
          },
          [](Index, const RowSystem<S>&, const RowSolution& found) { return found.error; });
    }
    return std::max(error, 0.0);
  }

 private:
  Pack<S> slope(Index mode, const AlsEntry& e) const {
    Pack<S> h = Pack<S>::all(1);
    for (Index n = 0; n < model_.order(); ++n) {
      if (n != mode) h = h * Pack<S>::load(rows_.row(n, e));
    }
    return h;
  }

  CompletionModel& model_;
  AlsModes rows_;
};

// Rows are posteriors: the model holds their means, this class their second moments.
template <int S>
class VariationalCp final : public Solver {
 public:
  VariationalCp(const ObservedEntries& entries, const AlsSettings& settings, CompletionModel& model)
      : entries_(entries), model_(model), rows_(entries, settings, model) {
    noise_ = squared_error(entries, model.biases) / static_cast<double>(entries.size());
    for (const FactorRows& factor : model.factors) {
      moments_.emplace_back(factor.rows() * model.rank, S);
      for (Index i = 0; i < factor.rows(); ++i) {
        for (Index r = 0; r < model.rank; ++r) {
          moments_.back().row(i * model.rank + r) = factor(i, r) * factor.row(i);
        }
      }
    }
  }

  double epoch() override {
    double error = 0;
    for (std::size_t n = 0; n < rows_.free_modes().size(); ++n) {
      const Index m = rows_.free_modes()[n];
      error = rows_.template solve_mode<S>(
          n, true, [] { return 0; },
          [&](int, RowSystem<S>& system, const AlsEntry& e) { add_entry(m, e, system); },
          [&](Index i, const RowSystem<S>& system, const RowSolution& found) {
            keep_moment(m, i, found);
            return found.error + noise_ * system.spread(found.covariance);
          });
    }
    error = std::max(error, 0.0);
    noise_ = error / static_cast<double>(entries_.size());
    return error;
  }

 private:
  const double* moment(Index mode, const AlsEntry& e) const {
    const Index row = model_.rank * e.rows[mode];
    return moments_[static_cast<std::size_t>(mode)].data() + row * S;
  }
  void add_entry(Index mode, const AlsEntry& e, RowSystem<S>& system) const {
    Pack<S> h = Pack<S>::all(1);
    const double* second[kMaxObservedOrder] = {moment(mode == 0 ? 1 : 0, e)};  // never null
    int others = 0;
    for (Index n = 0; n < model_.order(); ++n) {
      if (n == mode) continue;
      h = h * Pack<S>::load(rows_.row(n, e));
      second[others++] = moment(n, e);
    }
    system.add(h, rows_.target(mode, e), [&](Index r) {
      Pack<S> product = Pack<S>::load(second[0] + r * S);
      for (int n = 1; n < others; ++n) product = product * Pack<S>::load(second[n] + r * S);
      return product;
    });
  }
  void keep_moment(Index mode, Index i, const RowSolution& found) {
    auto block = moments_[static_cast<std::size_t>(mode)].block(i * model_.rank, 0, model_.rank,
                                                                model_.rank);
    block = found.row * found.row.transpose() + noise_ * found.covariance;
  }

  const ObservedEntries& entries_;
  CompletionModel& model_;
  AlsModes rows_;
  double noise_;
  std::vector<FactorRows> moments_;  // rank rows of S numbers for each row of the mode
};

void check(const ObservedEntries& entries, const AlsSettings& settings,
           const CompletionModel& model) {
  settings.check(entries, model);
  // The variational method takes them as the precisions of its prior.
  const double least = *std::min_element(settings.lambda.begin(), settings.lambda.end());
  SOTTO_REQUIRE(least > 0 || (least == 0 && !settings.variational),
                "penalties must not be negative, and for the variational method above 0");
  SOTTO_REQUIRE(!settings.variational || model.kind == LowRank::cp,
                "the variational method is for the CP model");
}

}  // namespace

std::unique_ptr<Solver> make_cp_als(const ObservedEntries& entries, const AlsSettings& settings,
                                    CompletionModel& model) {
  return with_stride(model.stride(), [&](auto s) -> std::unique_ptr<Solver> {
    if (settings.variational) {
      return std::make_unique<VariationalCp<s()>>(entries, settings, model);
    }
    return std::make_unique<CpAls<s()>>(entries, settings, model);
  });
}

std::unique_ptr<Solver> make_als(const ObservedEntries& entries, const AlsSettings& settings,
                                 CompletionModel& model) {
  check(entries, settings, model);
  if (model.kind == LowRank::cp) return make_cp_als(entries, settings, model);
  return make_tucker_als(entries, settings, model);
}

}  // namespace sotto
