#include "sotto/study/wei_simulation.h"

#include <fmt/format.h>

#include <cmath>

#include "sotto/synthetic/ratings.h"

namespace sotto {
namespace {

double mean_over(const StudyTable& table, const std::vector<StudyCell>& cells,
                 const std::string& measure) {
  Trials means;
  for (const StudyCell& cell : cells) {
    const Trials trials = table.measured(cell, measure);
    if (!trials.empty()) means.push_back(mean_of(trials));
  }
  return mean_of(means);
}

}  // namespace

LowRank model_of(const StudyCell& cell) { return value_named<LowRank>(cell.text("model")).value(); }

CompletionProblem wei_problem(LowRank model, double missing, std::uint64_t seed) {
  const bool cp = model == LowRank::cp;
  RatingModel law;
  law.model = cp ? RatingLaw::cp : RatingLaw::tucker;
  law.missing = missing;
  law.seed = static_cast<std::int64_t>(seed);
  SyntheticRatings made = generate_ratings(law);
  CompletionProblem problem{std::move(made.train), std::move(made.test), {}, false};
  problem.settings.kind = model;
  problem.settings.rank = 3;
  problem.settings.lambda = cp ? 0.01 : 0.001;
  problem.settings.core_lambda = 0.0001;
  problem.settings.step = 0.005;
  problem.settings.epochs = 100;
  return problem;
}

Chart wei_panel(const StudyTable& table, const std::vector<StudyCell>& cells,
                const std::string& parameter, const std::string& title) {
  Chart chart;
  chart.title = title;
  chart.x_label = parameter == "missing" ? "missing ratio" : parameter;
  chart.y_label = "test RMSE";
  chart.log_x = parameter == "epsilon";
  chart.log_y = true;
  const std::pair<const char*, const char*> kShown[] = {{"baseline", "without noise"},
                                                        {"input", "input"},
                                                        {"gradient_small", "gradient 0.01"},
                                                        {"gradient_large", "gradient 1"},
                                                        {"output_small", "output 0.01"},
                                                        {"output_large", "output 1"},
                                                        {"strict", "strict"},
                                                        {"mean", "mean"}};
  for (const auto& [measure, name] : kShown) {
    chart.series.push_back(series_of(table, cells, parameter, measure, name));
  }
  return chart;
}

Finding wei_order(const StudyTable& table, const std::vector<StudyCell>& cells,
                  const std::string& clip) {
  const std::string gradient = "gradient_" + clip, output = "output_" + clip;
  const CellOrder first = compare(table, cells, gradient, output);
  const CellOrder second = compare(table, cells, output, "input");
  Finding finding;
  finding.states = fmt::format(
      "gradient perturbation is the most accurate, then output, then input (clipping "
      "constant {})",
      clip == "small" ? "0.01" : "1");
  finding.measured = fmt::format("gradient below output {}; output below input {}", to_words(first),
                                 to_words(second));
  finding.same = first.confirmed() && second.confirmed();
  finding.why =
      "The paper does not state its clipping constants m and L. Noise on gradients and on the "
      "output is proportional to them and that on the input is not, so they decide the order at "
      "no cost: neither method's certificate says more than none.";
  finding.numbers = {{"gradient < output", to_json(first)}, {"output < input", to_json(second)}};
  return finding;
}

Finding wei_baseline(const StudyTable& table, const std::vector<StudyCell>& cells) {
  Finding finding;
  finding.states = "no perturbed method is better than the baseline without noise";
  finding.same = true;
  int better = 0;
  for (const char* measure : {"input", "gradient_small", "output_small"}) {
    const CellOrder order = compare(table, cells, measure, "baseline");
    finding.same = finding.same && 10 * order.holds <= order.cells();
    better += order.holds;
    finding.numbers[std::string(measure) + " < baseline"] = to_json(order);
  }
  const double baseline = mean_over(table, cells, "baseline"),
               mean = mean_over(table, cells, "mean");
  finding.measured = fmt::format(
      "a perturbed method is better in {} cells; the baseline's RMSE is {:.3g}, that of the mean "
      "of the training entries {:.3g}",
      better, baseline, mean);
  finding.numbers["baseline"] = json_number(baseline);
  finding.numbers["mean"] = json_number(mean);
  if (baseline > 0.98 * mean) {
    finding.why =
        "With the paper's step, epochs and regularisation the baseline itself learns little or "
        "nothing beyond the mean, so there is little that noise could take away.";
  }
  return finding;
}

Finding wei_strict(const StudyTable& table, const std::vector<StudyCell>& cells) {
  const CellOrder order = compare(table, cells, "strict", "input");
  Finding finding;
  finding.states =
      "(sotto) strict is better than input perturbation, the one published method that is private";
  finding.measured = "strict below input " + to_words(order);
  finding.same = order.confirmed();
  finding.why = order.confirmed() ? ""
                                  : "Where the sums are taken, a low-rank part that the positions "
                                    "do not tell of is not learnt.";
  finding.numbers = to_json(order);
  return finding;
}

std::string wei_divergence(const StudyTable& table) {
  int lost = 0, runs = 0;
  for (const StudyRow& row : table.rows) {
    for (std::size_t m = 0; m < 6; ++m, ++runs) lost += std::isnan(row.measured[m]) ? 1 : 0;
  }
  return fmt::format(
      "{} of {} runs of the published methods grew without bound and are left out of the means.",
      lost, runs);
}

}  // namespace sotto
