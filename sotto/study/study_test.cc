#include "sotto/study/study.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/study/comparison.h"
#include "sotto/study/publish.h"
#include "sotto/study/runner.h"
#include "sotto/study/statistics.h"
#include "sotto/study/studies.h"

namespace sotto {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "sotto-study-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path_); }
  std::string path() const { return path_; }
  std::string cells() const { return path_ + "/cells.csv"; }
  std::string text() const {
    std::stringstream all;
    all << std::ifstream(cells()).rdbuf();
    return all.str();
  }
  void write(const std::string& text) const { std::ofstream(cells()) << text; }

 private:
  std::string path_;
};

std::atomic<int> trials_run = 0;

// Twelve trials that return what they were given.
Study tiny() {
  Study study{"tiny", "A study of numbers", "nobody", {}, {}};
  study.plan = [](const StudySettings&) {
    StudyPlan plan;
    for (const double x : {1, 2, 3})
      plan.cells.push_back(StudyCell().with("kind", "a").with("x", x));
    plan.measures = {"twice", "drawn"};
    plan.trials = 4;
    plan.trial = [](const StudyCell& cell, std::uint64_t seed) -> std::vector<double> {
      ++trials_run;
      return {2 * cell.number("x"), SeededRandom(seed).normal()};
    };
    return plan;
  };
  study.conclude = [](const StudyTable&) { return StudyOutcome{}; };
  return study;
}

TEST(Runner, rows_are_the_same_for_any_number_of_threads) {
  Folder one, many;
  const StudyRun a = run_study(tiny(), {}, one.path(), 1),
                 b = run_study(tiny(), {}, many.path(), 5);
  EXPECT_TRUE(a.complete && b.complete);
  EXPECT_EQ(data_csv(a.table), data_csv(b.table));
  EXPECT_EQ(a.table.rows.size(), 12u);
  EXPECT_EQ(a.table.rows[4].measured[0], 4);
}

TEST(Runner, finished_trials_are_not_run_again) {
  Folder folder;
  const StudyRun first = run_study(tiny(), {}, folder.path(), 2);
  trials_run = 0;
  const StudyRun again = run_study(tiny(), {}, folder.path(), 2);
  EXPECT_EQ(trials_run, 0);
  EXPECT_EQ(data_csv(first.table), data_csv(again.table));
}

// The file may be cut anywhere, also in the middle of a line.
TEST(Runner, goes_on_after_a_file_cut_anywhere) {
  Folder whole;
  const std::string data = data_csv(run_study(tiny(), {}, whole.path(), 1).table);
  const std::string text = whole.text();
  const std::size_t head = text.find('\n', text.find('\n') + 1) + 1;
  for (std::size_t cut = head; cut < text.size(); cut += 7) {
    Folder folder;
    folder.write(text.substr(0, cut));
    trials_run = 0;
    const StudyRun run = run_study(tiny(), {}, folder.path(), 2);
    EXPECT_EQ(data_csv(run.table), data) << cut;
    const auto kept = std::count(text.begin() + static_cast<std::ptrdiff_t>(head),
                                 text.begin() + static_cast<std::ptrdiff_t>(cut), '\n');
    EXPECT_EQ(trials_run, 12 - kept) << cut;
  }
}

TEST(Runner, stops_when_told_and_keeps_what_is_finished) {
  Folder folder;
  const StudyRun stopped =
      run_study(tiny(), {}, folder.path(), 1, [](const ProgressReport&) { return false; });
  const std::size_t kept = stopped.table.rows.size();
  EXPECT_EQ(stopped.complete, kept == 12);
  trials_run = 0;
  EXPECT_TRUE(run_study(tiny(), {}, folder.path(), 1).complete);
  EXPECT_EQ(trials_run, static_cast<int>(12 - kept));
}

TEST(Runner, hands_on_the_exception_of_a_trial_and_keeps_the_others) {
  Folder folder;
  Study study = tiny();
  const auto plan = study.plan;
  study.plan = [plan](const StudySettings& settings) {
    StudyPlan made = plan(settings);
    const auto trial = made.trial;
    made.trial = [trial](const StudyCell& cell, std::uint64_t seed) {
      if (cell.number("x") == 3) throw Error("cannot be done", "");
      return trial(cell, seed);
    };
    return made;
  };
  EXPECT_THROW(run_study(study, {}, folder.path(), 1), Error);
  EXPECT_TRUE(run_study(tiny(), {}, folder.path(), 1).complete);
}

std::string refusal(const Study& study, const StudySettings& settings, const std::string& folder) {
  try {
    run_study(study, settings, folder, 1);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(CellsFile, refuses_other_settings_and_leaves_the_file_alone) {
  Folder folder;
  run_study(tiny(), {}, folder.path(), 1);
  const std::string text = folder.text();
  StudySettings other;
  other.seed = 1;
  EXPECT_NE(refusal(tiny(), other, folder.path()).find("another run"), std::string::npos);
  Study renamed = tiny();
  renamed.name = "other";
  EXPECT_NE(refusal(renamed, {}, folder.path()).find("another run"), std::string::npos);
  Study longer = tiny();
  longer.plan = [](const StudySettings& settings) {
    StudyPlan plan = tiny().plan(settings);
    plan.trials = 5;
    return plan;
  };
  EXPECT_NE(refusal(longer, {}, folder.path()).find("another run"), std::string::npos);
  EXPECT_EQ(folder.text(), text);
}

TEST(CellsFile, refuses_lines_that_no_run_wrote_and_names_them) {
  Folder folder;
  run_study(tiny(), {}, folder.path(), 1);
  const std::string text = folder.text();
  const std::size_t head = text.find('\n', text.find('\n') + 1) + 1;
  const std::string line = text.substr(head, text.find('\n', head) - head);
  for (const std::string& bad :
       {text + "a,9,0,1,0.1,2,3\n", text + "nonsense\n", text + line + "\n",
        text.substr(0, head) + "a,1,0,12345,0.1,2,3\n", text + "a,1,9,1,0.1,2,3\n"}) {
    folder.write(bad);
    const std::string message = refusal(tiny(), {}, folder.path());
    EXPECT_NE(message.find("cells.csv:"), std::string::npos) << bad;
    EXPECT_EQ(folder.text(), bad);
  }
}

TEST(CellsFile, refuses_a_second_run_at_the_same_time) {
  Folder folder;
  const StudyPlan plan = tiny().plan({});
  const CellsFile first(folder.path(), tiny(), {}, plan);
  EXPECT_THROW(CellsFile(folder.path(), tiny(), {}, plan), Error);
}

TEST(StudyCell, seeds_differ_by_cell_trial_and_study) {
  const StudyCell a = StudyCell().with("x", 1), b = StudyCell().with("x", 2);
  EXPECT_EQ(trial_seed(0, a, 0), trial_seed(0, a, 0));
  EXPECT_NE(trial_seed(0, a, 0), trial_seed(0, b, 0));
  EXPECT_NE(trial_seed(0, a, 0), trial_seed(0, a, 1));
  EXPECT_NE(trial_seed(0, a, 0), trial_seed(1, a, 0));
}

// Thresholds that fall as d^-0.7, failures drawn around them.
TEST(Statistics, a_planted_exponent_is_found_within_its_interval) {
  std::vector<double> log_d, log_sigma;
  for (const double d : {25, 50, 100, 200}) log_d.push_back(std::log(d));
  for (int j = 0; j < 20; ++j) log_sigma.push_back(std::log(0.005) + 0.25 * j);
  int covered = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SeededRandom random(seed);
    std::vector<Trials> cells;
    for (const double x : log_d) {
      for (const double s : log_sigma) {
        Trials failed;
        for (int t = 0; t < 20; ++t) {
          failed.push_back(s > -0.7 * x + 0.4 * random.normal() ? 1 : 0);
        }
        cells.push_back(failed);
      }
    }
    const Estimate slope = bootstrap(cells, [&](const std::vector<Trials>& drawn) {
      std::vector<double> at;
      for (std::size_t c = 0; c < drawn.size(); c += log_sigma.size()) {
        std::vector<double> rate;
        for (std::size_t j = 0; j < log_sigma.size(); ++j) rate.push_back(mean_of(drawn[c + j]));
        at.push_back(crossing(log_sigma, rate, 0.5, Trend::rising));
      }
      return slope_of(log_d, at);
    });
    EXPECT_NEAR(slope.value, -0.7, 0.2);
    EXPECT_LT(slope.high - slope.low, 0.4);
    covered += slope.low <= -0.7 && -0.7 <= slope.high;
  }
  EXPECT_GE(covered, 16);
}

TEST(Statistics, crossings_are_interpolated_and_noise_is_pooled) {
  EXPECT_DOUBLE_EQ(crossing({0, 1, 2}, {0, 0.25, 1}, 0.5, Trend::rising), 1 + 1.0 / 3);
  EXPECT_DOUBLE_EQ(crossing({0, 1, 2}, {4, 2, 1}, 3, Trend::falling), 0.5);
  EXPECT_DOUBLE_EQ(crossing({0, 1, 2, 3}, {0, 0.6, 0.2, 1}, 0.7, Trend::rising), 2.5);
  EXPECT_TRUE(std::isnan(crossing({0, 1}, {0, 0.4}, 0.5, Trend::rising)));
  EXPECT_TRUE(std::isnan(crossing({0, 1}, {0.6, 1}, 0.5, Trend::rising)));
}

TEST(Statistics, an_interval_with_many_samples_without_answer_is_open) {
  const Estimate e = bootstrap({{0, 1, 0, 1}}, [](const std::vector<Trials>& cells) {
    const double mean = mean_of(cells[0]);
    return mean > 0.4 ? mean : NAN;
  });
  EXPECT_EQ(e.value, 0.5);
  EXPECT_TRUE(std::isnan(e.low) && std::isnan(e.high));
}

// Variation that all trials share does not hide a difference that each of them shows.
TEST(Comparison, compares_trial_by_trial) {
  StudyTable table;
  table.plan.measures = {"a", "b"};
  table.plan.cells.push_back(StudyCell().with("x", 1));
  for (int t = 0; t < 8; ++t) table.rows.push_back({0, t, 0, 0, {t * 10.0, t * 10.0 + 1}});
  table.rows.push_back({0, 8, 0, 0, {NAN, -1000}});
  EXPECT_EQ(compare(table, table.plan.cells, "a", "b").holds, 1);
  EXPECT_EQ(compare(table, table.plan.cells, "b", "a").reversed, 1);
}

TEST(Comparison, counts_cells_by_the_interval_of_the_difference) {
  StudyTable table;
  table.plan.measures = {"a", "b"};
  for (const double gap : {1, -1, 0}) {
    table.plan.cells.push_back(StudyCell().with("gap", gap));
    for (int t = 0; t < 10; ++t) {
      const double jitter = 0.01 * (t % 2 == 0 ? 1 : -1);
      table.rows.push_back({table.plan.cells.size() - 1, t, 0, 0, {jitter, gap - jitter}});
    }
  }
  const CellOrder order = compare(table, table.plan.cells, "a", "b");
  EXPECT_EQ(order.holds, 1);
  EXPECT_EQ(order.reversed, 1);
  EXPECT_EQ(order.open, 1);
}

// Errors c / epsilon: b needs four times the epsilon of a.
TEST(Comparison, finds_the_ratio_of_epsilons_at_equal_error) {
  StudyTable table;
  table.plan.measures = {"a", "b"};
  for (const double epsilon : {0.1, 0.3, 1.0, 3.0, 10.0}) {
    table.plan.cells.push_back(StudyCell().with("epsilon", epsilon));
    for (int t = 0; t < 5; ++t) {
      const double noise = 1 + 0.02 * (t - 2);
      table.rows.push_back(
          {table.plan.cells.size() - 1, t, 0, 0, {0.1 * noise / epsilon, 0.4 * noise / epsilon}});
    }
  }
  const Estimate ratio = ratio_at_goal(table, table.plan.cells, "epsilon", "a", "b", 0.2);
  EXPECT_NEAR(ratio.value, 4, 1e-9);
  EXPECT_LT(ratio.low, 4);
  EXPECT_GT(ratio.high, 4);
}

TEST(Studies, have_names_plans_without_repeated_cells_and_measures) {
  for (const Study& study : all_studies()) {
    for (const bool quick : {true, false}) {
      if (study.name == "wei-fig4" && !quick) continue;  // generates its ratings
      StudySettings settings;
      settings.quick = quick;
      const StudyPlan plan = study.plan(settings);
      EXPECT_FALSE(plan.cells.empty()) << study.name;
      EXPECT_FALSE(plan.measures.empty()) << study.name;
      for (std::size_t c = 1; c < plan.cells.size(); ++c) {
        EXPECT_EQ(std::count(plan.cells.begin(), plan.cells.end(), plan.cells[c]), 1) << study.name;
      }
    }
  }
  EXPECT_THROW(find_study("no-such"), Error);
}

TEST(Publish, the_document_says_what_the_summaries_say) {
  Folder folder;
  const StudyRun run = run_study(tiny(), {}, folder.path(), 1);
  StudyOutcome outcome;
  outcome.panels.push_back({"t", "x", "y", false, false, {}, {{"s", {1}, {2}, {}, {}}}});
  outcome.findings = {{"it is | so", "it is 3", false, "because", {}},
                      {"it is thus", "it is 4", true, "", {}}};
  outcome.notes = {"a note"};
  const Json summary = summary_of(tiny(), {}, run.table, outcome);
  const std::string document = reproduction_document({summary});
  for (const char* part : {"| it is / so | it is 3 | no |", "| it is thus | it is 4 | yes |",
                           "- *it is | so*: because", "- a note", "| tiny | nobody | 1 of 2 |"}) {
    EXPECT_NE(document.find(part), std::string::npos) << part;
  }
  publish(folder.path(), summary, run.table, outcome);
  for (const char* file : {"cells.csv", "data.csv", "figure.svg", "summary.json", "report.html"}) {
    EXPECT_TRUE(fs::is_regular_file(fs::path(folder.path()) / file)) << file;
  }
}

TEST(CellsFile, finds_every_flipped_bit) {
  Folder folder;
  const std::string data = data_csv(run_study(tiny(), {}, folder.path(), 1).table);
  const std::string text = folder.text();
  const std::size_t head = text.find('\n', text.find('\n') + 1) + 1;
  for (std::size_t at = head; at < text.size(); at += 3) {
    std::string bad = text;
    bad[at] = static_cast<char>(bad[at] ^ (1 << at % 7));
    folder.write(bad);
    const std::string message = refusal(tiny(), {}, folder.path());
    // A last line without its end is a torn one, and its trial is run again.
    EXPECT_TRUE(!message.empty() || at + 1 == text.size()) << at;
  }
  folder.write(text);
  EXPECT_EQ(data_csv(run_study(tiny(), {}, folder.path(), 1).table), data);
}

}  // namespace
}  // namespace sotto
