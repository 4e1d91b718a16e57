// What the ratings of many users tell about items, and what one user's own ratings tell about that
// user.
//
//   x = mean + level_u + effect_i + time_t + taste_u . factor_i + error
// with level ~ N(0, level_variance), taste ~ N(0, 1) each, error ~ N(0, error_variance). The model
// holds what belongs to items. Level and tastes belong to a user: they are computed from the user's
// own ratings, where these are stored, and never leave (Chien et al. 2021). users.h learns the
// model privately. Cost: ratings * rank^2 per user.
#pragma once

#include <cstdint>
#include <span>

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
  std::int32_t item = 0;
  double value = 0;
  std::int32_t time = kUnknownRow;
};

// The posterior mean of a user's level and tastes, given the user's own ratings. Stays with the
// user.
struct OwnTaste {
  double level = 0;
  Vector taste;
};

OwnTaste solve_user(const UserModel& model, std::span<const OwnRating> own);

// Clipped to the range; an unknown item or time has no effect.
double predict(const UserModel& model, const OwnTaste& user, std::int32_t item,
               std::int32_t time = kUnknownRow);

}  // namespace sotto
