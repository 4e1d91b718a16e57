// Private completion, unit: all ratings of one user. Ours, after McSherry & Mironov (2009) and the
// split of Chien et al. (2021): what belongs to items is released, what belongs to a user is worked
// out from the user's own ratings, where they are, and never leaves.
//
//   x = mean + level_u + effect_i + time_t + taste_u . factor_i + error
// with level ~ N(0, level_variance), taste ~ N(0, 1) each, error ~ N(0, error_variance). Released
// (release/private_users.h): levels of all users; item sums, which give the effects; time sums,
// where the plan has times; and, where the
// number of users lets it rise above its noise, the pair moment of a core of popular items. Off its
// diagonal that is W F F^T W with W the weights of the items, so its leading eigenvectors, over
// the weights, are the factors. Eigenvalues below the edge of the noise, 2 (s / sqrt 2) sqrt d, are
// left out, those above it are reduced by what noise added, and rows by theirs.
//
// Cost: the releases and a few eigenproblems of the core, at most 800 items.
// Privacy: a function of the releases. The budget is split by public numbers and releases.
#pragma once

#include <span>
#include <vector>

#include "sotto/release/private_users.h"

namespace sotto {

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

// Numbers that a run can release at most: what precision is set aside for.
std::int64_t most_user_values(const UserPlan& plan);

UserModel fit_user_model(PrivateUsers& users, Index rank);

struct OwnRating {
  std::int32_t item;
  double value;
  std::int32_t time = unknown_row;
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
               std::int32_t time = unknown_row);

// The items that were not rated, best first, at most `count`; equal ones in the order of the list.
struct Recommendation {
  std::int32_t item;
  double value;
};
std::vector<Recommendation> recommend(const UserModel& model, std::span<const OwnRating> own,
                                      Index count);

}  // namespace sotto
