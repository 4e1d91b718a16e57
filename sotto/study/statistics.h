// The statistics that the experiments need: means, levels at which a curve crosses a value,
// exponents, and intervals for all of them by the bootstrap over trials (Efron 1979).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sotto/report/result.h"

namespace sotto {

// NaN where there is no answer. An end of the interval is NaN where it lies outside the measured
// range.
struct Estimate {
  double value;
  double low, high;  // of the 95% interval
};

using Trials = std::vector<double>;

double mean_of(const Trials& values);
double deviation_of(const Trials& values);  // of one value; 0 for fewer than two

// The least-squares slope of y over x.
double slope_of(const std::vector<double>& x, const std::vector<double>& y);

// Where a monotone curve through (x, y) crosses `level`: y is made monotone by pooling neighbours
// (rising, or falling), then interpolated linearly. NaN when the curve does not reach the level on
// both sides.
enum class Trend { rising, falling };
double crossing(const std::vector<double>& x, std::vector<double> y, double level, Trend trend);
// The same for the means of each x.size() cells in turn.
std::vector<double> crossings(const std::vector<double>& x, const std::vector<Trials>& cells,
                              double level, Trend trend);

// `statistic` of the cells, and of 1000 samples that redraw each cell's trials with replacement.
// The same cells give the same numbers.
using Statistic = std::function<double(const std::vector<Trials>& cells)>;
Estimate bootstrap(const std::vector<Trials>& cells, const Statistic& statistic);

Estimate mean_estimate(const Trials& values);

// "0.53 [0.50, 0.57]".
std::string to_words(const Estimate& estimate);

// null for NaN and infinity, which JSON does not have.
Json json_number(double value);
Json to_json(const Estimate& estimate);  // {"value", "low", "high"}

}  // namespace sotto
