// A figure for print: charts side by side as one SVG file.
//
// Series are told apart by dashes and markers as well as by shade, so that the figure reads in
// black and white; colours keep their order of lightness. Intervals are drawn as bars with caps.
// Logarithmic axes have their labels at powers of ten, and at 2 and 5 between them where there is
// room. What cannot be drawn (NaN, or nothing positive on a logarithmic axis) leaves a gap.
// The text is text (searchable), and any text is allowed in it.
#pragma once

#include <string>
#include <vector>

#include "sotto/report/chart.h"

namespace sotto {

// `columns` charts beside each other, read row by row. Refuses a figure without charts, and series
// whose lists differ in length.
std::string svg_figure(const std::vector<Chart>& panels, int columns = 1);

// Where an axis from `low` to `high` has its labels: about `count`, inside the range, rising.
std::vector<double> linear_ticks(double low, double high, int count);
std::vector<double> log_ticks(double low, double high, int count);

// "0.05", "200", "1e-05": short, without needless digits.
std::string tick_text(double value);

}  // namespace sotto
