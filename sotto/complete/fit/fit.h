// Completion from beginning to end: biases or scaling, the start, epochs of a solver, early stop.
//
// Privacy: none; the entries are public here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sotto/base/options.h"
#include "sotto/base/progress.h"
#include "sotto/complete/fit/model.h"

namespace sotto {

struct CompletionOptions {
  std::int64_t rank = 8;
  std::string model = "cp";     // cp, tucker
  std::string method = "auto";  // sgd, als, bayes
  std::string bias = "modes";   // none, global, modes
  std::string scale = "none";   // none, slices
  std::string centre = "auto";  // zero, one
  std::vector<double> lambda;   // empty: by method
  std::optional<double> core_lambda;
  std::string penalty = "row";  // row, entry
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
};

enum class FitStatus { completed, converged, early_stop, time_limit, stopped };
std::string status_text(FitStatus status);

struct EpochRecord {
  double train_rmse = 0;                  // as Solver::epoch tells it
  std::optional<double> validation_rmse;  // of clipped predictions
  double seconds = 0;                     // since the start
};

struct CompletionFit {
  CompletionModel model;
  FitStatus status = FitStatus::completed;
  std::string method;  // the one that was used
  std::vector<EpochRecord> history;
  Index best_epoch = 0;  // counted from 1: the one whose model this is
};

// `range` cuts predictions. Refuses fewer than two entries, and a step so long that values
// overflow.
CompletionFit fit_completion(const ObservedEntries& entries, const CompletionOptions& options,
                             std::optional<std::pair<double, double>> range = {},
                             const ProgressCallback& progress = {});

}  // namespace sotto
