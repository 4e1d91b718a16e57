#include "cli/complete_users.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <vector>

#include "cli/private_run.h"
#include "cli/write_result.h"
#include "sotto/base/error.h"
#include "sotto/base/rounded_up.h"
#include "sotto/base/sensitive.h"
#include "sotto/complete/fit/scores.h"
#include "sotto/complete/private/users.h"
#include "sotto/io/npy.h"
#include "sotto/io/public_format.h"
#include "sotto/io/public_rows.h"
#include "sotto/release/private_stream.h"

namespace sotto::cli {
namespace {

namespace fs = std::filesystem;

// ---- ratings of public users ----

// The public lists: items, and times where time is part of the model.
struct Lists {
  LabelTable items;
  std::optional<LabelTable> times;
};

// Rows as listed; without a list of times the third mode is not looked at.
ObservedEntries numbered(const Lists& lists, const Ratings& ratings) {
  SOTTO_REQUIRE_AT(!lists.times || ratings.modes.size() == 3, "--times",
                   "{} has {} modes beside users and items, and one of them must be the times; "
                   "leave others out with --columns",
                   ratings.path, ratings.modes.size() - 2);
  ObservedEntries entries = numbered_by(lists.items, 1, ratings);
  if (!lists.times) {
    std::fill(entries.index[2].begin(), entries.index[2].end(), kUnknownRow);
    return entries;
  }
  ObservedEntries with_times = numbered_by(*lists.times, 2, ratings);
  entries.index[2] = std::move(with_times.index[2]);
  entries.dims[2] = with_times.dims[2];
  return entries;
}

struct PublicRatings {
  Ratings ratings;
  ObservedEntries entries;  // rows as listed
};

PublicRatings read_public(const std::string& path, RatingFileOptions format, const Lists& lists) {
  const PublicDeclaration declared("the test users' ratings are treated as public");
  format.for_users = true;
  Ratings ratings = Sensitive<Ratings>(read_ratings(path, format)).open(declared);
  ObservedEntries entries = numbered(lists, ratings);
  return {std::move(ratings), std::move(entries)};
}

std::set<std::string> users_of(const Ratings& ratings) {
  std::set<std::string> users;
  const RowEntries by_user(ratings.entries, 0);
  for (Index u = 0; u < by_user.rows(); ++u) {
    if (by_user.count(u) > 0) users.insert(ratings.modes[0].label(u));
  }
  return users;
}

std::map<std::string, std::vector<OwnRating>> own_ratings(const PublicRatings& given) {
  std::map<std::string, std::vector<OwnRating>> own;
  for (Index e = 0; e < given.entries.size(); ++e) {
    const std::int32_t item = given.entries.row(1, e);
    if (item == kUnknownRow) continue;
    own[given.ratings.modes[0].label(given.entries.row(0, e))].push_back(
        {item, given.entries.at(e), given.entries.row(2, e)});
  }
  return own;
}

struct TestFiles {
  std::map<std::string, std::vector<OwnRating>> own;
  std::optional<PublicRatings> test;
};

void refuse_shared_places(const TestFiles& files, const std::string& path) {
  for (Index e = 0; e < files.test->entries.size(); ++e) {
    const auto user =
        files.own.find(files.test->ratings.modes[0].label(files.test->entries.row(0, e)));
    if (user == files.own.end()) continue;
    for (const OwnRating& rating : user->second) {
      SOTTO_REQUIRE_AT(rating.item != files.test->entries.row(1, e), path,
                       "holds a rating that --given holds too: test on other ratings");
    }
  }
}

TestFiles read_test(const UserRun& run, const Lists& lists) {
  TestFiles files;
  if (run.files.test.empty()) return files;
  SOTTO_REQUIRE_AT(!run.files.given.empty(), "--test",
                   "needs --given FILE with --unit user: public ratings of the test users, from "
                   "which their own part is worked out");
  const PublicRatings given = read_public(run.files.given, run.format, lists);
  files.own = own_ratings(given);
  files.test = read_public(run.files.test, run.format, lists);
  refuse_shared_places(files, run.files.test);
  return files;
}

CompletionScores score_users(const UserModel& model, const TestFiles& files) {
  const PublicRatings& test = *files.test;
  std::map<std::string, OwnTaste> solved;
  std::vector<double> predicted;
  for (Index e = 0; e < test.entries.size(); ++e) {
    const std::string user = test.ratings.modes[0].label(test.entries.row(0, e));
    const auto own = files.own.find(user);
    const auto [taste, is_new] = solved.try_emplace(user);
    if (is_new) {
      taste->second =
          own == files.own.end() ? solve_user(model, {}) : solve_user(model, own->second);
    }
    predicted.push_back(
        predict(model, taste->second, test.entries.row(1, e), test.entries.row(2, e)));
  }
  return score(test.entries, predicted, model.bounds.low);
}

// ---- the released model as files ----

std::string text_of(const LabelTable& labels) {
  std::string text;
  for (Index i = 0; i < labels.size(); ++i) text += std::string(labels.label(i)) + "\n";
  return text;
}

void write_model(OutputFolder& folder, const UserModel& model, const Lists& lists) {
  folder.write_npy("factors_1.npy", model.factors);
  folder.write_npy("biases_1.npy", model.effects);
  folder.write_text("labels_1.txt", text_of(lists.items));
  if (model.times.size() == 0) return;
  folder.write_npy("biases_2.npy", model.times);
  folder.write_text("labels_2.txt", text_of(*lists.times));
}

void fill_model(Json& result, const UserModel& model) {
  result["mean"] = model.mean;
  result["user"] = {{"level_variance", model.level_variance},
                    {"error_variance", model.error_variance},
                    {"low", model.bounds.low},
                    {"high", model.bounds.high}};
  if (model.times.size() > 0) result["user"]["times"] = model.times.size();
}

Vector read_vector(const std::string& path) {
  const DenseTensor found = read_npy(path);
  SOTTO_REQUIRE_AT(found.order() == 1 && !found.has_nonfinite(), path,
                   "is not a vector of finite numbers");
  return Eigen::Map<const Vector>(found.values().data(), found.size());
}

Json read_result(const std::string& folder) {
  std::ifstream file(folder + "/result.json");
  SOTTO_REQUIRE_AT(fs::is_directory(folder) && file, folder,
                   "is not the folder of a result: --recommend needs one made with --unit user");
  return Json::parse(file, nullptr, false);
}

UserModel read_model(const std::string& folder, const Json& result) {
  const std::string path = folder + "/result.json";
  UserModel model;
  Json user;
  try {
    user = result.at("user");
    model.mean = result.at("mean").get<double>();
    model.level_variance = user.at("level_variance").get<double>();
    model.error_variance = user.at("error_variance").get<double>();
    model.bounds = {user.at("low").get<double>(), user.at("high").get<double>()};
  } catch (const Json::exception&) {
    throw Error("is not a result of --unit user", path);
  }
  model.effects = read_vector(folder + "/biases_1.npy");
  if (user.contains("times")) model.times = read_vector(folder + "/biases_2.npy");
  const DenseTensor factors = read_npy(folder + "/factors_1.npy");
  SOTTO_REQUIRE_AT(factors.order() == 2 && factors.dims()[0] == model.effects.size() &&
                       !factors.has_nonfinite() && model.error_variance > 0 &&
                       model.level_variance >= 0 && model.bounds.low < model.bounds.high,
                   folder, "holds files that do not go together");
  const Index rank = factors.dims()[1];
  model.factors.resize(model.effects.size(), rank);
  for (Index i = 0; i < model.factors.rows(); ++i) {
    for (Index r = 0; r < rank; ++r) model.factors(i, r) = factors.at({i, r});
  }
  return model;
}

// One user's ratings; every item must be known.
std::vector<OwnRating> read_own(const UserRun& run, const Lists& lists) {
  const PublicRatings file = read_public(run.files.own, run.format, lists);
  SOTTO_REQUIRE_AT(users_of(file.ratings).size() == 1, run.files.own,
                   "holds {} users: --recommend takes the ratings of one",
                   users_of(file.ratings).size());
  refuse_duplicates(file.ratings);
  std::vector<OwnRating> own;
  for (Index e = 0; e < file.entries.size(); ++e) {
    SOTTO_REQUIRE_AT(file.entries.row(1, e) != kUnknownRow,
                     fmt::format("{}:{}", run.files.own, file.ratings.lines.line_of(e)),
                     "the item {} is not one of those in {}",
                     file.ratings.modes[1].label(file.ratings.entries.row(1, e)),
                     run.files.ratings);
    own.push_back({file.entries.row(1, e), file.entries.at(e), file.entries.row(2, e)});
  }
  return own;
}

void finish(const UserRun& run, std::optional<OutputFolder>& folder, Json& result) {
  if (folder) write_result(*folder, result);
  if (run.json) fmt::print("{}", to_text(result));
}

// Neither what is wrong with a line nor where is shown.
Ratings read_users_file(const UserRun& run) {
  RatingFileOptions any_value = run.format;
  any_value.range.clear();
  any_value.records_are_private = true;
  any_value.for_users = true;
  return read_unquoted(run.files.ratings,
                       [&] { return read_ratings(run.files.ratings, any_value); });
}

// How the ratings are read, for the certificate.
std::vector<std::string> reading_facts(const Ratings& ratings) {
  return {
      format_fact(ratings.format),
      fmt::format("that users are told apart by {}: one label is one user", ratings.user_column)};
}

// What is read stays within: it leaves as Sensitive. Whether a test user is among the users is not
// looked at, since a refusal would tell.
Sensitive<ObservedEntries> read_users(const UserRun& run, const Lists& lists,
                                      std::vector<std::string>& facts) {
  const Ratings ratings = read_users_file(run);
  facts = reading_facts(ratings);
  return Sensitive<ObservedEntries>(numbered(lists, ratings));
}

void refuse_other_models(const UserRun& run) {
  run.privacy.require_small_delta(run.privacy.guessed_users());
  SOTTO_REQUIRE_AT(run.format.value_range(), "--epsilon",
                   "needs --range LO:HI, the range that values can have: it is public and is not "
                   "read off the ratings");
  SOTTO_REQUIRE_AT(run.format.time_mode == "none" || !run.privacy.times.empty(), "--time-mode",
                   "needs --times FILE with --unit user: the public list of days, weeks or months, "
                   "which would otherwise be read off the users' ratings");
  SOTTO_REQUIRE_AT(run.completion.model == "cp", "--model", "--unit user is for cp");
}

}  // namespace

ExitCode complete_for_users(const UserRun& run, std::optional<OutputFolder>& folder) {
  refuse_other_models(run);
  const auto range = run.format.value_range();
  Lists lists{read_labels(run.privacy.items), std::nullopt};
  if (!run.privacy.times.empty()) lists.times = read_labels(run.privacy.times);
  const TestFiles test = read_test(run, lists);
  std::vector<std::string> facts;
  Sensitive<ObservedEntries> ratings = read_users(run, lists, facts);

  const UserPlan plan{run.privacy.target(), {range->low, range->high},
                      lists.items.size(),   lists.times ? lists.times->size() : 0,
                      run.privacy.per_user, run.privacy.users};
  PrivacyStatement statement = user_statement(plan);
  statement.public_facts.insert(statement.public_facts.end(), facts.begin(), facts.end());
  PrivateRun releases(statement, run.privacy.key(), plan.target.budget());
  PrivateUsers users(std::move(ratings), plan, releases);
  const UserModel model = fit_private_users(users, run.completion.rank);
  Certificate certificate = releases.certify();
  name_companions(certificate, run.companions);
  Json result = run.start_result({{"items", lists.items.size()}});
  std::optional<CompletionScores> scores;
  if (test.test) {
    scores = score_users(model, test);
    result["rmse"] = scores->rmse;
    result["mae"] = scores->mae;
    if (scores->ndcg10) result["ndcg10"] = *scores->ndcg10;
    result["test"] = {{"entries", scores->entries}, {"unknown_rows", scores->unknown}};
  }
  result["privacy"] = Json(certificate.to_json());
  result["diagnostics"]["method"] = "noisy sums over users";
  fill_model(result, model);
  if (folder) write_model(*folder, model, lists);
  finish(run, folder, result);
  if (!run.json) {
    fmt::print("noisy sums over users\n");
    if (scores) fmt::print("test: rmse {:.4f}, mae {:.4f}\n", scores->rmse, scores->mae);
    fmt::print("{}\n", certificate.to_text());
  }
  return exit_done;
}

namespace {

// Whom recommendations say something about: nobody in the training data beyond its certificate, and
// the one user they are made for.
std::string recommendation_privacy(const UserRun& run, const Json& certificate) {
  const bool proved = certificate.is_object() && certificate.value("guarantee", "") == "proved" &&
                      certificate.value("epsilon", Json()).is_number() &&
                      certificate.value("delta", Json()).is_number();
  const std::string source =
      proved ? fmt::format("the certificate of {} (epsilon {}, delta {})", run.files.ratings,
                           rounded_up(certificate.at("epsilon").get<double>()),
                           rounded_up(certificate.at("delta").get<double>()))
             : fmt::format("{}, which guarantees nothing", run.files.ratings);
  return fmt::format(
      "These are post-processing for everyone in the training data: {} covers them, and nothing "
      "more is spent. They are made from the ratings in {} and show them to whoever reads this.",
      source, run.files.own);
}

}  // namespace

ExitCode recommend_to_user(const UserRun& run, std::optional<OutputFolder>& folder) {
  const Json source = read_result(run.files.ratings);
  const UserModel model = read_model(run.files.ratings, source);
  Lists lists{read_labels(run.files.ratings + "/labels_1.txt"), std::nullopt};
  if (model.times.size() > 0) lists.times = read_labels(run.files.ratings + "/labels_2.txt");
  const LabelTable& items = lists.items;
  SOTTO_REQUIRE_AT(
      items.size() == model.items() && (!lists.times || lists.times->size() == model.times.size()),
      run.files.ratings, "holds files that do not go together");
  const std::vector<OwnRating> own = read_own(run, lists);
  Json result = run.start_result({{"items", items.size()}});
  for (const auto& [item, value] : recommend(model, own, run.files.top)) {
    result["recommendations"].push_back(
        {{"item", std::string(items.label(item))}, {"value", value}});
    if (!run.json) fmt::print("{}\t{:.4f}\n", items.label(item), value);
  }
  const Json certificate = source.value("privacy", Json::object());
  result["exposes"] = recommendation_privacy(run, certificate);
  result["source"] = {{"folder", run.files.ratings}, {"privacy", certificate}};
  if (!run.json) fmt::print("{}\n", result["exposes"].get<std::string>());
  finish(run, folder, result);
  return exit_done;
}

}  // namespace sotto::cli
