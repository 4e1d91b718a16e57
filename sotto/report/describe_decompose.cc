#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "sotto/report/describe.h"
#include "sotto/report/json_parts.h"

namespace sotto {
namespace {

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

void describe_measures(const FitMeasures& measures, ResultDocument& document) {
  document.fit("fit", measures.fit(), "Fit, 1 - |X - X^| / |X|")
      .fit("explained", measures.explained(), "Explained, 1 - |X - X^|^2 / |X|^2")
      .fact("relative_error", measures.relative_error())
      .fact("observed", measures.observed, "Entries fitted");
}

Json degenerate_records(const CpFit& fit) {
  Json records = Json::array();
  for (const DegeneratePair& pair : fit.degenerate) {
    records.push_back(
        {{"first", pair.first + 1}, {"second", pair.second + 1}, {"congruence", pair.congruence}});
  }
  return records;
}

Json trial_records(const std::vector<RankTrial>& trials) {
  Json records = Json::array();
  for (const RankTrial& trial : trials) {
    records.push_back({{"components", trial.components},
                       {"fit", trial.fit},
                       {"core_consistency", or_null(trial.core_consistency)},
                       {"held_out_rmse", or_null(trial.held_out)},
                       {"degenerate", trial.degenerate}});
  }
  return records;
}

void describe_cp(const DecomposeResult& result, ResultDocument& document) {
  const CpFit& fit = *result.cp;
  document.weights(result.found.weights, "component")
      .component_column("diagnostics/agreement", list_of(result.found.agreement))
      .component_column("diagnostics/congruence", list_of(fit.start_congruence),
                        "Congruence over starts")
      .fact("core_consistency", or_null(fit.core_consistency), "Core consistency, %")
      .fact("iterations", result.found.iterations.empty() ? 0 : result.found.iterations[0]);
  if (!fit.degenerate.empty()) {
    document.table("diagnostics/degenerate", "Components that nearly cancel each other",
                   degenerate_records(fit));
  }
  document.curve("relative_errors", fit.error_history, "Relative error by iteration")
      .spectrum("start_errors", fit.start_errors, "Relative error of each start");
  if (result.trials.empty()) return;
  document.value("choice", result.choice, "Number of components");
  document.table("trials", "How many components", trial_records(result.trials));
  std::vector<double> held_out;
  for (const RankTrial& trial : result.trials) {
    if (trial.held_out) held_out.push_back(*trial.held_out);
  }
  if (!held_out.empty()) {
    document.spectrum("held_out", held_out, "Error of held-out entries by number of components");
  }
}

void describe_tucker(const DecomposeResult& result, ResultDocument& document) {
  document.option("ranks", result.tucker->core.dims());
  document.value("ranks", result.tucker->core.dims(), "Ranks")
      .fact("iterations", result.tucker->iterations)
      .curve("relative_errors", result.tucker->error_history, "Relative error by sweep");
}

void describe_power(const DecomposeResult& result, ResultDocument& document) {
  const Decomposition& found = result.found;
  // A private run with noise on every iteration has none: a residual would need one more release.
  if (found.residuals.size() > 0) {
    document.component_column("diagnostics/residuals", list_of(found.residuals));
  }
  Json history = history_of(found);
  for (const HistoryPoint& h : found.history) history["active"].push_back(h.active);
  document.component_column("diagnostics/agreement", list_of(found.agreement))
      .component_column("diagnostics/iterations", found.iterations)
      .component_history(std::move(history));
}

// Indices of a sparse tensor are names of rows more often than places.
RowNames tensor_rows(const DecomposeResult& result, std::size_t mode) {
  RowNames rows;
  if (mode < result.labels.size()) rows.labels = result.labels[mode];
  rows.counted = !result.entries.has_value();
  return rows;
}

std::string percent_or_none(const std::optional<double>& percent) {
  if (!percent) return "not computed";
  if (*percent < kHopelessConsistency) return fmt::format("below {} %", kHopelessConsistency);
  return fmt::format("{:.1f} %", *percent);
}

std::string trials_text(const DecomposeResult& result) {
  std::string text = fmt::format("{:>10}  {:>10}  {:>16}  {:>14}\n", "components", "fit",
                                 "core consistency", "held-out error");
  for (const RankTrial& trial : result.trials) {
    text += fmt::format("{:>10}  {:>10.6f}  {:>16}  {:>14}\n", trial.components, trial.fit,
                        percent_or_none(trial.core_consistency),
                        trial.held_out ? fmt::format("{:.5g}", *trial.held_out) : "-");
  }
  return text + result.choice + "\n";
}

std::string cp_text(const DecomposeResult& result) {
  const CpFit& fit = *result.cp;
  std::string text = result.trials.empty() ? "" : trials_text(result);
  text += fmt::format("{:>5}  {:>14}  {:>10}  {:>10}\n", "", "weight", "agreement", "congruence");
  for (Index j = 0; j < result.found.weights.size(); ++j) {
    text += fmt::format("{:>5}  {:>14.8g}  {:>9.0f}%  {:>10.6f}\n", j + 1, result.found.weights[j],
                        100 * result.found.agreement[j], fit.start_congruence[j]);
  }
  text += fmt::format("core consistency {}\n", percent_or_none(fit.core_consistency));
  for (const DegeneratePair& pair : fit.degenerate) {
    text += fmt::format(
        "warning: components {} and {} nearly cancel each other (congruence {:.3f}): try fewer, or "
        "non-negative ones\n",
        pair.first + 1, pair.second + 1, pair.congruence);
  }
  return text;
}

// The root mean square residual of an entry over the deviation of the noise: near 1 if the model
// explains all but the noise.
double error_over_noise(const DecomposeResult& result) {
  const FitMeasures& measures = *result.measures;
  return std::sqrt(measures.squared_error / static_cast<double>(measures.observed)) /
         *result.deviation;
}

}  // namespace

std::string to_text(const DecomposeResult& result) {
  std::string text;
  if (result.cp) text = cp_text(result);
  if (result.tucker) {
    text = fmt::format("Tucker model of ranks {}\n", shape_text(result.tucker->core.dims()));
  }
  if (!result.measures) return text;
  text += fmt::format("fit {:.6f}: the model explains {:.4f} % of the sum of squares{}\n",
                      result.measures->fit(), 100 * result.measures->explained(),
                      result.deviation ? " of the released tensor, noise included" : "");
  if (result.deviation) {
    text += fmt::format(
        "noise in an entry {:.3g}; the residual of the model is {:.3g} times the noise\n",
        *result.deviation, error_over_noise(result));
  }
  return text;
}

void describe(const DecomposeResult& result, ResultDocument& document) {
  const Decomposition& found = result.found;
  document.option("method", std::string(name_of(result.method)));
  document.option("iterations", result.power.iterations)
      .option("tolerance", result.power.tolerance);
  if (!result.tucker) {
    document.option("components", result.power.components).option("starts", result.power.starts);
  }
  if (!result.cp && !result.tucker) document.option("polish", result.power.polish);
  document.input("dims", result.dims, "Dimensions");
  if (result.entries) document.input("entries", *result.entries);
  if (result.certificate) document.certificate(*result.certificate);
  if (result.measures) describe_measures(*result.measures, document);
  if (result.recoverable) {
    document.value("recoverable_weight", *result.recoverable,
                   "Weight from which components are expected to be recovered");
  }
  if (result.deviation) {
    document.value("entry_noise", *result.deviation, "Noise in an entry, standard deviation");
    if (result.measures) document.fact("error_over_noise", error_over_noise(result));
  }
  if (result.cp) {
    describe_cp(result, document);
  } else if (result.tucker) {
    describe_tucker(result, document);
  } else {
    document.weights(found.weights, "component");
  }
  for (std::size_t mode = 0; mode < found.factors.size(); ++mode) {
    document.columns(array_name(found, mode), found.factors[mode], tensor_rows(result, mode));
  }
  document.fact("status", status_text(found.status));
  if (!result.cp && !result.tucker) describe_power(result, document);
  if (!result.advice.empty()) document.fact("advice", with_dashes(result.advice));
  if (result.certificate) {
    document.fact("mechanism", mechanism_text(result.mechanism));
  } else {
    document.seconds("preparing", result.seconds_preparing).seconds(result.seconds);
  }
}

}  // namespace sotto
