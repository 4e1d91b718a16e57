#include "sotto/study/wang_fig1_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sotto/base/random.h"
#include "sotto/decompose/block.h"
#include "sotto/study/statistics.h"
#include "sotto/study/wang_fig1_trial.h"
#include "sotto/tensor/contraction.h"

namespace sotto::wang_fig1_study {
namespace {

constexpr const char* kRandom = "gaussian";
constexpr const char* kWeak = "weak";
constexpr const char* kLength = "length over norm";
constexpr int kLimitLevels = 11;

double multiple(int j) { return std::pow(1.15, j - 6); }  // of the limit: 0.43 to 1.75
std::string multiple_name(int j) {
  return fmt::format("failed at {:.3g} of the limit", multiple(j));
}

// Efforts beside kFew, at one dimension: how starts and steps count.
constexpr Index kDimOfEfforts = 100;
constexpr Effort kMoreStarts = {20, 10}, kManyStarts = {80, 10}, kMoreSteps = {5, 40};

bool is_random(const StudyCell& cell) { return cell.text("noise") == kRandom; }

// ---- the trial ----

// sum e_i^(x)3 over all axes but the first three: weakly correlated noise of operator norm one.
class OtherAxes final : public SymmetricOracle {
 public:
  explicit OtherAxes(Index dim) : dim_(dim) {}
  Index dim() const override { return dim_; }
  int order() const override { return 3; }
  Matrix contract(const Matrix& block) override {
    Matrix answer = block.cwiseAbs2();
    answer.topRows(3).setZero();
    return answer;
  }
  Vector values(const Matrix& block) override { return column_dots(block, contract(block)); }

 private:
  Index dim_;
};

// e_a^(x)3 + e_b^(x)3 + e_c^(x)3, three axes that follow one another, plus sigma times the noise.
class AxesPlusNoise final : public SymmetricOracle {
 public:
  AxesPlusNoise(SymmetricOracle& noise, double sigma, Index first)
      : noise_(noise), sigma_(sigma), first_(first) {}
  Index dim() const override { return noise_.dim(); }
  int order() const override { return 3; }
  Matrix contract(const Matrix& block) override {
    Matrix answer = sigma_ * noise_.contract(block);
    answer.middleRows(first_, 3) += block.middleRows(first_, 3).cwiseAbs2();
    return answer;
  }
  Vector values(const Matrix& block) override { return column_dots(block, contract(block)); }

  Matrix vectors() const { return Matrix::Identity(dim(), first_ + 3).rightCols(3); }

 private:
  SymmetricOracle& noise_;
  double sigma_;
  Index first_;
};

// Independent normal entries, then the mean over all orderings of the indices.
SymmetricTensor random_noise(Index dim, std::uint64_t seed) {
  SymmetricTensor noise(dim, 3);
  SeededRandom random(seed);
  auto entry = noise.packed().begin();
  for_unique_entries(dim, 3, [&](const std::vector<Index>&, double multiplicity) {
    *entry++ = random.normal() / std::sqrt(multiplicity);
  });
  return noise;
}

// |E(I,u,u)| at random unit u, its mean.
double length_at_random(SymmetricOracle& noise, std::uint64_t seed) {
  SeededRandom random(seed, 1);
  return noise.contract(random_unit_block(noise.dim(), 8, random)).colwise().norm().mean();
}

// The best of n normal numbers, about.
double best_of(double n) { return std::sqrt(2 * std::log(n)); }

// In units of the weight; for random noise the length, for weakly correlated noise sigma.
double limit(const StudyCell& cell) {
  const double d = cell.number("d"), starts = cell.number("starts");
  return is_random(cell) ? best_of(starts * cell.number("iterations")) / std::sqrt(d)
                         : best_of(starts) / best_of(d);
}

// How often each level is tried: more often in small dimensions, where that costs little.
Index repeats_of(const StudyCell& cell) {
  const Index d = cell.whole("d");
  return is_random(cell) ? std::clamp<Index>(400 / d, 1, 8) : std::clamp<Index>(200000 / d, 2, 8);
}

// The failure rate at each level. Random noise is the same for all repeats, and the signal moves to
// other axes.
std::vector<double> failure_rates(const StudyCell& cell, SymmetricOracle& noise, double unit,
                                  std::uint64_t seed) {
  PowerOptions options = options_of(cell);
  const Index repeats = repeats_of(cell);
  std::vector<double> rates;
  for (int j = 0; j < kLimitLevels; ++j) {
    Index failed = 0;
    for (Index repeat = 0; repeat < repeats; ++repeat) {
      AxesPlusNoise tensor(noise, multiple(j) * unit, is_random(cell) ? 3 * repeat : 0);
      options.seed = static_cast<std::int64_t>(seed / 2) + 10 * (j + kLimitLevels * repeat);
      failed += recovers(tensor, tensor.vectors(), options, Order::any) ? 0 : 1;
    }
    rates.push_back(static_cast<double>(failed) / static_cast<double>(repeats));
  }
  return rates;
}

// ---- what the trials show ----

struct Transitions {
  std::vector<StudyCell> cells;
  std::vector<Trials> failed;   // kLimitLevels for each cell
  std::vector<double> lengths;  // over the operator norm; 1 for weakly correlated noise

  // Multiples of the limit at which half of the trials fail, one a cell, as logarithms.
  static std::vector<double> of(const std::vector<Trials>& failed) {
    std::vector<double> x;
    x.reserve(kLimitLevels);
    for (int j = 0; j < kLimitLevels; ++j) x.push_back(std::log(multiple(j)));
    return crossings(x, failed, 0.5, Trend::rising);
  }
  // The same as sigma.
  std::vector<double> log_sigmas(const std::vector<Trials>& sample) const {
    std::vector<double> at = of(sample);
    for (std::size_t i = 0; i < at.size(); ++i) at[i] += std::log(limit(cells[i]) / lengths[i]);
    return at;
  }
};

Transitions transitions_of(const StudyTable& table, const std::vector<StudyCell>& cells) {
  Transitions found;
  for (const StudyCell& cell : table.plan.cells) {
    if (std::find(cells.begin(), cells.end(), cell) == cells.end()) continue;
    found.cells.push_back(cell);
    for (int j = 0; j < kLimitLevels; ++j) {
      found.failed.push_back(table.measured(cell, multiple_name(j)));
    }
    found.lengths.push_back(is_random(cell) ? mean_of(table.measured(cell, kLength)) : 1);
  }
  return found;
}

std::vector<StudyCell> cells_over_dims(const std::string& noise, bool quick) {
  const std::vector<Index> dims = noise == kRandom
                                      ? std::vector<Index>{25, 50, 100, 200, 400}
                                      : std::vector<Index>{25, 100, 400, 1600, 6400, 25600, 102400};
  std::vector<StudyCell> cells;
  for (const Index dim : dims) {
    if (quick && dim > 1600 / (noise == kRandom ? 16 : 1)) continue;
    cells.push_back(cell_of(noise, dim, kFew, kEqualWeights));
  }
  return cells;
}

std::vector<StudyCell> cells_over_efforts(const std::string& noise) {
  std::vector<StudyCell> cells;
  for (const Effort& effort : {kFew, kMoreStarts, kManyStarts, kMoreSteps}) {
    cells.push_back(cell_of(noise, kDimOfEfforts, effort, kEqualWeights));
  }
  return cells;
}

// The largest over the smallest, less one.
double factor_spread(const std::vector<double>& logs) {
  const auto [low, high] = std::minmax_element(logs.begin(), logs.end());
  const bool known = std::none_of(logs.begin(), logs.end(), [](double x) { return std::isnan(x); });
  return known ? std::exp(*high - *low) - 1 : std::numeric_limits<double>::quiet_NaN();
}

Estimate in_percent(const Estimate& share) {
  return {100 * share.value, 100 * share.low, 100 * share.high};
}

std::string list_of(const std::vector<double>& logs) {
  std::string text;
  for (const double x : logs)
    text += fmt::format("{}{:.3g}", text.empty() ? "" : ", ", std::exp(x));
  return text;
}

std::string dims_of(const Transitions& found) {
  std::string text;
  for (const StudyCell& cell : found.cells) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", cell.whole("d"));
  }
  return text;
}

Json numbers_of(const Transitions& found) {
  const std::vector<double> sigma = found.log_sigmas(found.failed),
                            at = Transitions::of(found.failed);
  Json result = Json::array();
  for (std::size_t i = 0; i < at.size(); ++i) {
    result.push_back({{"d", found.cells[i].number("d")},
                      {"starts", found.cells[i].number("starts")},
                      {"iterations", found.cells[i].number("iterations")},
                      {"sigma", json_number(std::exp(sigma[i]))},
                      {"over_limit", json_number(std::exp(at[i]))}});
  }
  return result;
}

// The slope of log sigma over of(d), from dimension `least` on.
Estimate limit_exponent(const Transitions& found, double (*of)(double), double least) {
  std::vector<double> x;
  for (const StudyCell& cell : found.cells) {
    if (cell.number("d") >= least) x.push_back(of(cell.number("d")));
  }
  return bootstrap(found.failed, [&](const std::vector<Trials>& sample) {
    const std::vector<double> all = found.log_sigmas(sample);
    return slope_of(x, {all.end() - std::ssize(x), all.end()});
  });
}

double log_dim(double d) { return std::log(d); }
double log_log_dim(double d) { return std::log(std::log(d)); }

Finding random_over_dims(const StudyTable& table) {
  const Transitions found = transitions_of(table, cells_over_dims(kRandom, false));
  // From where on the limit is below the weight; two dimensions at least.
  std::size_t first = 0;
  while (first + 2 < found.cells.size() && limit(found.cells[first]) > found.lengths[first])
    ++first;
  const double least = found.cells[first].number("d");
  const Estimate all = limit_exponent(found, log_dim, 0),
                 large = limit_exponent(found, log_dim, least);
  const Estimate off = bootstrap(found.failed, [first](const std::vector<Trials>& sample) {
    const std::vector<double> at = Transitions::of(sample);
    return factor_spread({at.begin() + static_cast<std::ptrdiff_t>(first), at.end()});
  });
  Finding finding;
  finding.states =
      "(sotto) random noise, equal weights: failures set in at sigma ~ d^-1/2 where that is below "
      "the weight";
  finding.measured = fmt::format(
      "sigma = {} at d = {}: exponent {} from d = {:.0f} on, where starts and steps allow less "
      "than "
      "the weight; {} over all. Over what they allow, sqrt(2 ln n / d), the transition is {}: it "
      "spreads by {}% from d = {:.0f} on",
      list_of(found.log_sigmas(found.failed)), dims_of(found), to_words(large), least,
      to_words(all), list_of(Transitions::of(found.failed)), to_words(in_percent(off)), least);
  finding.why =
      "Noise of a norm above the weight has maxima above the component, which hold the transition "
      "back in small dimensions.";
  finding.same = off.value < 0.25;
  finding.numbers = {{"exponent", to_json(all)},
                     {"exponent_of_large", to_json(large)},
                     {"spread_of_large_over_limit", to_json(off)},
                     {"transitions", numbers_of(found)}};
  return finding;
}

Finding random_over_efforts(const StudyTable& table) {
  const Transitions found = transitions_of(table, cells_over_efforts(kRandom));
  const auto spread_by = [&](bool with_steps) {
    return bootstrap(found.failed, [&](const std::vector<Trials>& sample) {
      std::vector<double> at = Transitions::of(sample);
      for (std::size_t i = 0; i < at.size() && !with_steps; ++i) {
        const double starts = found.cells[i].number("starts");
        at[i] += std::log(best_of(starts * found.cells[i].number("iterations")) / best_of(starts));
      }
      return factor_spread(at);
    });
  };
  const Estimate tries = spread_by(true), starts = spread_by(false);
  std::string text;
  const std::vector<double> sigma = found.log_sigmas(found.failed);
  for (std::size_t i = 0; i < sigma.size(); ++i) {
    text += fmt::format("{}{:.3g} ({} starts, {} steps)", i == 0 ? "" : ", ", std::exp(sigma[i]),
                        found.cells[i].whole("starts"), found.cells[i].whole("iterations"));
  }
  Finding finding;
  finding.states =
      "(sotto) random noise: every step is one more start, so sigma ~ weight sqrt(2 ln n / d) with "
      "n "
      "starts times steps";
  finding.measured = fmt::format(
      "sigma = {} at d = {}; over sqrt(2 ln n / d) it spreads by {}% with n starts times steps, by "
      "{}% with n starts",
      text, kDimOfEfforts, to_words(in_percent(tries)), to_words(in_percent(starts)));
  finding.same = tries.high < starts.low;
  finding.why =
      "Noise moves a random start by |E(I,u,u)|, a little more than a third of its operator norm. "
      "In "
      "units of that norm, weight sqrt(2 ln L / d) with the L starts alone is about a quarter of "
      "what "
      "is tolerated.";
  finding.numbers = {{"spread_by_starts_times_steps", to_json(tries)},
                     {"spread_by_starts", to_json(starts)},
                     {"transitions", numbers_of(found)}};
  return finding;
}

Finding weak_over_dims(const StudyTable& table) {
  const Transitions found = transitions_of(table, cells_over_dims(kWeak, false));
  const auto spread_by = [&](double power) {
    return bootstrap(found.failed, [&](const std::vector<Trials>& sample) {
      std::vector<double> at = found.log_sigmas(sample);
      for (std::size_t i = 0; i < at.size(); ++i) {
        at[i] += power * log_log_dim(found.cells[i].number("d"));
      }
      return factor_spread(at);
    });
  };
  const Estimate slope = limit_exponent(found, log_log_dim, 0), root = spread_by(0.5),
                 whole = spread_by(1);
  Finding finding;
  finding.states =
      "(sotto) weakly correlated noise, equal weights: failures set in at sigma ~ (ln d)^-1/2";
  finding.measured = fmt::format(
      "sigma = {} at d = {}: exponent of ln d {}; the transition spreads by {}% over sqrt(ln d), "
      "by "
      "{}% over ln d",
      list_of(found.log_sigmas(found.failed)), dims_of(found), to_words(slope),
      to_words(in_percent(root)), to_words(in_percent(whole)));
  finding.same = root.high < whole.low;
  finding.why =
      "The largest of d overlaps grows as sqrt(2 ln d / d). A bound of 1/ln d is safe in large "
      "dimensions, but it is not where failures set in; d from 25 to 200 cannot tell the two "
      "apart.";
  finding.numbers = {{"exponent", to_json(slope)},
                     {"spread_over_root", to_json(root)},
                     {"spread_over_log", to_json(whole)},
                     {"transitions", numbers_of(found)}};
  return finding;
}

}  // namespace

std::vector<StudyCell> limit_cells(const StudySettings& settings) {
  std::vector<StudyCell> cells;
  for (const char* noise : {kRandom, kWeak}) {
    const std::vector<StudyCell> more = cells_over_dims(noise, settings.quick);
    cells.insert(cells.end(), more.begin(), more.end());
  }
  for (const StudyCell& cell : cells_over_efforts(kRandom)) {
    if (std::find(cells.begin(), cells.end(), cell) == cells.end()) cells.push_back(cell);
  }
  return cells;
}

std::vector<std::string> limit_measures() {
  std::vector<std::string> names;
  names.reserve(kLimitLevels + 1);
  for (int j = 0; j < kLimitLevels; ++j) names.push_back(multiple_name(j));
  names.push_back(kLength);
  return names;
}

std::vector<double> limit_trial(const StudyCell& cell, std::uint64_t seed) {
  const Index dim = cell.whole("d");
  std::vector<double> measured;
  if (is_random(cell)) {
    const SymmetricTensor made = random_noise(dim, seed);
    TensorOracle noise(made);
    const double length = length_at_random(noise, seed);
    measured = failure_rates(cell, noise, limit(cell) / length, seed);
    measured.push_back(length / norm_by_starts(noise, 4, seed));
  } else {
    OtherAxes noise(dim);
    measured = failure_rates(cell, noise, limit(cell), seed);
    measured.push_back(std::numeric_limits<double>::quiet_NaN());
  }
  return measured;
}

std::vector<Finding> limit_findings(const StudyTable& table) {
  return {random_over_dims(table), random_over_efforts(table), weak_over_dims(table)};
}

}  // namespace sotto::wang_fig1_study
