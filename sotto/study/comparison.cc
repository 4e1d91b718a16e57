#include "sotto/study/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sotto {

CellOrder compare(const StudyTable& table, const std::vector<StudyCell>& cells,
                  const std::string& smaller, const std::string& larger) {
  CellOrder order;
  for (const StudyCell& cell : cells) {
    const Trials gaps = table.differences(cell, smaller, larger);
    if (gaps.empty()) continue;
    const Estimate gap = mean_estimate(gaps);
    ++(gap.low > 0 ? order.holds : gap.high < 0 ? order.reversed : order.open);
  }
  return order;
}

std::string to_words(const CellOrder& order) {
  return fmt::format("in {} of {} cells, the reverse in {}", order.holds, order.cells(),
                     order.reversed);
}

Json to_json(const CellOrder& order) {
  return {{"holds", order.holds}, {"reversed", order.reversed}, {"open", order.open}};
}

ChartSeries series_of(const StudyTable& table, const std::vector<StudyCell>& cells,
                      const std::string& parameter, const std::string& measure,
                      const std::string& name) {
  ChartSeries series;
  series.name = name;
  for (const StudyCell& cell : cells) {
    const Trials trials = table.measured(cell, measure);
    const Estimate mean = trials.empty() ? Estimate{NAN, NAN, NAN} : mean_estimate(trials);
    series.x.push_back(cell.number(parameter));
    series.y.push_back(mean.value);
    series.low.push_back(mean.low);
    series.high.push_back(mean.high);
  }
  return series;
}

double reaches(const std::vector<double>& parameter, const std::vector<Trials>& measured,
               double goal) {
  std::vector<double> x, y;
  for (std::size_t i = 0; i < parameter.size(); ++i) {
    x.push_back(std::log(parameter[i]));
    y.push_back(std::log(std::max(mean_of(measured[i]), 1e-300)));
  }
  return std::exp(crossing(x, y, std::log(goal), Trend::falling));
}

Estimate ratio_at_goal(const StudyTable& table, const std::vector<StudyCell>& cells,
                       const std::string& parameter, const std::string& a, const std::string& b,
                       double goal) {
  std::vector<double> x;
  std::vector<Trials> both;
  x.reserve(cells.size());
  both.reserve(2 * cells.size());
  for (const std::string& measure : {a, b}) {
    for (const StudyCell& cell : cells) both.push_back(table.measured(cell, measure));
  }
  for (const StudyCell& cell : cells) x.push_back(cell.number(parameter));
  return bootstrap(both, [&](const std::vector<Trials>& drawn) {
    const auto middle = drawn.begin() + static_cast<std::ptrdiff_t>(x.size());
    return reaches(x, {middle, drawn.end()}, goal) / reaches(x, {drawn.begin(), middle}, goal);
  });
}

}  // namespace sotto
