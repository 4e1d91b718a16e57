#include "sotto/tasks/complete_users.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/base/json.h"
#include "sotto/base/rounded_up.h"
#include "sotto/complete/fit/scores.h"
#include "sotto/complete/private/users.h"
#include "sotto/io/npy.h"
#include "sotto/io/output_folder.h"
#include "sotto/io/public_format.h"
#include "sotto/io/read_labels.h"
#include "sotto/io/read_ratings.h"
#include "sotto/release/private_run.h"
#include "sotto/release/private_users.h"
#include "sotto/release/rating_split.h"
#include "sotto/tasks/companions.h"
#include "sotto/tasks/declare.h"

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
  return score(test, predicted, model.bounds.low);
}

// ---- learning ----

UserPlan user_settings(const CompleteTask& task, const ListedRows& rows) {
  return {task.privacy.target(), task.bounds(),
          rows.items.size(),     rows.times ? rows.times->size() : 0,
          task.privacy.per_user, task.privacy.users};
}

// How the ratings were read, for the certificate.
std::vector<std::string> user_facts(const SensitiveUsers& users) {
  std::vector<std::string> facts;
  if (users.format != RatingFormat::automatic) {
    facts.push_back(format_fact(name_of(users.format)));
  }
  facts.push_back(fmt::format("that users are told apart by {}: one label is one user",
                              users.user_column.empty() ? "their number" : users.user_column));
  return facts;
}

// ---- the model as files ----

std::string lines_of(const LabelTable& labels) {
  std::string text;
  for (Index i = 0; i < labels.size(); ++i) text += std::string(labels.label(i)) + "\n";
  return text;
}

Vector read_vector(const std::string& path) {
  const DenseTensor found = read_npy(path);
  SOTTO_REQUIRE_AT(found.order() == 1 && !found.has_nonfinite(), path,
                   "is not a vector of finite numbers");
  return Eigen::Map<const Vector>(found.values().data(), found.size());
}

Json read_result(const std::string& folder) {
  const std::string path = folder + "/result.json";
  SOTTO_REQUIRE_AT(std::filesystem::is_regular_file(path), folder,
                   "is not the folder of a result: `recommend` needs one made with `unit` user");
  return read_json(path);
}

UserModel model_of(const Json& result, const std::string& folder) {
  UserModel model;
  bool with_times = false;
  try {
    const auto& user = result.at("user");
    model.mean = result.at("mean").get<double>();
    model.level_variance = user.at("level_variance").get<double>();
    model.error_variance = user.at("error_variance").get<double>();
    model.bounds = {user.at("low").get<double>(), user.at("high").get<double>()};
    with_times = user.contains("times");
  } catch (const Json::exception&) {
    throw Error("is not a result of `unit` user", folder + "/result.json");
  }
  model.effects = read_vector(folder + "/biases_1.npy");
  if (with_times) model.times = read_vector(folder + "/biases_2.npy");
  const DenseTensor factors = read_npy(folder + "/factors_1.npy");
  SOTTO_REQUIRE_AT(factors.order() == 2 && factors.dims()[0] == model.effects.size() &&
                       !factors.has_nonfinite() && model.error_variance > 0 &&
                       model.level_variance >= 0 && model.bounds.low < model.bounds.high,
                   folder, "holds files that do not belong together");
  model.factors.resize(model.effects.size(), factors.dims()[1]);
  for (Index i = 0; i < model.factors.rows(); ++i) {
    for (Index r = 0; r < model.factors.cols(); ++r) model.factors(i, r) = factors.at({i, r});
  }
  return model;
}

// ---- recommending ----

// One user's ratings; every item must be known.
std::vector<OwnRating> read_own(const RecommendTask& task, const SavedUserModel& saved) {
  const PublicUsers file = read_public_users(task.own, task.file, saved.rows);
  std::set<std::string> users;
  for (Index e = 0; e < file.entries.size(); ++e) users.insert(file.user_of(e));
  SOTTO_REQUIRE_AT(users.size() == 1, task.own,
                   "holds {} users: `recommend` takes the ratings of one", users.size());
  refuse_duplicates(file.ratings);
  std::vector<OwnRating> own;
  for (Index e = 0; e < file.entries.size(); ++e) {
    SOTTO_REQUIRE_AT(file.entries.row(1, e) != kUnknownRow,
                     fmt::format("{}:{}", task.own, file.ratings.lines.line_of(e)),
                     "the item {} is not one of those in {}",
                     file.ratings.modes[1].label(file.ratings.entries.row(1, e)), saved.folder);
    own.push_back({file.entries.row(1, e), file.entries.at(e), file.entries.row(2, e)});
  }
  return own;
}

// Whom recommendations say something about: nobody in the training data beyond its certificate, and
// the one user they are made for.
std::string exposure(const RecommendTask& task, const SavedUserModel& saved) {
  const auto certificate = parse_json(saved.certificate);
  const bool proved = certificate.is_object() && certificate.value("guarantee", "") == "proved" &&
                      certificate.contains("epsilon") && certificate["epsilon"].is_number() &&
                      certificate.contains("delta") && certificate["delta"].is_number();
  const std::string source =
      proved ? fmt::format("the certificate of {} (epsilon {}, delta {})", saved.folder,
                           rounded_up(certificate.at("epsilon").get<double>()),
                           rounded_up(certificate.at("delta").get<double>()))
             : fmt::format("{}, which gives no guarantee", saved.folder);
  return fmt::format(
      "These are post-processing for everyone in the training data: {} covers them, and nothing "
      "more is spent. They are made from the ratings in {} and show them to whoever reads this.",
      source, task.own);
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
  plan.forecasts = {core_forecast(settings)};
  plan.held_by_budget = true;
  return plan;
}

UserCompletionResult run_users(Input<Ratings> ratings, UserFiles files, const CompleteTask& task) {
  Plan releases = plan(task, files.rows);
  require_declared(ratings, true);
  SensitiveUsers read = number_users(std::move(ratings).sensitive(), files.rows);
  std::vector<std::string>& facts = releases.statement.public_facts;
  for (std::string& fact : user_facts(read)) facts.push_back(std::move(fact));
  name_companions(releases.statement, task.companions());

  PrivateRun run(releases, task.privacy.key());
  PrivateUsers users(std::move(read.entries), user_settings(task, files.rows), run);
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

std::vector<std::string> RecommendTask::unused() {
  // As for a private model of ratings: nothing is learnt by a solver.
  CompleteTask task;
  task.privacy.epsilon = 1;
  return task.unused();
}

SavedUserModel load_user_model(const std::string& folder) {
  const Json result = read_result(folder);
  SavedUserModel saved;
  saved.folder = folder;
  saved.model = model_of(result, folder);
  saved.rows.items = read_labels(folder + "/labels_1.txt");
  if (saved.model.times.size() > 0) saved.rows.times = read_labels(folder + "/labels_2.txt");
  SOTTO_REQUIRE_AT(saved.rows.items.size() == saved.model.items() &&
                       (!saved.rows.times || saved.rows.times->size() == saved.model.times.size()),
                   folder, "holds files that do not belong together");
  saved.certificate = json_text(result.value("privacy", Json::object()));
  return saved;
}

RecommendationResult recommend(const SavedUserModel& saved, const RecommendTask& task) {
  const std::vector<OwnRating> own = read_own(task, saved);
  RecommendationResult result;
  result.items = saved.rows.items.size();
  for (const auto& [item, value] : recommend(saved.model, own, task.top)) {
    result.recommendations.push_back({std::string(saved.rows.items.label(item)), value});
  }
  result.exposes = exposure(task, saved);
  result.folder = saved.folder;
  result.certificate = saved.certificate;
  return result;
}

}  // namespace sotto
