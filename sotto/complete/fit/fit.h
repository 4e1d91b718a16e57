// Completion from beginning to end: biases or scaling, the start, epochs of a solver, early stop.
//
// Privacy: none; the entries are public here.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sotto/base/export.h"
#include "sotto/base/options.h"
#include "sotto/base/progress.h"
#include "sotto/complete/fit/model.h"

namespace SOTTO_API sotto {

enum class CompletionMethod { automatic, sgd, als, bayes };
constexpr auto enum_names(CompletionMethod) {
  return std::to_array<EnumName<CompletionMethod>>({{CompletionMethod::automatic, "auto"},
                                                    {CompletionMethod::sgd, "sgd"},
                                                    {CompletionMethod::als, "als"},
                                                    {CompletionMethod::bayes, "bayes"}});
}

// What is learnt beside the low-rank part: a mean and a number for every row, the mean only, or
// nothing.
enum class BiasPart { modes, global, none };
constexpr auto enum_names(BiasPart) {
  return std::to_array<EnumName<BiasPart>>(
      {{BiasPart::modes, "modes"}, {BiasPart::global, "global"}, {BiasPart::none, "none"}});
}

// How often gradient descent applies the penalty of a row.
enum class Penalised { once_a_row, once_an_entry };
constexpr auto enum_names(Penalised) {
  return std::to_array<EnumName<Penalised>>(
      {{Penalised::once_a_row, "row"}, {Penalised::once_an_entry, "entry"}});
}

// How the values are scaled before they are learnt.
enum class ValueScale { none, slices };
constexpr auto enum_names(ValueScale) {
  return std::to_array<EnumName<ValueScale>>(
      {{ValueScale::none, "none"}, {ValueScale::slices, "slices"}});
}

// What the rows of the third and later modes are pulled to.
enum class ContextCentre { automatic, zero, one };
constexpr auto enum_names(ContextCentre) {
  return std::to_array<EnumName<ContextCentre>>({{ContextCentre::automatic, "auto"},
                                                 {ContextCentre::zero, "zero"},
                                                 {ContextCentre::one, "one"}});
}

struct CompletionOptions {
  std::int64_t rank = 8;
  LowRank model = LowRank::cp;
  CompletionMethod method = CompletionMethod::automatic;
  BiasPart bias = BiasPart::modes;
  ValueScale scale = ValueScale::none;
  ContextCentre centre = ContextCentre::automatic;
  std::vector<double> lambda;  // empty: by method
  std::optional<double> core_lambda;
  Penalised penalty = Penalised::once_a_row;
  std::optional<double> step;
  std::optional<double> decay;
  std::optional<std::int64_t> epochs;
  std::optional<double> tolerance;
  double validation = 0;
  std::int64_t patience = 5;
  double time_limit = 0;  // seconds; 0: none
  std::int64_t starts = 1;
  std::int64_t seed = 0;

  OptionTable table();
  void check() const;
  void check_for(const std::vector<Index>& dims) const;  // of the tensor to be completed
};

// The method that a run with these options takes.
CompletionMethod chosen_method(const CompletionOptions& options);

// diverged: the gradients grew without bound, and the model is not finite. A shorter step may help.
enum class FitStatus { completed, converged, early_stop, time_limit, stopped, diverged };
constexpr auto enum_names(FitStatus) {
  return std::to_array<EnumName<FitStatus>>({{FitStatus::completed, "completed"},
                                             {FitStatus::converged, "converged"},
                                             {FitStatus::early_stop, "stopped early"},
                                             {FitStatus::time_limit, "time limit"},
                                             {FitStatus::stopped, "stopped"},
                                             {FitStatus::diverged, "diverged"}});
}

struct EpochRecord {
  double train_rmse = 0;                  // as returned by Solver::epoch
  std::optional<double> validation_rmse;  // of clipped predictions
  double seconds = 0;                     // since the start
};

struct CompletionFit {
  CompletionModel model;
  FitStatus status = FitStatus::completed;
  CompletionMethod method = CompletionMethod::automatic;  // the one that was used
  std::vector<EpochRecord> history;
  Index best_epoch = 0;  // counted from 1: the epoch that this model comes from
};

// Clips predictions to `range`. Refuses fewer than two entries.
CompletionFit fit_completion(const ObservedEntries& entries, const CompletionOptions& options,
                             std::optional<std::pair<double, double>> range = {},
                             const ProgressCallback& progress = {});

// On a test set (scores.h).
struct CompletionScores {
  double rmse = 0;
  double mae = 0;
  // The mean of the normalised discounted cumulative gain over the rows of the first mode ("users")
  // with two entries or more: the gain of the ten entries predicted highest over the best possible
  // one (Jarvelin & Kekalainen 2002; gain value - low, discount log2(1 + place)). Empty when no row
  // has two entries or none has any gain.
  std::optional<double> ndcg10;
  // The mean over the same users of the share of good entries among the ten predicted highest. Good
  // are values in the upper quarter of low .. high: 4 and 5 of 1 .. 5.
  std::optional<double> precision10;
  Index entries = 0;
  Index unknown = 0;  // entries with a row that was not learnt, predicted by their biases
};

}  // namespace sotto
