#include "sotto/tasks/complete_users.h"

#include <fmt/format.h>

#include <utility>

#include "sotto/base/error.h"
#include "sotto/complete/fit/scores.h"
#include "sotto/complete/private/users.h"
#include "sotto/io/output_folder.h"
#include "sotto/io/read_labels.h"
#include "sotto/io/read_ratings.h"
#include "sotto/release/private_run.h"
#include "sotto/release/private_users.h"
#include "sotto/release/rating_split.h"
#include "sotto/tasks/companions.h"
#include "sotto/tasks/declare.h"
#include "sotto/tasks/user_shards.h"

namespace sotto {
namespace {

// ---- ratings of public users ----

struct PublicUsers {
  Ratings ratings;
  ObservedEntries entries;  // items and times as listed

  std::string user_of(Index entry) const { return ratings.modes[0].label(entries.row(0, entry)); }
};

PublicUsers read_public_users(const std::string& path, RatingFileOptions file,
                              const ListedRows& rows) {
  file.for_users = true;
  Ratings ratings = read_ratings(path, file)
                        .open(PublicDeclaration("the ratings of test users are treated as public"));
  ObservedEntries entries = numbered(rows, ratings);
  return {std::move(ratings), std::move(entries)};
}

std::map<std::string, std::vector<OwnRating>> own_ratings(const PublicUsers& given) {
  std::map<std::string, std::vector<OwnRating>> own;
  for (Index e = 0; e < given.entries.size(); ++e) {
    const std::int32_t item = given.entries.row(1, e);
    if (item == kUnknownRow) continue;
    own[given.user_of(e)].push_back({item, given.entries.at(e), given.entries.row(2, e)});
  }
  return own;
}

void refuse_shared_places(const UserFiles& files, const PublicUsers& test) {
  for (Index e = 0; e < test.entries.size(); ++e) {
    const auto user = files.own.find(test.user_of(e));
    if (user == files.own.end()) continue;
    for (const OwnRating& rating : user->second) {
      SOTTO_REQUIRE_AT(rating.item != test.entries.row(1, e), test.ratings.path,
                       "holds a rating that `given` holds too: test on other ratings");
    }
  }
}

CompletionScores score_users(const UserModel& model, const UserFiles& files) {
  const ObservedEntries& test = files.test->entries;
  std::map<std::int32_t, OwnTaste> solved;
  std::vector<double> predicted;
  for (Index e = 0; e < test.size(); ++e) {
    const std::int32_t user = test.row(0, e);
    const auto [taste, is_new] = solved.try_emplace(user);
    if (is_new) {
      const auto own = files.own.find(files.test->users[static_cast<std::size_t>(user)]);
      taste->second =
          own == files.own.end() ? solve_user(model, {}) : solve_user(model, own->second);
    }
    predicted.push_back(predict(model, taste->second, test.row(1, e), test.row(2, e)));
  }
  return score(test, predicted, model.bounds.low, model.bounds.high);
}

// ---- learning ----

UserPlan user_settings(const CompleteTask& task, const ListedRows& rows) {
  return {task.privacy.target(), task.bounds(),
          rows.items.size(),     rows.times ? rows.times->size() : 0,
          task.privacy.per_user, task.privacy.users};
}

// ---- the model as files ----

std::string lines_of(const LabelTable& labels) {
  std::string text;
  for (Index i = 0; i < labels.size(); ++i) text += std::string(labels.label(i)) + "\n";
  return text;
}

}  // namespace

UserFiles read_user_files(const CompleteTask& task) {
  UserFiles files;
  files.rows.items = read_labels(task.privacy.items);
  if (!task.privacy.times.empty()) files.rows.times = read_labels(task.privacy.times);
  if (task.test.empty()) return files;
  files.own = own_ratings(read_public_users(task.given, task.file, files.rows));
  PublicUsers test = read_public_users(task.test, task.file, files.rows);
  refuse_shared_places(files, test);
  files.test.emplace();
  for (Index u = 0; u < test.entries.dims[0]; ++u) {
    files.test->users.push_back(test.ratings.modes[0].label(u));
  }
  files.test->entries = std::move(test.entries);
  return files;
}

Plan plan(const CompleteTask& task, const ListedRows& rows) {
  task.check();
  SOTTO_REQUIRE(task.privacy.for_users(), "lists of items and times are for `unit` user");
  const UserPlan settings = user_settings(task, rows);
  Plan plan;
  plan.statement = user_statement(settings);
  plan.target = settings.target;
  plan.method = "noisy sums over users";
  plan.releases = planned_releases(settings);
  plan.forecasts = {item_forecast(settings), core_forecast(settings)};
  plan.held_by_budget = true;
  return plan;
}

UserRules user_rules(const CompleteTask& task, const ListedRows& rows) {
  return user_settings(task, rows).rules();
}

UserCompletionResult run_users(Input<Ratings> ratings, UserFiles files, const CompleteTask& task) {
  require_declared(ratings, true);
  task.check();
  const UserRules rules = user_rules(task, files.rows);
  SensitiveUsers read = number_users(std::move(ratings).sensitive(), files.rows);
  return run_users(UserInput{user_facts(read), held_users(std::move(read.entries), rules)},
                   std::move(files), task);
}

UserCompletionResult run_users(UserInput input, UserFiles files, const CompleteTask& task) {
  Plan releases = plan(task, files.rows);
  std::vector<std::string>& facts = releases.statement.public_facts;
  for (std::string& fact : input.facts) facts.push_back(std::move(fact));
  name_companions(releases.statement, task.companions());

  PrivateRun run(releases, task.privacy);
  PrivateUsers users(std::move(input.users), user_settings(task, files.rows), run);
  UserCompletionResult result;
  result.model = fit_private_users(users, task.completion.rank);
  result.method = releases.method;
  result.certificate = run.certify();
  if (files.test) result.scores = score_users(result.model, files);
  result.rows = std::move(files.rows);
  return result;
}

void save(const UserCompletionResult& result, OutputFolder& folder) {
  folder.write_npy("factors_1.npy", result.model.factors);
  folder.write_npy("biases_1.npy", result.model.effects);
  folder.write_text("labels_1.txt", lines_of(result.rows.items));
  if (result.model.times.size() == 0) return;
  folder.write_npy("biases_2.npy", result.model.times);
  folder.write_text("labels_2.txt", lines_of(*result.rows.times));
}

}  // namespace sotto
