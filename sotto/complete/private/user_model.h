// What is learnt of items from the ratings of many users, and what one user's own ratings say of
// him.
//
//   x = mean + level_u + effect_i + time_t + taste_u . factor_i + error
// with level ~ N(0, level_variance), taste ~ N(0, 1) each, error ~ N(0, error_variance). The model
// holds what belongs to items. What belongs to a user, level and tastes, is worked out from the
// user's own ratings, where they are, and never leaves (Chien et al. 2021). How the model is learnt
// privately: users.h. Cost: ratings * rank^2 a user.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sotto/base/export.h"
#include "sotto/linalg/matrix.h"
#include "sotto/release/privacy_options.h"
#include "sotto/tensor/observed.h"

namespace SOTTO_API sotto {

struct UserModel {
  ValueBounds bounds{-1, 1};
  double mean = 0;
  double level_variance = 0;
  double error_variance = 1;
  Vector effects;  // items
  Vector times;    // effects; empty: time is not part of the model
  Matrix factors;  // items x rank; 0 where nothing is known

  Index items() const { return effects.size(); }
};

struct OwnRating {
  std::int32_t item;
  double value;
  std::int32_t time = kUnknownRow;
};

// What one user's own ratings say of him: the posterior mean of level and tastes. Stays with the
// user.
struct OwnTaste {
  double level = 0;
  Vector taste;
};

OwnTaste solve_user(const UserModel& model, std::span<const OwnRating> own);

// Cut to the range; an unknown item or time has no effect.
double predict(const UserModel& model, const OwnTaste& user, std::int32_t item,
               std::int32_t time = kUnknownRow);

// The items that were not rated, best first, at most `count`; equal ones in the order of the list.
struct Recommendation {
  std::int32_t item;
  double value;
};
std::vector<Recommendation> recommend(const UserModel& model, std::span<const OwnRating> own,
                                      Index count);

}  // namespace sotto
