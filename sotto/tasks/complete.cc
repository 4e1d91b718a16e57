#include "sotto/tasks/complete.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/base/join_text.h"
#include "sotto/base/json.h"
#include "sotto/base/random.h"
#include "sotto/base/stopwatch.h"
#include "sotto/complete/fit/bi_scaling.h"
#include "sotto/complete/fit/biases.h"
#include "sotto/complete/fit/scores.h"
#include "sotto/complete/private/position_features.h"
#include "sotto/io/output_folder.h"
#include "sotto/io/public_format.h"
#include "sotto/io/read_ratings.h"
#include "sotto/release/private_run.h"
#include "sotto/release/rating_split.h"
#include "sotto/tasks/companions.h"
#include "sotto/tasks/declare.h"
#include "sotto/tasks/rating_ways.h"

namespace sotto {
namespace {

// ---- which options a run uses ----

// Options of the solver that are not listed here have no effect on a private run.
constexpr std::string_view kOfSums[] = {"rank", "model"};
constexpr std::string_view kOfGradients[] = {"rank", "model", "seed"};
constexpr std::string_view kOfPublished[] = {"rank", "model",  "lambda", "lambda-core",
                                             "step", "epochs", "seed"};

// Whether all options of the solver are used: after noise on every rating the rest is
// post-processing.
bool is_solver_run(const CompleteTask& task) {
  const RatingPrivacyOptions& privacy = task.privacy;
  return !privacy.asked() || (privacy.perturb == Perturbation::input && !privacy.as_published);
}

bool looks_at(const CompleteTask& task, const std::string& solver_option) {
  if (is_solver_run(task)) return true;
  std::span<const std::string_view> used = kOfSums;
  if (task.privacy.as_published) used = kOfPublished;
  if (task.privacy.mechanism == RatingMechanism::sgd) used = kOfGradients;
  return std::find(used.begin(), used.end(), solver_option) != used.end();
}

// An option without effect is refused when it was given, so that nobody believes that the ratings
// chose anything. A seed is harmless, and the published methods are stochastic gradients.
void refuse_without_effect(const CompleteTask& task) {
  CompletionOptions given = task.completion, usual;
  if (task.privacy.as_published && given.method == CompletionMethod::sgd) {
    given.method = usual.method;
  }
  given.seed = usual.seed;
  const OptionTable mine = given.table(), theirs = usual.table();
  for (std::size_t n = 0; n < mine.options().size(); ++n) {
    const Option& option = mine.options()[n];
    SOTTO_REQUIRE_AT(
        looks_at(task, option.name) || option.get() == theirs.options()[n].get(),
        fmt::format("`{}`", option.name),
        "has no effect in this private run, which chooses nothing by the ratings; leave it out");
  }
}

// ---- the input ----

void require_two_ratings(const Ratings& ratings) {
  SOTTO_REQUIRE_AT(ratings.entries.size() >= 2, ratings.path,
                   "has one entry: nothing to learn from");
}

// Sizes that a header declares are public, and memory is needed for every row.
void check_positions(const Ratings& positions) {
  constexpr Index kMostRows = Index{1} << 24;
  for (const Index rows : positions.entries.dims) {
    SOTTO_REQUIRE_AT(rows <= kMostRows, positions.path,
                     "has a mode of {} rows; a private run takes up to {}. Without a header, the "
                     "rows of a .tns file are those that occur",
                     rows, kMostRows);
  }
  refuse_duplicates(positions);
  require_two_ratings(positions);
}

// The test file, which is public in every run.
std::optional<Ratings> read_test_ratings(const CompleteTask& task, const Ratings& known) {
  if (task.test.empty()) return std::nullopt;
  return read_more_ratings(task.test, task.file, known)
      .open(PublicDeclaration("the test file is treated as public"));
}

void refuse_protected_places(const Ratings& positions, const Ratings& test) {
  const Index shared = count_overlap(positions.entries, test.entries);
  SOTTO_REQUIRE_AT(shared == 0, test.path,
                   "holds {} of the places of {}: a test file is treated as public, so it must "
                   "hold other ratings",
                   shared, positions.path);
}

CompletionScores score_ratings(const CompletionModel& model, const ObservedEntries& test,
                               const std::optional<ValueRange>& range) {
  const auto [least, most] = std::minmax_element(test.value.begin(), test.value.end());
  return score(test, model.predict(test), range ? range->low : *least, range ? range->high : *most);
}

CompletionFit fit_publicly(const ObservedEntries& entries, const CompleteTask& task,
                           const ProgressCallback& progress) {
  const std::optional<ValueRange> range = task.file.value_range();
  CompletionFit fit = fit_completion(
      entries, task.completion,
      range ? std::optional(std::pair(range->low, range->high)) : std::nullopt, progress);
  throw_if_stopped(fit.status == FitStatus::stopped);
  return fit;
}

// Every rating is in one of K parts, at random and of equal size. Each part is predicted from the
// others.
std::vector<CompletionScores> cross_validate(const ObservedEntries& entries,
                                             const CompleteTask& task,
                                             const ProgressCallback& progress) {
  const std::int64_t folds = *task.folds;
  SOTTO_REQUIRE_AT(folds <= entries.size() / 2, "`cross-validate`",
                   "{} parts of {} ratings would hold fewer than two each", folds, entries.size());
  SeededRandom random(static_cast<std::uint64_t>(task.completion.seed));
  std::vector<std::int32_t> order(static_cast<std::size_t>(entries.size()));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t n = order.size(); n > 1; --n) std::swap(order[n - 1], order[random.below(n)]);
  std::vector<CompletionScores> scores;
  for (std::int64_t fold = 0; fold < folds; ++fold) {
    std::vector<std::int32_t> learnt, left_out;
    for (std::size_t n = 0; n < order.size(); ++n) {
      (static_cast<std::int64_t>(n) % folds == fold ? left_out : learnt).push_back(order[n]);
    }
    std::sort(learnt.begin(), learnt.end());  // as in the file, where neighbours are close
    const CompletionFit fit = fit_publicly(entries.select(learnt), task, progress);
    SOTTO_REQUIRE_AT(fit.status != FitStatus::diverged, "`step`",
                     "the gradients grew without bound in part {} of the cross-validation; take a "
                     "shorter step",
                     fold + 1);
    scores.push_back(score_ratings(fit.model, entries.select(left_out), task.file.value_range()));
  }
  return scores;
}

CompletionResult result_of_ratings(Ratings ratings) {
  CompletionResult result;
  result.shape = shape_of(ratings.entries);
  result.modes = std::move(ratings.modes);
  return result;
}

CompletionResult complete_publicly(Ratings ratings, const CompleteTask& task,
                                   const ProgressCallback& progress) {
  TrainingRecord training;
  const Stopwatch reading;
  const std::optional<Ratings> test = read_test_ratings(task, ratings);
  training.seconds_reading_test = reading.seconds();
  refuse_duplicates(ratings);
  require_two_ratings(ratings);
  const Stopwatch learning;
  CompletionFit fit = fit_publicly(ratings.entries, task, progress);
  std::vector<CompletionScores> folds;
  if (task.folds && fit.status != FitStatus::diverged) {
    folds = cross_validate(ratings.entries, task, progress);
  }
  CompletionResult result = result_of_ratings(std::move(ratings));
  result.folds = std::move(folds);
  if (test && fit.status != FitStatus::diverged) {
    result.scores = score_ratings(fit.model, test->entries, task.file.value_range());
  }
  training.seconds = learning.seconds();
  training.history = std::move(fit.history);
  training.best_epoch = fit.best_epoch;
  result.training = std::move(training);
  result.model = std::move(fit.model);
  result.status = fit.status;
  result.method = name_of(fit.method);
  return result;
}

// The shape, and whether the positions tell of tastes.
RatingShape public_shape(const ObservedEntries& positions) {
  RatingShape shape = shape_of(positions);
  shape.positions_tell = positions_tell(positions);
  return shape;
}

// The way to a private model. Refuses what public numbers rule out.
RatingWay checked_way(const CompleteTask& task, const RatingShape& shape) {
  task.completion.check_for(shape.dims);
  task.privacy.require_small_delta({shape.ratings, "ratings"});
  return chosen_way(task, shape);
}

// How the ratings were read: which column is protected, and which are not.
std::vector<std::string> rating_facts(const Ratings& positions) {
  std::vector<std::string> modes, facts;
  for (const RatingMode& mode : positions.modes) modes.push_back(mode.name);
  if (positions.format != RatingFormat::automatic) {
    facts.push_back(format_fact(name_of(positions.format)));
  }
  facts.push_back(
      fmt::format("that the values are {} and the positions {}",
                  positions.value_column.empty() ? "the last column" : positions.value_column,
                  join_text(modes, ", ")));
  return facts;
}

CompletionResult complete_privately(Sensitive<Ratings> ratings, const CompleteTask& task,
                                    const ProgressCallback& progress) {
  auto [positions, values] = split(std::move(ratings));
  check_positions(positions);
  const RatingShape shape = public_shape(positions.entries);
  const RatingWay way = checked_way(task, shape);
  Plan releases = plan_by(way, task, shape);
  const std::optional<Ratings> test = read_test_ratings(task, positions);
  if (test) refuse_protected_places(positions, *test);
  std::vector<std::string>& facts = releases.statement.public_facts;
  for (std::string& fact : rating_facts(positions)) facts.push_back(std::move(fact));
  name_companions(releases.statement, task.companions());

  PrivateRun run(releases, task.privacy);
  PrivateFit fit = fit_by(way, task, {positions.entries, std::move(values)}, run, progress);
  throw_if_stopped(fit.status == FitStatus::stopped);
  CompletionResult result = result_of_ratings(std::move(positions));
  if (test && fit.status != FitStatus::diverged) {
    result.scores = score_ratings(fit.model, test->entries, task.file.value_range());
  }
  result.model = std::move(fit.model);
  result.status = fit.status;
  result.method = releases.method;
  result.certificate = run.certify();
  return result;
}

}  // namespace

OptionTable CompleteTask::table() {
  return OptionTable()
      .append(completion.table())
      .append(file.table())
      .text("test", 0, test, "FILE",
            "public entries to predict: rmse, mae, and ndcg and precision at 10")
      .integer("cross-validate", 0, folds, {2, 1000},
               "also predict every rating from a model that has not seen it, by so many fits, each "
               "without another part of the ratings; not with `epsilon`")
      .append(privacy.table())
      .text("given", 0, given, "FILE",
            "unit user, with `test`: public ratings of the test users, who should not be in "
            "RATINGS (this is not checked)");
}

void CompleteTask::check() const {
  completion.check();
  privacy.check();
  SOTTO_REQUIRE_AT(given.empty() || privacy.for_users(), "`given`", "only works with `unit` user");
  if (!privacy.asked()) return;
  SOTTO_REQUIRE_AT(
      !folds, "`cross-validate`",
      "does not work with `epsilon`: every part would be another release, and its score "
      "shows the ratings; use a public `test` file");
  bounds().check();
  SOTTO_REQUIRE_AT(privacy.mechanism != RatingMechanism::sgd || completion.model == LowRank::cp,
                   "`mechanism`", "sgd only works with `model` cp");
  refuse_without_effect(*this);
  if (!privacy.for_users()) return;
  privacy.require_small_delta(privacy.guessed_users());
  SOTTO_REQUIRE_AT(file.time_mode == TimeMode::none || !privacy.times.empty(), "`time-mode`",
                   "needs `times` FILE with `unit` user: the public list of days, weeks or months, "
                   "which would otherwise be read off the users' ratings");
  SOTTO_REQUIRE_AT(completion.model == LowRank::cp, "`model`", "`unit` user only works with cp");
  SOTTO_REQUIRE_AT(test.empty() || !given.empty(), "`test`",
                   "needs `given` FILE with `unit` user: public ratings of the test users, from "
                   "which their own rows are computed");
}

RatingFileOptions CompleteTask::reading() const {
  RatingFileOptions options = file;
  options.records_are_private = privacy.asked();
  options.for_users = privacy.for_users();
  return options;
}

Companions CompleteTask::companions() const {
  return {{"test", "the file of test ratings", test},
          {"given", "the file of the test users' other ratings", given},
          {"items", "the file that lists the items", privacy.items},
          {"times", "the file that lists the times", privacy.times}};
}

ValueBounds CompleteTask::bounds() const {
  const std::optional<ValueRange> range = file.value_range();
  SOTTO_REQUIRE_AT(range, "`epsilon`",
                   "needs `range` LO:HI, the range that values can have: it is public and is not "
                   "read off the ratings");
  return {range->low, range->high};
}

std::vector<std::string> CompleteTask::unused() const {
  if (!privacy.asked()) return {};
  std::vector<std::string> names;
  CompletionOptions solver = completion;
  const OptionTable options = solver.table();
  for (const Option& option : options.options()) {
    if (!looks_at(*this, option.name)) names.push_back(option.name);
  }
  if (privacy.for_users()) {
    names.emplace_back("mechanism");
  } else {
    names.insert(names.end(), {"items", "times", "per-user", "given"});
  }
  const bool clips =
      privacy.perturb == Perturbation::gradient || privacy.perturb == Perturbation::output;
  if (!clips) names.emplace_back("clip");
  return names;
}

Plan plan(const CompleteTask& task, const RatingShape& shape) {
  task.check();
  SOTTO_REQUIRE_AT(task.privacy.asked(), "`plan`", "needs `epsilon`");
  SOTTO_REQUIRE(!task.privacy.for_users(), "a shape of ratings is for `unit` rating");
  return plan_by(checked_way(task, shape), task, shape);
}

RatingShape read_rating_shape(const std::vector<std::string>& paths, const CompleteTask& task) {
  RatingFileOptions options = task.reading();
  options.positions_only = true;
  const Ratings positions = split(read_rating_files(paths, options)).positions;
  check_positions(positions);
  return task.privacy.asked() ? public_shape(positions.entries) : shape_of(positions.entries);
}

CompletionResult run(Input<Ratings> ratings, const CompleteTask& task,
                     const ProgressCallback& progress) {
  task.check();
  require_declared(ratings, task.privacy.asked());
  SOTTO_REQUIRE(!task.privacy.for_users(), "`unit` user is learnt by run_users");
  return ratings.is_public() ? complete_publicly(std::move(ratings).open(), task, progress)
                             : complete_privately(std::move(ratings).sensitive(), task, progress);
}

void save(const CompletionResult& result, OutputFolder& folder) {
  const CompletionModel& model = result.model;
  for (Index m = 0; m < model.order(); ++m) {
    const auto n = static_cast<std::size_t>(m);
    folder.write_npy(fmt::format("factors_{}.npy", m), model.factor(m));
    folder.write_npy(fmt::format("biases_{}.npy", m), model.biases.rows[n]);
    std::string labels;
    for (Index i = 0; i < result.shape.dims[n]; ++i) labels += result.modes[n].label(i) + "\n";
    folder.write_text(fmt::format("labels_{}.txt", m), labels);
  }
  if (model.kind == LowRank::tucker) folder.write_npy("core.npy", model.core_tensor());
  if (!model.scaling) return;
  const BiScaling::Numbers scaling = model.scaling->numbers();
  folder.write_npy("scaling_0.npy", scaling.lines[0]);
  folder.write_npy("scaling_1.npy", scaling.lines[1]);
}

RatingCheck check_ratings(Input<Ratings> input, const CompleteTask& task) {
  SOTTO_REQUIRE_AT(!task.privacy.asked(), "`check`",
                   "shows the ratings and does not work with `epsilon`");
  require_declared(input, false);
  const Ratings ratings = std::move(input).open();
  const ObservedEntries& entries = ratings.entries;
  RatingCheck found;
  found.shape = shape_of(entries);
  for (const RatingMode& mode : ratings.modes) found.modes.push_back(mode.name);
  found.duplicates = find_duplicates(entries).count;
  for (Index m = 0; m < entries.order(); ++m) {
    const RowEntries rows(entries, m);
    Index empty = 0;
    for (Index i = 0; i < rows.rows(); ++i) {
      empty += rows.count(i) == 0 ? 1 : 0;
      if (m == 0) found.ratings_of_rows.push_back(rows.count(i));
    }
    found.empty_slices.push_back(empty);
  }
  std::sort(found.ratings_of_rows.begin(), found.ratings_of_rows.end());
  const auto [lowest, highest] = std::minmax_element(entries.value.begin(), entries.value.end());
  found.lowest = *lowest;
  found.highest = *highest;
  if (const std::optional<Ratings> test = read_test_ratings(task, ratings)) {
    found.test.emplace();
    found.test->entries = test->entries.size();
    found.test->duplicates = find_duplicates(test->entries).count;
    found.test->overlap = count_overlap(entries, test->entries);
    for (Index e = 0; e < test->entries.size(); ++e) {
      found.test->unknown_rows += test->entries.has_unknown_row(e) ? 1 : 0;
    }
  }
  return found;
}

}  // namespace sotto
