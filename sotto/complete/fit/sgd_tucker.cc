#include "sotto/complete/fit/sgd_step.h"
#include "sotto/complete/kernels/tucker_entry.h"

namespace sotto {
namespace {

template <int O, int S>
double pass_over(std::span<const Record<O>> block, const SgdStep<O>& step, Index rank,
                 FactorRows& core) {
  const Pack<S> unit = unit_row<S>(rank);
  TuckerEntry<O, S> entry(rank);
  const Index diagonal = superdiagonal_step(rank, O) * S + 1;
  std::array<Pack<S>, O> slope;
  double sum = 0;
  for (const Record<O>& record : block) {
    std::array<const double*, O> rows{};
    for (int m = 0; m < O; ++m) rows[m] = step.rows[m] + Index{S} * record.row[m];
    const double found = entry.predict(rows, core.data());
    const double error = static_cast<double>(record.value) - step.bias_of(record) - found;
    entry.slopes(rows, core.data(), slope);
    entry.step_core(rows, step.core_keep, step.step2 * error, core.data());
    for (Index r = 0; r < rank; ++r) core.data()[r * diagonal] += step.core_pull;
    for (int m = 0; m < O; ++m) {
      step.template move<S>(m, record, error, Pack<S>::load(rows[m]), slope[m], unit);
    }
    sum += error * error;
  }
  return sum;
}

template <int O, int S>
class TuckerSgd final : public Solver {
 public:
  TuckerSgd(const ObservedEntries& entries, const SgdSettings& settings, CompletionModel& model)
      : settings_(settings),
        model_(model),
        penalty_(entries, settings.penalised),
        plan_(entries),
        records_(entries, plan_),
        cores_(static_cast<std::size_t>(plan_.parts())),
        met_(cores_.size()) {}

  double epoch() override {
    const SgdStep<O> step = sgd_step<O>(settings_, penalty_, model_, step_size_ * settings_.step);
    const double sum = for_each_stratum(
        records_, plan_, settings_.seed, epoch_++,
        [&](std::span<const Record<O>> block, Index j) {
          const auto n = static_cast<std::size_t>(j);
          cores_[n] = model_.core;
          met_[n] = static_cast<double>(block.size());
          return pass_over<O, S>(block, step, model_.rank, cores_[n]);
        },
        [&](Index) { average_cores(); });
    step_size_ *= settings_.decay;
    return sum;
  }

 private:
  void average_cores() {
    const double all = std::accumulate(met_.begin(), met_.end(), 0.0);
    if (all == 0) return;
    if (cores_.size() == 1) return model_.core.swap(cores_[0]);
    model_.core.setZero();
    for (std::size_t n = 0; n < cores_.size(); ++n) model_.core += (met_[n] / all) * cores_[n];
  }

  SgdSettings settings_;
  CompletionModel& model_;
  PenaltyWeights penalty_;
  BlockPlan plan_;
  BlockedRecords<O> records_;
  std::vector<FactorRows> cores_;  // one a block of the stratum
  std::vector<double> met_;        // entries of that block
  std::uint64_t epoch_ = 0;
  double step_size_ = 1;
};

}  // namespace

std::unique_ptr<Solver> make_tucker_sgd(const ObservedEntries& entries, const SgdSettings& settings,
                                        CompletionModel& model) {
  return with_order(model.order(), [&](auto o) {
    return with_stride(model.stride(), [&](auto s) -> std::unique_ptr<Solver> {
      return std::make_unique<TuckerSgd<o(), s()>>(entries, settings, model);
    });
  });
}

}  // namespace sotto
