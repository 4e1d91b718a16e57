// Completion with all ratings of one user protected (unit user), and recommendation from a model
// that was saved. What belongs to items is learnt and released; what belongs to a user is worked
// out from the user's own ratings, where they are.
//
//   CompleteTask task;                               // privacy.unit = RatingUnit::user, ...
//   UserFiles files = read_user_files(task);         // public
//   UserCompletionResult result = run_users(read_ratings(path, task.reading()), files, task);
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sotto/base/export.h"
#include "sotto/complete/private/user_model.h"
#include "sotto/tasks/complete.h"

namespace SOTTO_API sotto {

// The public files of a run: the lists of items and times, and ratings of test users. These are
// other users than those that the run learns from.
struct UserFiles {
  ListedRows rows;
  std::map<std::string, std::vector<OwnRating>> own;  // of each test user
  struct Test {
    ObservedEntries entries;         // to be predicted; items and times as listed
    std::vector<std::string> users;  // labels of the rows of mode 0
  };
  std::optional<Test> test;
};
UserFiles read_user_files(const CompleteTask& task);

// What a run will release, by public numbers; no rating is read.
Plan plan(const CompleteTask& task, const ListedRows& rows);

struct UserCompletionResult {
  UserModel model;
  ListedRows rows;  // what items and times stand for
  std::string method;
  Certificate certificate;
  std::optional<CompletionScores> scores;  // of the test users
};

// Learns from sensitive ratings. The run does not check whether a test user is among the users,
// since a refusal would tell.
UserCompletionResult run_users(Input<Ratings> ratings, UserFiles files, const CompleteTask& task);

// Writes factors, effects and labels. The rest of the model is in result.json.
void save(const UserCompletionResult& result, OutputFolder& folder);

// A model from the folder of a result of unit user.
struct SavedUserModel {
  std::string folder;
  UserModel model;
  ListedRows rows;
  std::string certificate;  // JSON, as saved; an empty object: none
};
SavedUserModel load_user_model(const std::string& folder);

struct RecommendTask {
  std::string own;  // file: the ratings of one user
  RatingFileOptions file;
  std::int64_t top = 10;

  // Options of a completion that recommending does not use.
  static std::vector<std::string> unused();
};

struct RecommendedItem {
  std::string item;
  double value;
};

struct RecommendationResult {
  Index items = 0;  // of the model
  std::vector<RecommendedItem> recommendations;
  std::string exposes;      // whom the recommendations say something about
  std::string folder;       // of the model
  std::string certificate;  // JSON
};

// What the model predicts for the items that the user has not rated, best first.
RecommendationResult recommend(const SavedUserModel& saved, const RecommendTask& task);

}  // namespace sotto
