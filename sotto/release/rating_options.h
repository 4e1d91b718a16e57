// The options of a private completion, rating and user unit. Nothing here looks at data.
#pragma once

#include <cstdint>
#include <string>

#include "sotto/release/rating_sums.h"
#include "sotto/release/target_options.h"

namespace sotto {

struct RatingPrivacyOptions : TargetOptions {
  static constexpr std::int64_t kUsualUsers = 1000;

  std::string unit = "rating";  // user
  std::string items;            // file: the public list of items, unit user
  std::string times;            // file: the public list of times, unit user
  std::int64_t per_user = 0;
  std::int64_t users = kUsualUsers;  // a public guess, unit user
  std::string perturb = "auto";      // none, input, gradient, output
  std::string mechanism = "auto";    // sums, als, sgd
  bool as_published = false;
  double clip = 1;

  OptionTable table();
  bool for_users() const { return unit == "user"; }

  ProtectedUnits guessed_users() const { return {users, "users, by a public guess"}; }

  // Refuses what does not go together; without epsilon, every option that only privacy has.
  void check() const;

 private:
  void check_for_users() const;
};

}  // namespace sotto
