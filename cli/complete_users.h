// The user unit of `sotto complete`: learning from users' ratings, and scoring one user's own.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "cli/command.h"
#include "cli/private_run.h"
#include "sotto/complete/fit/fit.h"
#include "sotto/io/output_folder.h"
#include "sotto/io/read_ratings.h"
#include "sotto/release/rating_options.h"
#include "sotto/report/result.h"

namespace sotto::cli {

struct UserFiles {
  std::string ratings;  // to learn from, or the folder of a result to recommend from
  std::string given;    // public ratings of test users, unit user
  std::string test;     // other ratings of theirs
  std::string own;      // of one user, to recommend to
  std::int64_t top = 10;
};

// What the command has read of its options, and how it begins a result.
struct UserRun {
  UserFiles files;
  const CompletionOptions& completion;
  const RatingPrivacyOptions& privacy;
  const RatingFileOptions& format;
  bool json = false;
  Companions companions;
  std::function<Json(const Json& input)> start_result;
};

ExitCode complete_for_users(const UserRun& run, std::optional<OutputFolder>& folder);
ExitCode recommend_to_user(const UserRun& run, std::optional<OutputFolder>& folder);

}  // namespace sotto::cli
