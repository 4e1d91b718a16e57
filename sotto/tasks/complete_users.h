// Completion with all ratings of one user protected (unit user). What belongs to items is learnt
// and released; what belongs to a user is worked out from the user's own ratings, where they are
// (apply.h).
//
//   CompleteTask task;                               // privacy.unit = RatingUnit::user, ...
//   UserFiles files = read_user_files(task);         // public
//   UserCompletionResult result = run_users(read_ratings(path, task.reading()), files, task);
#pragma once

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

}  // namespace sotto
