// Wang & Anandkumar 2016, appendix B: whitening from the tensor alone tolerates less noise.
//
// The paper (no figure): the top-k eigenspace of T(I,I,theta) for a random theta differs from the
// span of the components by at most O~(sqrt(d) sigma / lambda_min), so whitening without side
// information has a worse noise condition than the power method.
// Varied: d, and sigma as in Figure 1 (random noise of operator norm sigma on T = v1^(x)3 + 0.75
// v2^(x)3 + 0.5 v3^(x)3). Measures of a trial, at each level of sigma: the distance
// |P - P^| of the projections, and whether each method finds all three components (cosine 1/4,
// any order); 20 starts and 50 iterations for both.
// The statements: the exponent of d in distance over sigma, for small sigma, where the distance is
// proportional to it; and the noise that each method tolerates.
#include <fmt/format.h>

#include <cmath>

#include "sotto/base/error.h"
#include "sotto/decompose/whitening.h"
#include "sotto/linalg/gemm.h"
#include "sotto/linalg/spectral.h"
#include "sotto/study/comparison.h"
#include "sotto/study/studies.h"
#include "sotto/synthetic/tensor.h"
#include "sotto/tensor/contraction.h"

namespace sotto {
namespace wang_whitening_study {
namespace {

constexpr int kLevels = 14;
constexpr int kSmallLevels = 4;  // up to sigma 0.008, where no distance is near 1

double level(int j) { return 0.002 * std::pow(1.6, j); }
std::string name_of(const char* what, int j) { return fmt::format("{} at {:.4g}", what, level(j)); }

bool all_found(const Matrix& vectors, const Matrix& found) {
  return (multiply_transposed(vectors, found).cwiseAbs().rowwise().maxCoeff().array() >= 0.25)
      .all();
}

// |P - P^| in operator norm, for spans of equal dimension: the sine of the largest angle.
double projection_distance(const Matrix& vectors, const Matrix& basis) {
  const Matrix overlap = multiply_transposed(vectors, orthonormal_columns(basis));
  const double least_square = ascending_eigenpairs(multiply_transposed(overlap, overlap)).values[0];
  return std::sqrt(std::max(0.0, 1 - least_square));
}

struct Seen {
  double distance = 1;
  bool whitened = false;
  bool power = false;
};

Seen look(const SymmetricTensor& tensor, const Matrix& vectors, std::uint64_t seed) {
  PowerOptions options;
  options.components = vectors.cols();
  options.starts = 20;
  options.iterations = 50;
  options.polish = 0;
  options.tolerance = 1e-6;
  options.residuals = false;
  options.seed = static_cast<std::int64_t>(seed);
  TensorOracle oracle(tensor);
  Seen seen;
  seen.power = all_found(vectors, robust_power_method(oracle, options).vectors());
  try {
    const Whitening whitening = whitening_from_tensor(tensor, vectors.cols(), seed);
    seen.distance = projection_distance(vectors, whitening.unwhiten);
    seen.whitened = all_found(vectors, whitened_power_method(tensor, whitening, options).vectors());
  } catch (const Error&) {
    // No theta makes T(I,I,theta) positive definite: whitening gives nothing.
  }
  return seen;
}

std::vector<double> run_trial(const StudyCell& cell, std::uint64_t seed) {
  TensorModel model;
  model.dim = cell.whole("d");
  model.components = 3;
  model.weights = {1, 0.75, 0.5};
  model.seed = static_cast<std::int64_t>(seed);
  const SyntheticTensor signal = generate_tensor(model);
  model.noise = TensorNoise::gaussian;
  model.noise_norm = 1;
  SymmetricTensor noise = generate_tensor(model).tensor;
  noise.add_scaled(-1, signal.tensor);
  std::vector<double> distance, whitened, power;
  for (int j = 0; j < kLevels; ++j) {
    SymmetricTensor noisy = signal.tensor;
    noisy.add_scaled(level(j), noise);
    const Seen seen = look(noisy, signal.vectors, seed / 2 + static_cast<std::uint64_t>(j));
    distance.push_back(seen.distance);
    whitened.push_back(seen.whitened ? 0 : 1);
    power.push_back(seen.power ? 0 : 1);
  }
  distance.insert(distance.end(), whitened.begin(), whitened.end());
  distance.insert(distance.end(), power.begin(), power.end());
  return distance;
}

StudyPlan make_plan(const StudySettings& settings) {
  StudyPlan plan;
  for (const double d : {25, 50, 100, 200}) {
    if (d <= (settings.quick ? 50 : 200)) plan.cells.push_back(StudyCell().with("d", d));
  }
  for (const char* what : {"distance", "whitened failed", "power failed"}) {
    for (int j = 0; j < kLevels; ++j) plan.measures.push_back(name_of(what, j));
  }
  plan.trials = settings.quick ? 10 : 20;
  plan.trial = run_trial;
  return plan;
}

std::vector<Trials> collect(const StudyTable& table, const char* what) {
  std::vector<Trials> cells;
  for (const StudyCell& cell : table.plan.cells) {
    for (int j = 0; j < kLevels; ++j) cells.push_back(table.measured(cell, name_of(what, j)));
  }
  return cells;
}

double median_of(Trials values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// log sigma at which half of the trials fail, for each d.
std::vector<double> transitions(const std::vector<Trials>& cells) {
  std::vector<double> x;
  x.reserve(kLevels);
  for (int j = 0; j < kLevels; ++j) x.push_back(std::log(level(j)));
  return crossings(x, cells, 0.5, Trend::rising);
}

// log(median distance / sigma), averaged over the smallest levels, for each d.
std::vector<double> log_growth(const std::vector<Trials>& cells) {
  std::vector<double> result;
  for (std::size_t c = 0; c < cells.size(); c += kLevels) {
    double sum = 0;
    for (int j = 0; j < kSmallLevels; ++j) {
      sum += std::log(median_of(cells[c + static_cast<std::size_t>(j)]) / level(j));
    }
    result.push_back(sum / kSmallLevels);
  }
  return result;
}

Finding distance_finding(const StudyTable& table) {
  std::vector<double> x;
  for (const StudyCell& cell : table.plan.cells) x.push_back(std::log(cell.number("d")));
  const Estimate power = bootstrap(collect(table, "distance"), [&x](const auto& cells) {
    return slope_of(x, log_growth(cells));
  });
  const bool decided = power.high - power.low < 1;
  return {"the distance of the subspaces is at most of the order of sqrt(d) sigma",
          fmt::format("for small sigma the median distance over sigma grows as d^b, b = {}",
                      to_words(power)),
          decided && power.low <= 0.5,
          decided ? ""
                  : "The interval is too wide to decide: the distance varies as one over the "
                    "least overlap of theta with a component.",
          to_json(power)};
}

Finding noise_finding(const StudyTable& table) {
  const std::vector<double> whitened = transitions(collect(table, "whitened failed"));
  const std::vector<double> power = transitions(collect(table, "power failed"));
  std::vector<Trials> both = collect(table, "power failed");
  for (Trials& trials : collect(table, "whitened failed")) both.push_back(std::move(trials));
  const std::size_t half = both.size() / 2, last = table.plan.cells.size() - 1;
  const Estimate ratio = bootstrap(both, [half, last](const std::vector<Trials>& drawn) {
    const auto middle = drawn.begin() + static_cast<std::ptrdiff_t>(half);
    return std::exp(transitions({drawn.begin(), middle})[last] -
                    transitions({middle, drawn.end()})[last]);
  });
  Finding finding;
  finding.states = "whitening without side information tolerates less noise than the power method";
  finding.same = ratio.low > 1;
  finding.numbers["ratio"] = to_json(ratio);
  for (std::size_t i = 0; i < whitened.size(); ++i) {
    finding.numbers["half_fail_at"].push_back({{"d", table.plan.cells[i].number("d")},
                                               {"power", json_number(std::exp(power[i]))},
                                               {"whitening", json_number(std::exp(whitened[i]))}});
  }
  finding.measured = fmt::format(
      "at d = {} the power method tolerates {} times the noise (half of the trials fail)",
      table.plan.cells.back().text("d"), to_words(ratio));
  return finding;
}

StudyOutcome conclude(const StudyTable& table) {
  StudyOutcome outcome;
  outcome.columns = 2;
  Chart distance{"Distance of the subspaces", "sigma", "median |P - P^|", true, true, {}, {}};
  Chart failure{"Failures at the largest d", "sigma", "failure rate", true, false, {}, {}};
  const auto all = collect(table, "distance");
  for (std::size_t i = 0; i < table.plan.cells.size(); ++i) {
    ChartSeries series;
    series.name = "d = " + table.plan.cells[i].text("d");
    for (int j = 0; j < kLevels; ++j) {
      series.x.push_back(level(j));
      series.y.push_back(median_of(all[i * kLevels + static_cast<std::size_t>(j)]));
    }
    distance.series.push_back(std::move(series));
  }
  for (const char* what : {"power failed", "whitened failed"}) {
    ChartSeries series;
    series.name = what[0] == 'p' ? "power method" : "whitening";
    for (int j = 0; j < kLevels; ++j) {
      series.x.push_back(level(j));
      series.y.push_back(mean_of(table.measured(table.plan.cells.back(), name_of(what, j))));
    }
    failure.series.push_back(std::move(series));
  }
  outcome.panels = {distance, failure};
  outcome.findings = {distance_finding(table), noise_finding(table)};
  outcome.notes = {
      "The eigenspace is that of one random theta, as in the paper; within it the library improves "
      "theta until the k x k matrix is positive definite, which the paper leaves open."};
  return outcome;
}

}  // namespace
}  // namespace wang_whitening_study

Study wang_whitening() {
  return {"wang-whitening", "Whitening from the tensor alone under noise",
          "Wang & Anandkumar 2016, appendix B", wang_whitening_study::make_plan,
          wang_whitening_study::conclude};
}

}  // namespace sotto
