// The options of a private completion, rating and user unit. Nothing here looks at data.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "sotto/release/rating_sums.h"
#include "sotto/release/target_options.h"

namespace sotto {

// What is protected.
enum class RatingUnit { rating, user };
constexpr auto enum_names(RatingUnit) {
  return std::to_array<EnumName<RatingUnit>>(
      {{RatingUnit::rating, "rating"}, {RatingUnit::user, "user"}});
}

// Where the noise goes.
enum class Perturbation { automatic, none, input, gradient, output };
constexpr auto enum_names(Perturbation) {
  return std::to_array<EnumName<Perturbation>>({{Perturbation::automatic, "auto"},
                                                {Perturbation::none, "none"},
                                                {Perturbation::input, "input"},
                                                {Perturbation::gradient, "gradient"},
                                                {Perturbation::output, "output"}});
}

// What is released, unit rating.
enum class RatingMechanism { automatic, sums, als, sgd };
constexpr auto enum_names(RatingMechanism) {
  return std::to_array<EnumName<RatingMechanism>>({{RatingMechanism::automatic, "auto"},
                                                   {RatingMechanism::sums, "sums"},
                                                   {RatingMechanism::als, "als"},
                                                   {RatingMechanism::sgd, "sgd"}});
}

struct RatingPrivacyOptions : TargetOptions {
  static constexpr std::int64_t kUsualUsers = 1000;

  RatingUnit unit = RatingUnit::rating;
  std::string items;  // file: the public list of items, unit user
  std::string times;  // file: the public list of times, unit user
  std::int64_t per_user = 0;
  std::int64_t users = kUsualUsers;  // a public guess, unit user
  Perturbation perturb = Perturbation::automatic;
  RatingMechanism mechanism = RatingMechanism::automatic;
  bool as_published = false;
  double clip = 1;

  OptionTable table();
  bool for_users() const { return unit == RatingUnit::user; }

  ProtectedUnits guessed_users() const { return {users, "users, by a public guess"}; }

  // Refuses what cannot be combined; without epsilon, every option that only privacy has.
  void check() const;

 private:
  void check_for_users() const;
};

}  // namespace sotto
