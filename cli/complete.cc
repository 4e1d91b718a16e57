// sotto complete: the missing values of a tensor of ratings.
#include <fmt/format.h>

#include <optional>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/not_private.h"
#include "cli/print_plan.h"
#include "sotto/base/error.h"
#include "sotto/base/stopwatch.h"
#include "sotto/io/read_ratings.h"
#include "sotto/report/describe.h"
#include "sotto/report/write_result.h"
#include "sotto/tasks/companions.h"
#include "sotto/tasks/complete.h"
#include "sotto/tasks/complete_users.h"
#include "sotto/tasks/declare.h"
#include "sotto/tasks/user_shards.h"

namespace sotto::cli {
namespace {

class Complete final : public Command {
 public:
  std::string name() const override { return "complete"; }
  std::string summary() const override {
    return "Learn the missing values of a tensor from the observed ones";
  }
  std::vector<Positional> positionals() override {
    return {{"RATINGS",
             "observed entries: .tns, CSV, TSV, MovieLens or .npy with NaN; plain or gzip; several "
             "files are read one after the other",
             nullptr, false, &ratings_}};
  }
  OptionTable options() override {
    return OptionTable()
        .append(task_.table())
        .flag("check", check_, "report on the files and learn nothing")
        .flag("plan", plan_,
              "say what would be released, with which noise, and stop; reads who rated what, but "
              "no value (unit rating), or only the lists of items and times (unit user)")
        .append(common_.table());
  }
  std::vector<std::string> usual_options() const override {
    return {"rank", "model",          "epsilon", "delta", "unit", "range", "columns", "time-mode",
            "test", "cross-validate", "format",  "plan",  "seed", "out",   "json"};
  }
  std::string example() const override {
    return "sotto complete ratings.csv --epsilon 1 --range 1:5 --out found";
  }

  TargetOptions* privacy() override { return &task_.privacy; }
  ExitCode run() override {
    common_.apply(ranks);
    const bool is_private = task_.privacy.asked();
    SOTTO_REQUIRE_AT(!check_ || !is_private, "`check`",
                     "shows the ratings and does not work with `epsilon`");
    SOTTO_REQUIRE_AT(!plan_ || is_private, "`plan`", "needs `epsilon`");
    task_.check();
    SOTTO_REQUIRE_AT(ranks == nullptr || task_.privacy.for_users(), "`unit`",
                     "must be user on several ranks: other ratings are learnt in one process");
    for (const std::string& path : ratings_) {
      if (is_private) require_public(task_.companions(), path);
    }
    if (plan_) return announce();
    common_.open_folder(folder_, inputs(), task_.privacy);
    if (task_.privacy.for_users()) return learn_from_users();
    if (!is_private) say_not_private("the ratings are treated as public", common_.json);
    return check_ ? report() : learn();
  }

  bool runs_on_ranks() const override { return true; }
  AnswerQuestion answers() override {
    common_.apply(ranks);
    return user_file_answers(ratings_, task_.reading());
  }

 private:
  std::string unit() const { return task_.privacy.for_users() ? "user" : "rating"; }

  std::vector<std::string> inputs() const {
    std::vector<std::string> paths = ratings_;
    for (const Companion& companion : task_.companions()) paths.push_back(companion.path);
    return paths;
  }

  void reserve() { task_.privacy.reserve(name(), unit(), ratings_, paths_of(task_.companions())); }

  Input<Ratings> read() {
    reserve();
    const Stopwatch reading;
    Sensitive<Ratings> ratings = while_reading([&] {
      return ratings_.size() == 1 ? read_ratings(ratings_.front(), task_.reading())
                                  : read_rating_files(ratings_, task_.reading());
    });
    reading_ = reading.seconds();
    return declared(std::move(ratings), task_.privacy.asked(), "the ratings");
  }

  ExitCode announce() {
    return print_plan(task_.privacy.for_users() ? plan(task_, read_user_files(task_).rows)
                                                : plan(task_, read_rating_shape(ratings_, task_)),
                      task_.privacy, unit(), common_.json);
  }

  ExitCode learn() {
    Input<Ratings> ratings = read();
    const CompletionResult result = with_progress([&](const ProgressCallback& progress) {
      return sotto::run(std::move(ratings), task_, progress);
    });
    SOTTO_REQUIRE_AT(result.status != FitStatus::diverged, "`step`",
                     "the gradients grew without bound; take a shorter step");
    ResultDocument document = start(task_.unused());
    describe(result, document);
    if (result.training) {
      document.seconds("reading", reading_ + result.training->seconds_reading_test);
    }
    if (folder_) save(result, *folder_);
    present(result, document);
    task_.privacy.commit();
    return result.status == FitStatus::time_limit ? exit_not_converged : exit_done;
  }

  UserCompletionResult run_users_on_ranks(UserFiles files) {
    reserve();
    UserInput users =
        sharded_users(ratings_, task_.reading(), files.rows, user_rules(task_, files.rows), *ranks);
    return run_users(std::move(users), std::move(files), task_);
  }

  ExitCode learn_from_users() {
    UserFiles files = read_user_files(task_);
    const UserCompletionResult result = ranks != nullptr
                                            ? run_users_on_ranks(std::move(files))
                                            : run_users(read(), std::move(files), task_);
    ResultDocument document = start(task_.unused());
    describe(result, document);
    if (folder_) save(result, *folder_);
    present(result, document);
    if (ranks != nullptr && !common_.json) fmt::print("{}\n", ranks->traffic());
    task_.privacy.commit();
    return exit_done;
  }

  ExitCode report() {
    const RatingCheck found = check_ratings(read(), task_);
    ResultDocument document = start({});
    describe(found, document);
    document.seconds(reading_);
    present(found, document);
    return exit_done;
  }

  ResultDocument start(std::vector<std::string> unused) {
    if (!unused.empty()) unused.emplace_back("check");
    unused.emplace_back("plan");
    return start_document(check_ ? "What the ratings hold" : "A completed tensor", unused);
  }

  template <class Result>
  void present(const Result& result, ResultDocument& document) {
    if (folder_) write_result(*folder_, document);
    fmt::print("{}", common_.json ? result_text(document) : to_text(result));
  }

  std::vector<std::string> ratings_;
  CompleteTask task_;
  bool check_ = false, plan_ = false;
  double reading_ = 0;
  std::optional<OutputFolder> folder_;
  CommonOptions common_;
};

}  // namespace

std::unique_ptr<Command> make_complete() { return std::make_unique<Complete>(); }

}  // namespace sotto::cli
