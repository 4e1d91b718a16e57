// Wei et al. 2022, Figure 4: private completion of MovieLens 100K.
//
// The paper: users, movies and days as modes, splits ua and ub, slices of a day brought to mean 0
// and variance 1 (bi_scaling.h), rank not stated (3 here), lambda 0.01 and step 0.005 (Tucker:
// 0.01, core 0.001 and 0.003), 100 epochs, 10 runs over both splits.
// Varied: model, split and epsilon. --data DIR has the files ua.base, ua.test, ub.base and ub.test
// of MovieLens 100K; without it, ratings of the same size are generated (synthetic/ratings.h), with
// a seed for each split. RMSE is that of ratings, after the scaling is undone.
// The statements: those of Figure 2 ("comparable performance to that on synthetic data").
#include <fmt/format.h>

#include <map>
#include <memory>

#include "sotto/io/read_ratings.h"
#include "sotto/study/studies.h"
#include "sotto/study/wei_simulation.h"
#include "sotto/synthetic/ratings.h"

namespace sotto {
namespace wei_fig4_study {
namespace {

struct Split {
  ObservedEntries train, test;
};
using Splits = std::map<std::string, Split>;

Split read_split(const std::string& folder, const std::string& name) {
  RatingFileOptions options;
  options.format = RatingFormat::tsv;
  options.columns = "mode,mode,value,time";
  options.time_mode = TimeMode::day;
  const PublicDeclaration declared("MovieLens is published");
  Ratings train = read_ratings(folder + "/" + name + ".base", options).open(declared);
  Ratings test = read_more_ratings(folder + "/" + name + ".test", options, train).open(declared);
  return {std::move(train.entries), std::move(test.entries)};
}

Split generate_split(bool quick, std::int64_t seed) {
  RatingModel law;
  law.users = quick ? 200 : 943;
  law.items = quick ? 300 : 1682;
  law.months = quick ? 30 : 212;
  law.ratings = quick ? 10000 : 100000;
  law.rank = 3;
  law.test_share = 0.1;
  law.seed = seed;
  SyntheticRatings made = generate_ratings(law);
  return {std::move(made.train), std::move(made.test)};
}

std::vector<double> run_trial(const Splits& splits, const StudyCell& cell, std::uint64_t seed) {
  const Split& split = splits.at(cell.text("split"));
  const CompletionProblem problem{split.train, split.test, published_defaults(model_of(cell)),
                                  true};
  return completion_errors(problem, cell.number("epsilon"), seed);
}

StudyPlan make_plan(const StudySettings& settings) {
  const auto splits = std::make_shared<Splits>();
  for (const char* name : {"ua", "ub"}) {
    const bool first = name[1] == 'a';
    if (!settings.data.empty()) {
      splits->emplace(name, read_split(settings.data, name));
    } else if (first || !settings.quick) {
      splits->emplace(name, generate_split(settings.quick, first ? 1 : 2));
    }
  }
  StudyPlan plan;
  const auto epsilons =
      settings.quick ? std::vector<double>{1, 10} : std::vector<double>{0.5, 1, 5, 10};
  for (const char* model : {"cp", "tucker"}) {
    for (const auto& [name, split] : *splits) {
      for (const double e : epsilons) {
        plan.cells.push_back(
            StudyCell().with("model", model).with("split", name).with("epsilon", e));
      }
    }
  }
  plan.measures = completion_measures();
  plan.trials = settings.quick ? 4 : 5;
  plan.trial = [splits](const StudyCell& cell, std::uint64_t seed) {
    return run_trial(*splits, cell, seed);
  };
  return plan;
}

StudyOutcome conclude(const StudyTable& table) {
  StudyOutcome outcome;
  outcome.columns = 2;
  for (const char* model : {"cp", "tucker"}) {
    std::vector<StudyCell> cells;
    for (const StudyCell& cell : table.plan.cells) {
      if (cell.text("model") == model && cell.text("split") == "ua") cells.push_back(cell);
    }
    outcome.panels.push_back(
        wei_panel(table, cells, "epsilon", model[0] == 'c' ? "CP, split ua" : "Tucker, split ua"));
  }
  const auto& cells = table.plan.cells;
  outcome.findings = {wei_baseline(table, cells), wei_order(table, cells, "small"),
                      wei_order(table, cells, "large"), wei_strict(table, cells)};
  outcome.notes = {wei_divergence(table)};
  return outcome;
}

}  // namespace
}  // namespace wei_fig4_study

Study wei_fig4() {
  return {"wei-fig4", "Private completion of MovieLens 100K, or ratings like it",
          "Wei et al. 2022, Figure 4", wei_fig4_study::make_plan, wei_fig4_study::conclude};
}

}  // namespace sotto
