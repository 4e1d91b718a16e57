// A figure for print: charts side by side as one SVG file.
//
// Series differ in dashes and markers as well as in shade, so that the figure can be read in black
// and white; colours keep their order of lightness. Intervals are bars with caps. Logarithmic axes
// have labels at powers of ten, and at 2 and 5 between them where there is room. Values that cannot
// be drawn (NaN, or nothing positive on a logarithmic axis) leave a gap. Text stays text
// (searchable), and any text is allowed.
#pragma once

#include <string>
#include <vector>

#include "sotto/report/chart.h"

namespace sotto {

// Puts `columns` charts beside each other, row by row. Refuses a figure without charts, and series
// whose lists differ in length.
std::string svg_figure(const std::vector<Chart>& panels, int columns = 1);

// Labels for an axis from `low` to `high`: about `count`, inside the range, increasing.
std::vector<double> linear_ticks(double low, double high, int count);
std::vector<double> log_ticks(double low, double high, int count);

// "0.05", "200", "1e-05": short, without unnecessary digits.
std::string tick_text(double value);

}  // namespace sotto
