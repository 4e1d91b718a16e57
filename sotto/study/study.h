// An experiment of a paper: a grid of cells, one trial of a cell, and what all trials together
// show.
//
// Each experiment has its own file (wang_fig1.cc, ..) and all use one runner (runner.h). A trial is
// a function of its cell and its seed alone. A seed is a function of the experiment's seed, the
// cell and the number of the trial. So results do not depend on threads, order or interruptions.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sotto/report/chart.h"
#include "sotto/report/result.h"

namespace sotto {

struct StudySettings {
  bool quick = false;
  std::uint64_t seed = 0;
  std::string data;  // folder with the files of a real data set; empty: generated data
};

// Parameters by name. Values are text, as in the file of finished trials.
class StudyCell {
 public:
  StudyCell& with(const std::string& name, const std::string& value);
  StudyCell& with(const std::string& name, double value);

  const std::string& text(const std::string& name) const;
  double number(const std::string& name) const;
  std::int64_t whole(const std::string& name) const;

  const std::vector<std::pair<std::string, std::string>>& values() const { return values_; }
  std::string joined(char separator) const;  // the values

  friend bool operator==(const StudyCell&, const StudyCell&) = default;

 private:
  std::vector<std::pair<std::string, std::string>> values_;
};

// What a trial measures, in the order of StudyPlan::measures. NaN: does not apply.
using StudyTrial = std::function<std::vector<double>(const StudyCell& cell, std::uint64_t seed)>;

struct StudyPlan {
  std::vector<StudyCell> cells;  // all with the same parameters, none twice
  std::vector<std::string> measures;
  int trials = 1;  // of every cell
  StudyTrial trial;
};

struct StudyRow {
  std::size_t cell = 0;  // its place in StudyPlan::cells
  int trial = 0;
  std::uint64_t seed = 0;
  double seconds = 0;
  std::vector<double> measured;
};

// All rows of a plan, by cell and trial.
struct StudyTable {
  StudyPlan plan;
  std::vector<StudyRow> rows;

  // One measure over the trials of a cell, without the trials it does not apply to.
  std::vector<double> measured(const StudyCell& cell, const std::string& measure) const;
  // b - a in each trial that both apply to.
  std::vector<double> differences(const StudyCell& cell, const std::string& a,
                                  const std::string& b) const;
  double seconds() const;  // of all trials, on one processor

 private:
  std::size_t column(const std::string& measure) const;
};

// One statement of the paper, and what was found.
struct Finding {  // NOLINT(bugprone-exception-escape): moving a Json does not throw
  std::string states;
  std::string measured;  // in words and numbers
  bool same = false;
  std::string why;  // where it is not the same, or holds with a reservation
  Json numbers;     // the same numbers, for programs
};

struct StudyOutcome {
  std::vector<Chart> panels;
  int columns = 1;  // panels beside each other in the figure
  std::vector<Finding> findings;
  std::vector<std::string> notes;  // settings the paper leaves open, and what was chosen
};

struct Study {
  std::string name;    // "wang-fig1"
  std::string title;   // one line
  std::string source;  // "Wang & Anandkumar 2016, Figure 1"
  std::function<StudyPlan(const StudySettings&)> plan;
  std::function<StudyOutcome(const StudyTable&)> conclude;
};

// The seed of the trial with this number.
std::uint64_t trial_seed(std::uint64_t study_seed, const StudyCell& cell, int trial);

}  // namespace sotto
