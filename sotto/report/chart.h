// A chart as data. One description is drawn twice: as SVG for print (svg_figure.h) and by the
// charting library of the report page (page.h), so that the two cannot disagree.
#pragma once

#include <string>
#include <vector>

namespace sotto {

struct ChartSeries {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;  // NaN: no point here
  // An interval around y; both empty, or as long as y.
  std::vector<double> low;
  std::vector<double> high;
};

struct Chart {
  std::string title;
  std::string x_label;
  std::string y_label;
  bool log_x = false;
  bool log_y = false;
  // Not empty: bars, one group per category; y has a value for each category and x is empty.
  std::vector<std::string> categories;
  std::vector<ChartSeries> series;
  // Names of x = 0, 1, .. under lines, such as dates; empty: x is shown as a number.
  std::vector<std::string> x_names = {};
};

}  // namespace sotto
