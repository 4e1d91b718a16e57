// Wei et al. 2022, Figure 3: RMSE against the share of entries that are missing.
//
// The paper: wei_simulation.h, missing ratio 0.1 to 0.9, 10 runs. Varied: model, missing ratio and
// epsilon (1 and 5; the paper does not state its values).
// The statement: the RMSE at ratios 0.8 and 0.9 over that at 0.1, for each method: it rises with
// the ratio, and much only at 0.9.
#include <fmt/format.h>

#include "sotto/study/studies.h"
#include "sotto/study/wei_simulation.h"

namespace sotto {
namespace wei_fig3_study {
namespace {

StudyCell cell_of(const std::string& model, double epsilon, double missing) {
  return StudyCell().with("model", model).with("epsilon", epsilon).with("missing", missing);
}

std::vector<double> run_trial(const StudyCell& cell, std::uint64_t seed) {
  return completion_errors(wei_problem(model_of(cell), cell.number("missing"), seed),
                           cell.number("epsilon"), seed);
}

StudyPlan make_plan(const StudySettings& settings) {
  StudyPlan plan;
  const auto ratios = settings.quick
                          ? std::vector<double>{0.1, 0.5, 0.8, 0.9}
                          : std::vector<double>{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};
  for (const char* model : {"cp", "tucker"}) {
    for (const double epsilon : {1, 5}) {
      for (const double ratio : ratios) plan.cells.push_back(cell_of(model, epsilon, ratio));
    }
  }
  plan.measures = completion_measures();
  plan.trials = settings.quick ? 4 : 10;
  plan.trial = run_trial;
  return plan;
}

double ratio_to_first(const StudyTable& table, const std::string& model, double epsilon,
                      double missing, const std::string& measure) {
  return mean_of(table.measured(cell_of(model, epsilon, missing), measure)) /
         mean_of(table.measured(cell_of(model, epsilon, 0.1), measure));
}

Finding growth(const StudyTable& table, const std::string& measure, const std::string& name) {
  Finding finding;
  finding.states = fmt::format("{}: the RMSE rises with the missing ratio, much only at 0.9", name);
  Trials before, last;
  for (const char* model : {"cp", "tucker"}) {
    for (const double epsilon : {1, 5}) {
      before.push_back(ratio_to_first(table, model, epsilon, 0.8, measure));
      last.push_back(ratio_to_first(table, model, epsilon, 0.9, measure));
    }
  }
  finding.measured = fmt::format("{:.3g} times the RMSE of ratio 0.1 at 0.8, {:.3g} times at 0.9",
                                 mean_of(before), mean_of(last));
  finding.same = mean_of(last) > 1.1 && mean_of(last) > 1.05 * mean_of(before);
  finding.why =
      "At the paper's step and 100 epochs the methods stay near the mean of the data whatever the "
      "number of entries. Fewer entries are also fewer steps, so noise added at every step builds "
      "up less.";
  finding.numbers = {{"at_0.8", json_number(mean_of(before))},
                     {"at_0.9", json_number(mean_of(last))}};
  return finding;
}

StudyOutcome conclude(const StudyTable& table) {
  StudyOutcome outcome;
  outcome.columns = 2;
  for (const char* model : {"cp", "tucker"}) {
    for (const double epsilon : {1, 5}) {
      std::vector<StudyCell> cells;
      for (const StudyCell& cell : table.plan.cells) {
        if (cell.text("model") == model && cell.number("epsilon") == epsilon) cells.push_back(cell);
      }
      outcome.panels.push_back(
          wei_panel(table, cells, "missing",
                    fmt::format("{}, epsilon = {}", model[0] == 'c' ? "CP" : "Tucker", epsilon)));
    }
  }
  outcome.findings = {growth(table, "input", "input perturbation"),
                      growth(table, "gradient_small", "gradient perturbation (0.01)"),
                      growth(table, "output_small", "output perturbation (0.01)"),
                      wei_baseline(table, table.plan.cells)};
  outcome.notes = {wei_divergence(table)};
  return outcome;
}

}  // namespace
}  // namespace wei_fig3_study

Study wei_fig3() {
  return {"wei-fig3", "Private completion of simulated tensors against the missing ratio",
          "Wei et al. 2022, Figure 3", wei_fig3_study::make_plan, wei_fig3_study::conclude};
}

}  // namespace sotto
