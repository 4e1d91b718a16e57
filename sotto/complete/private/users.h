// Private completion, unit: all ratings of one user. Learns a UserModel from noisy sums over users,
// after McSherry & Mironov (2009).
//
// Released (release/private_users.h): levels of all users; item sums, which give the effects; time
// sums, where the plan has times; and, where the number of users lets it rise above its noise, the
// pair moment of a core of popular items. Off its diagonal that is W F F^T W with W the weights of
// the items, so its leading eigenvectors, over the weights, are the factors. Eigenvalues below the
// edge of the noise, 2 (s / sqrt 2) sqrt d, are left out, those above it are reduced by what noise
// added, and rows by theirs.
//
// Cost: the releases and a few eigenproblems of the core, at most 800 items.
// Privacy: a function of the releases. The budget is split by public numbers and releases.
#pragma once

#include <cstdint>
#include <vector>

#include "sotto/complete/private/user_model.h"
#include "sotto/release/private_users.h"

namespace sotto {

// Numbers that a run can release at most: what precision is set aside for.
std::int64_t most_user_values(const UserPlan& plan);

// What it releases. Where users are too few for the pair moment, which the levels tell, its share
// goes to the item sums.
std::vector<PlannedRelease> planned_releases(const UserPlan& plan);
// How many items the pair moment would have, were the guess at the number of users right.
Forecast core_forecast(const UserPlan& plan);

UserModel fit_private_users(PrivateUsers& users, Index rank);

}  // namespace sotto
