// Wei et al. 2022, Figure 2: RMSE of the three perturbations against epsilon, simulated tensors.
//
// The paper: wei_simulation.h, half of the entries missing, 50 realisations, mean and deviation.
// Varied: model (CP, Tucker) and epsilon. The paper does not state the clipping constants m and L;
// they are 0.01 and 1 here. Beside the three: the same gradients without noise, the mean of the
// training entries, and the strict method.
// The statements: the order of the methods cell by cell, and the deviation over realisations.
#include <fmt/format.h>

#include <map>

#include "sotto/study/studies.h"
#include "sotto/study/wei_simulation.h"

namespace sotto {
namespace wei_fig2_study {
namespace {

StudyCell cell_of(const std::string& model, double epsilon) {
  return StudyCell().with("model", model).with("epsilon", epsilon);
}

std::vector<double> run_trial(const StudyCell& cell, std::uint64_t seed) {
  return completion_errors(wei_problem(model_of(cell), 0.5, seed), cell.number("epsilon"), seed);
}

StudyPlan make_plan(const StudySettings& settings) {
  StudyPlan plan;
  const auto epsilons = settings.quick ? std::vector<double>{0.1, 1, 10}
                                       : std::vector<double>{0.1, 0.2, 0.5, 1, 2, 5, 10};
  for (const char* model : {"cp", "tucker"}) {
    for (const double e : epsilons) plan.cells.push_back(cell_of(model, e));
  }
  plan.measures = completion_measures();
  plan.trials = settings.quick ? 8 : 50;
  plan.trial = run_trial;
  return plan;
}

// Deviations over realisations, averaged over the cells from epsilon 1 on.
Finding stability(const StudyTable& table) {
  Finding finding;
  finding.states =
      "gradient perturbation fluctuates least as long as epsilon is not too small (constants 0.01)";
  std::map<std::string, Trials> spread;
  for (const StudyCell& cell : table.plan.cells) {
    if (cell.number("epsilon") < 1) continue;
    for (const char* measure : {"gradient_small", "output_small", "input"}) {
      const Trials trials = table.measured(cell, measure);
      if (trials.size() > 1) spread[measure].push_back(deviation_of(trials));
    }
  }
  const double gradient = mean_of(spread["gradient_small"]),
               output = mean_of(spread["output_small"]), input = mean_of(spread["input"]);
  finding.measured = fmt::format(
      "mean deviation {:.3g} (gradient), {:.3g} (output), {:.3g} (input)", gradient, output, input);
  finding.same = gradient <= 1.05 * output && gradient <= 1.05 * input;
  finding.numbers = {{"gradient", json_number(gradient)},
                     {"output", json_number(output)},
                     {"input", json_number(input)}};
  return finding;
}

StudyOutcome conclude(const StudyTable& table) {
  StudyOutcome outcome;
  outcome.columns = 2;
  for (const char* model : {"cp", "tucker"}) {
    std::vector<StudyCell> cells;
    for (const StudyCell& cell : table.plan.cells) {
      if (cell.text("model") == model) cells.push_back(cell);
    }
    outcome.panels.push_back(
        wei_panel(table, cells, "epsilon", std::string(model) == "cp" ? "CP" : "Tucker"));
  }
  const auto& cells = table.plan.cells;
  outcome.findings = {wei_baseline(table, cells), wei_order(table, cells, "small"),
                      wei_order(table, cells, "large"), stability(table), wei_strict(table, cells)};
  outcome.notes = {
      wei_divergence(table),
      "RMSE is against the noisy test entries, as in the paper; at SNR 1 no method can "
      "go below 0.71 of that of the mean."};
  return outcome;
}

}  // namespace
}  // namespace wei_fig2_study

Study wei_fig2() {
  return {"wei-fig2", "Private completion of simulated tensors against epsilon",
          "Wei et al. 2022, Figure 2", wei_fig2_study::make_plan, wei_fig2_study::conclude};
}

}  // namespace sotto
