// Users whose ratings are in a list of files: in this process, or shared out among shards.
//
// Every shard reads all files and keeps the users whose labels are assigned to it: a user's ratings
// may be in several files, and they are summed in one place. Sums over users are whole numbers
// (release/user_sums.h), so the result has the bits of one process, however the users are shared
// out. A question contains the lists of items and times and everything else that its answer depends
// on; a shard keeps the ratings as the last question asked for them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sotto/base/sensitive.h"
#include "sotto/io/file_options.h"
#include "sotto/release/rating_split.h"
#include "sotto/release/user_sums.h"
#include "sotto/tasks/complete_users.h"
#include "sotto/tensor/shards.h"

namespace sotto {

struct UserInput {
  std::vector<std::string> facts;  // how the ratings were read, for the certificate
  Sensitive<Users> users;
};

std::vector<std::string> user_facts(const SensitiveUsers& users);

// What a shard answers. `before` is called now and then, and may throw to end the work.
AnswerQuestion user_file_answers(const std::vector<std::string>& paths,
                                 const RatingFileOptions& file, std::function<void()> before = {});

// The users of these files, which the shards hold. They must outlive the input.
UserInput sharded_users(const std::vector<std::string>& paths, const RatingFileOptions& file,
                        const ListedRows& rows, const UserRules& rules, Shards& shards);

// The rules by which a task's ratings become those of users.
UserRules user_rules(const CompleteTask& task, const ListedRows& rows);

UserCompletionResult run_users(UserInput input, UserFiles files, const CompleteTask& task);

}  // namespace sotto
