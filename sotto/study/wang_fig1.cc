// Wang & Anandkumar 2016, Figure 1 (appendix A): how much noise the robust power method tolerates.
//
// The paper: T = v1^(x)3 + 0.75 v2^(x)3 + 0.5 v3^(x)3 plus noise of operator norm sigma, of three
// kinds; d from 25 to 200; 20 trials a setting. A trial succeeds when v^_i . v_i >= 1/4 for all
// three i. The failure probability passes from 0 to 1 at sigma ~ d^-1/2 (random noise), d^-1
// (adversarial) and 1/log d (weakly correlated).
// The paper reads this off pictures: the curves of all d fall together when sigma is multiplied by
// sqrt(d), d or ln d.
// Varied: noise, d, sigma, and starts and iterations, which the paper does not state. The 23 levels
// of sigma are the measures of a trial: its noise is drawn and scaled to operator norm 1 once.
// The statement: per d the sigma at which the failure rate crosses 1/2 (interpolated in log sigma
// after pooling); the spread of this transition over d under each of four scalings, and which is
// least; its slope in log d (in log log d for weakly correlated noise). Intervals by redrawing the
// trials.
// Beyond the paper: how far one start of the shifted power method stays below the best of 32; and
// equal weights in larger dimensions, with more starts and steps (wang_fig1_limit.h).
// v^_i is the i-th vector found: deflation makes their order part of what is recovered.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sotto/study/statistics.h"
#include "sotto/study/studies.h"
#include "sotto/study/wang_fig1_limit.h"
#include "sotto/study/wang_fig1_trial.h"

namespace sotto {
namespace wang_fig1_study {
namespace {

constexpr const char* kOneStart = "norm by one start";

std::string level_name(int j) { return fmt::format("failed at {:.4g}", level(j)); }

StudyPlan make_plan(const StudySettings& settings) {
  StudyPlan plan;
  for (const char* noise : {"gaussian", "adversarial", "weak"}) {
    for (const std::int64_t dim : {25, 50, 100, 200}) {
      if (settings.quick && dim > 100) continue;
      plan.cells.push_back(cell_of(noise, dim, kFew));
      if (dim <= 100 && !settings.quick) plan.cells.push_back(cell_of(noise, dim, kMany));
    }
  }
  for (int j = 0; j < kLevels; ++j) plan.measures.push_back(level_name(j));
  plan.measures.push_back(kOneStart);
  for (const StudyCell& cell : limit_cells(settings)) plan.cells.push_back(cell);
  for (const std::string& name : limit_measures()) plan.measures.push_back(name);
  const auto all = plan.measures.size();
  plan.trials = 20;
  plan.trial = [all](const StudyCell& cell, std::uint64_t seed) {
    std::vector<double> measured(all, std::numeric_limits<double>::quiet_NaN());
    const bool paper = cell.text("weights") == kPaperWeights;
    const std::vector<double> own = paper ? paper_trial(cell, seed) : limit_trial(cell, seed);
    std::copy(own.begin(), own.end(),
              measured.begin() + (paper ? 0 : std::ssize(measured) - std::ssize(own)));
    return measured;
  };
  return plan;
}

// Failures of one (noise, effort): by d, then by level.
struct Curves {
  std::vector<double> dims;
  std::vector<Trials> failed;  // kLevels for each d

  // log sigma at which half of the trials fail, for each d.
  static std::vector<double> transitions(const std::vector<Trials>& cells) {
    std::vector<double> x;
    x.reserve(kLevels);
    for (int j = 0; j < kLevels; ++j) x.push_back(std::log(level(j)));
    return crossings(x, cells, 0.5, Trend::rising);
  }
};

Curves curves_of(const StudyTable& table, const std::string& noise, const Effort& effort) {
  Curves curves;
  for (const StudyCell& cell : table.plan.cells) {
    if (cell != cell_of(noise, cell.whole("d"), effort)) continue;
    curves.dims.push_back(cell.number("d"));
    for (int j = 0; j < kLevels; ++j) {
      curves.failed.push_back(table.measured(cell, level_name(j)));
    }
  }
  return curves;
}

// The slope of log sigma* over `of(d)`.
Estimate exponent(const Curves& curves, double (*of)(double)) {
  std::vector<double> x;
  for (const double d : curves.dims) x.push_back(of(d));
  return bootstrap(curves.failed, [&x](const std::vector<Trials>& cells) {
    return slope_of(x, Curves::transitions(cells));
  });
}

// The same between the two largest d only.
Estimate exponent_at_the_end(const Curves& curves, double (*of)(double)) {
  Curves end;
  end.dims.assign(curves.dims.end() - 2, curves.dims.end());
  end.failed.assign(curves.failed.end() - 2 * kLevels, curves.failed.end());
  return exponent(end, of);
}

// ---- the four scalings of the paper ----

double log_of(double d) { return std::log(d); }
double log_log_of(double d) { return std::log(std::log(d)); }
double one(double) { return 1; }
double root(double d) { return std::sqrt(d); }
double same(double d) { return d; }

struct Scaling {
  const char* name;
  double (*of)(double);
};
constexpr std::array<Scaling, 4> kScalings = {
    {{"sigma", one}, {"sigma sqrt(d)", root}, {"sigma d", same}, {"sigma ln d", log_of}}};

// The largest over the smallest transition among all d, less one: 0 where the curves coincide.
double spread_of(const std::vector<double>& dims, const std::vector<double>& transitions,
                 const Scaling& scaling) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const double at = transitions[i] + std::log(scaling.of(dims[i]));
    if (std::isnan(at)) return at;
    low = std::min(low, at);
    high = std::max(high, at);
  }
  return std::exp(high - low) - 1;
}

struct Collapse {
  std::array<Estimate, 4> spreads{};
  std::size_t least = 0;
  // The spread under the best other scaling over that under the paper's, both plus one: above 1
  // where the paper's is least.
  Estimate margin{};
};

Collapse collapse_of(const Curves& curves, std::size_t claimed) {
  Collapse found;
  for (std::size_t k = 0; k < kScalings.size(); ++k) {
    found.spreads[k] = bootstrap(curves.failed, [&](const std::vector<Trials>& cells) {
      return spread_of(curves.dims, Curves::transitions(cells), kScalings[k]);
    });
    if (found.spreads[k].value < found.spreads[found.least].value) found.least = k;
  }
  found.margin = bootstrap(curves.failed, [&](const std::vector<Trials>& cells) {
    const std::vector<double> at = Curves::transitions(cells);
    double other = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < kScalings.size(); ++k) {
      if (k != claimed) other = std::min(other, spread_of(curves.dims, at, kScalings[k]));
    }
    return (1 + other) / (1 + spread_of(curves.dims, at, kScalings[claimed]));
  });
  return found;
}

std::string percent(const Estimate& spread) {
  return fmt::format("{:.0f}% [{:.0f}, {:.0f}]", 100 * spread.value, 100 * spread.low,
                     100 * spread.high);
}

std::string to_words(const Collapse& found) {
  std::string text = "over d the transition spreads by ";
  for (std::size_t k = 0; k < kScalings.size(); ++k) {
    text +=
        fmt::format("{}{} ({})", k == 0 ? "" : ", ", percent(found.spreads[k]), kScalings[k].name);
  }
  return text + fmt::format(
                    "; least for {}; the best other scaling over the paper's is {:.2f} "
                    "[{:.2f}, {:.2f}] times as wide",
                    kScalings[found.least].name, found.margin.value, found.margin.low,
                    found.margin.high);
}

Json to_json(const Collapse& found) {
  Json spreads;
  for (std::size_t k = 0; k < kScalings.size(); ++k) {
    spreads[kScalings[k].name] = sotto::to_json(found.spreads[k]);
  }
  return {{"spreads", spreads},
          {"least", kScalings[found.least].name},
          {"margin", sotto::to_json(found.margin)}};
}

// Failure rates against sigma times `scale(d)`: with the right scale the curves coincide.
Chart panel(const Curves& curves, const std::string& title, const std::string& label,
            double (*scale)(double)) {
  Chart chart{title, label, "failure rate", true, false, {}, {}};
  for (std::size_t i = 0; i < curves.dims.size(); ++i) {
    ChartSeries series;
    series.name = fmt::format("d = {}", curves.dims[i]);
    for (int j = 0; j < kLevels; ++j) {
      series.x.push_back(level(j) * scale(curves.dims[i]));
      series.y.push_back(mean_of(curves.failed[i * kLevels + static_cast<std::size_t>(j)]));
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

Json transitions_json(const Curves& curves) {
  Json result;
  const std::vector<double> at = Curves::transitions(curves.failed);
  for (std::size_t i = 0; i < at.size(); ++i) {
    result.push_back({{"d", curves.dims[i]}, {"sigma", json_number(std::exp(at[i]))}});
  }
  return result;
}

struct Claim {
  const char* noise;
  const char* title;
  const char* states;
  const char* measured;
  double expected;
  double (*of)(double);
  std::size_t scaling;  // the one of kScalings under which the paper's curves fall together
  const char* why;
};

const Claim kClaims[] = {
    {"gaussian", "random noise", "random noise: failures set in at sigma ~ d^-1/2",
     "exponent of d {}", -0.5, log_of, 1,
     "Starts and steps allow sigma ~ 0.5 sqrt(2 ln 50 / d), 2.6 to 2.8 times as much in units of "
     "the operator norm. At d = 25 and 50 this is above the third weight, 0.5, and noise has "
     "maxima "
     "above that component: the transition is held back there, which makes the exponent flatter. "
     "The findings with equal weights below go to larger d."},
    {"adversarial", "adversarial noise", "adversarial noise: failures set in at sigma ~ d^-1",
     "exponent of d {}", -1, log_of, 2,
     "The noise pulls every start towards v2, so v1 is found first only from a start with v1.u of "
     "the order of sqrt(sigma). The power -1 needs few starts: with many, small dimensions are "
     "limited instead by sigma = 0.25, where v2 (0.75 + sigma) outweighs v1. The order counts: all "
     "three vectors are still found, in another order, at sigma of 0.5 and more."},
    {"weak", "weakly correlated noise",
     "weakly correlated noise: failures set in at sigma ~ 1/log d", "exponent of log d {}", -1,
     log_log_of, 3,
     "A start reaches v3 when 0.5 v3.u exceeds sigma times the largest of d - 3 overlaps, which "
     "grows as sqrt(2 ln d): the power of ln d is near -1/2. From d = 25 to 200 ln d grows by a "
     "factor "
     "of 1.6 only, so this figure does not tell 1/ln d from its root; the finding with d up to "
     "102,400 below does."},
};

Finding finding_of(const StudyTable& table, const Claim& claim) {
  const Curves few = curves_of(table, claim.noise, kFew);
  const Collapse collapse = collapse_of(few, claim.scaling);
  const Estimate slope = exponent(few, claim.of);
  Finding finding;
  finding.states = claim.states;
  finding.measured = to_words(collapse) + "; " +
                     fmt::format(fmt::runtime(claim.measured), to_words(slope)) +
                     fmt::format(", {} starts, {} iterations", kFew.starts, kFew.iterations);
  const Estimate end = exponent_at_the_end(few, claim.of);
  finding.measured += fmt::format("; {} between d = {} and {}", to_words(end),
                                  few.dims[few.dims.size() - 2], few.dims.back());
  finding.same = collapse.margin.high >= 1;  // no other scaling is clearly better
  finding.why = claim.why;
  finding.numbers = {{"expected", claim.expected},
                     {"collapse", to_json(collapse)},
                     {"exponent", to_json(slope)},
                     {"exponent_between_the_largest_two", to_json(end)},
                     {"starts", kFew.starts},
                     {"iterations", kFew.iterations},
                     {"transitions", transitions_json(few)}};
  const Curves many = curves_of(table, claim.noise, kMany);
  if (many.dims.size() > 1) {
    const Estimate other = exponent(many, claim.of);
    finding.measured += fmt::format("; {} with {} starts, {} iterations, d up to 100",
                                    to_words(other), kMany.starts, kMany.iterations);
    finding.numbers["with_more"] = {{"exponent", to_json(other)},
                                    {"starts", kMany.starts},
                                    {"iterations", kMany.iterations},
                                    {"transitions", transitions_json(many)}};
  }
  return finding;
}

// What the norm by one start changes: a factor of sigma, and an exponent where it depends on d.
Finding one_start(const StudyTable& table) {
  std::vector<double> log_dims;
  std::vector<Trials> ratios;
  std::string text;
  for (const StudyCell& cell : table.plan.cells) {
    if (cell != cell_of("gaussian", cell.whole("d"), kFew)) continue;
    log_dims.push_back(std::log(cell.number("d")));
    ratios.push_back(table.measured(cell, kOneStart));
    text += fmt::format("{}{} (d = {})", text.empty() ? "" : ", ",
                        to_words(mean_estimate(ratios.back())), cell.whole("d"));
  }
  const Estimate slope = bootstrap(ratios, [&](const std::vector<Trials>& cells) {
    std::vector<double> y;
    y.reserve(cells.size());
    for (const Trials& trials : cells) y.push_back(std::log(mean_of(trials)));
    return slope_of(log_dims, y);
  });
  Finding finding;
  finding.states =
      "(sotto) an operator norm by one start of the shifted power method changes the exponent of "
      "random noise by less than 0.05";
  finding.measured =
      "it finds " + text + " of the best of 32 starts; exponent of d " + to_words(slope);
  finding.same = std::abs(slope.value) < 0.05;
  finding.why =
      "The local maxima of a random tensor lie close to the largest, and closer in more "
      "dimensions.";
  finding.numbers = {{"exponent", sotto::to_json(slope)}};
  return finding;
}

StudyOutcome conclude(const StudyTable& table) {
  StudyOutcome outcome;
  outcome.columns = 3;
  for (const Claim& claim : kClaims) {
    outcome.panels.push_back(panel(curves_of(table, claim.noise, kFew), claim.title,
                                   "operator norm of the noise, sigma", one));
    outcome.findings.push_back(finding_of(table, claim));
  }
  for (const Claim& claim : kClaims) {
    outcome.panels.push_back(panel(curves_of(table, claim.noise, kFew),
                                   std::string(claim.title) + ", scaled",
                                   kScalings[claim.scaling].name, kScalings[claim.scaling].of));
  }
  outcome.findings.push_back(one_start(table));
  for (Finding& finding : limit_findings(table)) outcome.findings.push_back(std::move(finding));
  outcome.notes = {
      "The same means here that no other of the four scalings is better outside of the error. With "
      "20 trials a setting, as in the paper, several scalings are as good as the best; the "
      "exponents "
      "are beside them.",
      "The paper does not state starts and iterations; both are chosen here, and the full settings "
      "measure a second choice beside the first.",
      "Starts, iterations and the reading of the criterion were settled after trying others (1 to "
      "30 starts, 5 to 100 iterations, vectors matched in any order or by weight). Matched in any "
      "order, adversarial noise showed no transition at 1/d, so its exponent confirms the paper "
      "under this reading only.",
      "The i-th vector found must match the i-th component (cosine at least 1/4), as the paper "
      "writes it; noise of each trial is scaled by its operator norm, found by the shifted power "
      "method from 32 starts."};
  return outcome;
}

}  // namespace
}  // namespace wang_fig1_study

Study wang_fig1() {
  return {"wang-fig1", "Noise that the robust power method tolerates, by dimension",
          "Wang & Anandkumar 2016, Figure 1", wang_fig1_study::make_plan,
          wang_fig1_study::conclude};
}

}  // namespace sotto
