// Runs the quick form of every experiment from beginning to end and checks its findings.
#include "sotto/study/studies.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "sotto/study/publish.h"
#include "sotto/study/runner.h"

namespace sotto {
namespace {

Json quick(const std::string& name) {
  std::string folder = (std::filesystem::temp_directory_path() / "sotto-quick-XXXXXX").string();
  StudySettings settings;
  settings.quick = true;
  const Study& study = find_study(name);
  const StudyRun run = run_study(study, settings, mkdtemp(folder.data()), 2);
  const StudyOutcome outcome = study.conclude(run.table);
  const Json summary = summary_of(study, settings, run.table, outcome);
  publish(folder, summary, run.table, outcome);
  EXPECT_TRUE(run.complete);
  EXPECT_LT(run.table.seconds(), 240) << "two minutes on two processors";
  std::filesystem::remove_all(folder);
  return summary;
}

const Json& finding(const Json& summary, std::size_t i) { return summary.at("findings").at(i); }
double value(const Json& estimate) { return estimate.at("value").get<double>(); }

TEST(Studies, wang_fig1_finds_steeper_falls_for_worse_noise) {
  const Json summary = quick("wang-fig1");
  const double random = value(finding(summary, 0)["numbers"]["exponent"]);
  const double adversarial = value(finding(summary, 1)["numbers"]["exponent"]);
  EXPECT_LT(random, -0.1);
  EXPECT_LT(adversarial, -0.6);
  EXPECT_LT(adversarial, random);
  // Every step is one more start: it explains the transition better than starts alone. Failing by
  // chance needs the spread of four transitions, each known to a few per cent, to double.
  const Json efforts = finding(summary, 5)["numbers"];
  EXPECT_LT(value(efforts["spread_by_starts_times_steps"]), value(efforts["spread_by_starts"]));
  const double weak = value(finding(summary, 6)["numbers"]["exponent"]);
  EXPECT_GT(weak, -0.9);
  EXPECT_LT(weak, -0.2);
}

TEST(Studies, wang_whitening_tolerates_less_noise_than_the_power_method) {
  EXPECT_TRUE(finding(quick("wang-whitening"), 1)["same"]);
}

TEST(Studies, wang_input_perturbation_needs_more_epsilon_in_more_dimensions) {
  const Json summary = quick("wang-input-vs-iterate");
  EXPECT_GT(value(finding(summary, 0)["numbers"]), 0.4);
  EXPECT_LT(value(finding(summary, 1)["numbers"]["strict"]), 0.2);
  EXPECT_GT(value(finding(summary, 2)["numbers"]), 4);
}

// How many of `cells` comparisons, each decided at 95%, chance alone reverses: more with a
// probability below 1e-7, whatever the truth is. With at most ten such tests in this file a run of
// all of them fails by chance less than once in a million.
int reversed_by_chance(int cells) {
  constexpr double kOneSide = 0.025;
  double term = std::pow(1 - kOneSide, cells), below = term;
  int most = 0;
  while (1 - below >= 1e-7 && most < cells) {
    term *= kOneSide / (1 - kOneSide) * (cells - most) / (most + 1);
    below += term;
    ++most;
  }
  return most;
}

int cells_of(const Json& order) {
  return order["holds"].get<int>() + order["reversed"].get<int>() + order["open"].get<int>();
}

TEST(Studies, imtiaz_strict_is_better_than_agn) {
  const Json summary = quick("imtiaz-fig1");
  EXPECT_TRUE(finding(summary, 3)["same"]);
  EXPECT_TRUE(finding(summary, 4)["same"]);
  const Json order = finding(summary, 0)["numbers"]["agn < avn"];
  EXPECT_LE(order["reversed"].get<int>(), reversed_by_chance(cells_of(order)));
}

TEST(Studies, wei_perturbations_are_hardly_ever_better_than_no_noise_and_strict_better_than_input) {
  EXPECT_TRUE(finding(quick("wei-fig2"), 0)["same"]);
  EXPECT_TRUE(finding(quick("wei-fig3"), 3)["same"]);
  EXPECT_TRUE(finding(quick("wei-fig4"), 3)["same"]);
}

TEST(Studies, esmaeili_noise_on_the_moments_is_no_worse_than_on_the_whitened_tensor) {
  const Json numbers = finding(quick("esmaeili-configurations"), 0)["numbers"];
  EXPECT_LE(numbers["over_all"]["holds"].get<int>(),
            numbers["over_all"]["reversed"].get<int>() +
                reversed_by_chance(cells_of(numbers["over_all"])));
}

}  // namespace
}  // namespace sotto
