#include "sotto/study/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sotto/base/error.h"
#include "sotto/base/random.h"

namespace sotto {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr int kResamples = 1000;

// Pool adjacent violators: the nearest rising sequence in least squares.
std::vector<double> pooled_rising(const std::vector<double>& y) {
  struct Block {
    double sum;
    std::size_t count;
    double mean() const { return sum / static_cast<double>(count); }
  };
  std::vector<Block> blocks;
  for (const double value : y) {
    blocks.push_back({value, 1});
    while (blocks.size() > 1 && blocks[blocks.size() - 2].mean() > blocks.back().mean()) {
      const Block last = blocks.back();
      blocks.pop_back();
      blocks.back().sum += last.sum;
      blocks.back().count += last.count;
    }
  }
  std::vector<double> result;
  for (const Block& block : blocks) result.insert(result.end(), block.count, block.mean());
  return result;
}

std::string number_text(double x) { return std::isnan(x) ? "beyond" : fmt::format("{:.3g}", x); }

}  // namespace

double mean_of(const Trials& values) {
  if (values.empty()) return kNone;
  double sum = 0;
  for (const double x : values) sum += x;
  return sum / static_cast<double>(values.size());
}

double deviation_of(const Trials& values) {
  if (values.size() < 2) return 0;
  const double mean = mean_of(values);
  double sum = 0;
  for (const double x : values) sum += (x - mean) * (x - mean);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

double slope_of(const std::vector<double>& x, const std::vector<double>& y) {
  const double mx = mean_of(x), my = mean_of(y);
  double xy = 0, xx = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mx) * (y[i] - my);
    xx += (x[i] - mx) * (x[i] - mx);
  }
  return xy / xx;
}

double crossing(const std::vector<double>& x, std::vector<double> y, double level, Trend trend) {
  if (trend == Trend::falling) {
    for (double& value : y) value = -value;
    level = -level;
  }
  y = pooled_rising(y);
  if (y.empty() || y.front() > level || y.back() < level) return kNone;
  const auto above = std::lower_bound(y.begin(), y.end(), level);
  const auto i = static_cast<std::size_t>(above - y.begin());
  if (i == 0) return x[0];
  return x[i - 1] + (x[i] - x[i - 1]) * (level - y[i - 1]) / (y[i] - y[i - 1]);
}

std::vector<double> crossings(const std::vector<double>& x, const std::vector<Trials>& cells,
                              double level, Trend trend) {
  std::vector<double> result;
  for (std::size_t first = 0; first < cells.size(); first += x.size()) {
    std::vector<double> y;
    y.reserve(x.size());
    for (std::size_t j = 0; j < x.size(); ++j) y.push_back(mean_of(cells[first + j]));
    result.push_back(crossing(x, y, level, trend));
  }
  return result;
}

Estimate bootstrap(const std::vector<Trials>& cells, const Statistic& statistic) {
  Estimate estimate{statistic(cells), kNone, kNone};
  SeededRandom random(1);
  std::vector<double> drawn;
  std::vector<Trials> sample = cells;
  for (int r = 0; r < kResamples; ++r) {
    for (std::size_t c = 0; c < cells.size(); ++c) {
      for (double& value : sample[c]) value = cells[c][random.below(cells[c].size())];
    }
    drawn.push_back(statistic(sample));
  }
  // Samples without an answer may lie at either end, so they count against both.
  std::erase_if(drawn, [](double value) { return std::isnan(value); });
  const std::size_t lost = kResamples - drawn.size(), tail = kResamples / 40;
  if (lost >= tail) return estimate;
  std::sort(drawn.begin(), drawn.end());
  estimate.low = drawn[tail - lost];
  estimate.high = drawn[drawn.size() - 1 - (tail - lost)];
  return estimate;
}

Estimate mean_estimate(const Trials& values) {
  return bootstrap({values}, [](const std::vector<Trials>& cells) { return mean_of(cells[0]); });
}

std::string to_words(const Estimate& estimate) {
  return fmt::format("{} [{}, {}]", number_text(estimate.value), number_text(estimate.low),
                     number_text(estimate.high));
}

Json json_number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json to_json(const Estimate& estimate) {
  return {{"value", json_number(estimate.value)},
          {"low", json_number(estimate.low)},
          {"high", json_number(estimate.high)}};
}

}  // namespace sotto
