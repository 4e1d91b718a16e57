// Which of two measures is smaller, cell by cell, with the trials' own uncertainty.
#pragma once

#include <string>
#include <vector>

#include "sotto/study/statistics.h"
#include "sotto/study/study.h"

namespace sotto {

// Counts the cells in which `smaller` lies below `larger` beyond the 95% interval of the mean of
// their difference, trial by trial (both saw the same data), the cells in which it is the other way
// round, and the rest.
struct CellOrder {
  int holds = 0, reversed = 0, open = 0;
  int cells() const { return holds + reversed + open; }
  // It holds more often than not, and is hardly ever reversed.
  bool confirmed() const { return 2 * holds > cells() && 10 * reversed <= cells(); }
};

CellOrder compare(const StudyTable& table, const std::vector<StudyCell>& cells,
                  const std::string& smaller, const std::string& larger);

// "in 9 of 12 cells, the reverse in 1".
std::string to_words(const CellOrder& order);
Json to_json(const CellOrder& order);

// A measure along a parameter, with intervals of the means, from the cells in their order.
ChartSeries series_of(const StudyTable& table, const std::vector<StudyCell>& cells,
                      const std::string& parameter, const std::string& measure,
                      const std::string& name);

// The value of a parameter at which a measure falls to `goal`, interpolated between logarithms.
double reaches(const std::vector<double>& parameter, const std::vector<Trials>& measured,
               double goal);

// How many times more of a parameter `b` needs than `a` does to fall to `goal`.
Estimate ratio_at_goal(const StudyTable& table, const std::vector<StudyCell>& cells,
                       const std::string& parameter, const std::string& a, const std::string& b,
                       double goal);

}  // namespace sotto
