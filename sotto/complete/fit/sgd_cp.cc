#include "sotto/complete/fit/sgd_step.h"
#include "sotto/complete/kernels/cp_entry.h"

namespace sotto {
namespace {

template <int O, int S>
double pass_over(std::span<const Record<O>> block, const SgdStep<O>& step, Index rank) {
  const Pack<S> unit = unit_row<S>(rank);
  double sum = 0;
  for (const Record<O>& record : block) {
    std::array<const double*, O> rows{};
    for (int m = 0; m < O; ++m) rows[m] = step.rows[m] + Index{S} * record.row[m];
    const CpEntry<O, S> entry(rows);
    const double error = static_cast<double>(record.value) - step.bias_of(record) - entry.value;
    for (int m = 0; m < O; ++m) {
      step.template move<S>(m, record, error, entry.row[m], entry.slope[m], unit);
    }
    sum += error * error;
  }
  return sum;
}

template <int O, int S>
class CpSgd final : public Solver {
 public:
  CpSgd(const ObservedEntries& entries, const SgdSettings& settings, CompletionModel& model)
      : settings_(settings),
        model_(model),
        penalty_(entries, settings.penalised),
        plan_(entries),
        records_(entries, plan_) {}

  double epoch() override {
    const SgdStep<O> step = sgd_step<O>(settings_, penalty_, model_, step_size_ * settings_.step);
    const double sum = for_each_stratum(
        records_, plan_, settings_.seed, epoch_++,
        [&](std::span<const Record<O>> block, Index) {
          return pass_over<O, S>(block, step, model_.rank);
        },
        [](Index) {});
    step_size_ *= settings_.decay;
    return sum;
  }

 private:
  SgdSettings settings_;
  CompletionModel& model_;
  PenaltyWeights penalty_;
  BlockPlan plan_;
  BlockedRecords<O> records_;
  std::uint64_t epoch_ = 0;
  double step_size_ = 1;
};

}  // namespace

std::unique_ptr<Solver> make_cp_sgd(const ObservedEntries& entries, const SgdSettings& settings,
                                    CompletionModel& model) {
  return with_order(model.order(), [&](auto o) {
    return with_stride(model.stride(), [&](auto s) -> std::unique_ptr<Solver> {
      return std::make_unique<CpSgd<o(), s()>>(entries, settings, model);
    });
  });
}

std::unique_ptr<Solver> make_sgd(const ObservedEntries& entries, const SgdSettings& settings,
                                 CompletionModel& model) {
  settings.check(entries, model);
  return model.kind == LowRank::cp ? make_cp_sgd(entries, settings, model)
                                   : make_tucker_sgd(entries, settings, model);
}

}  // namespace sotto
