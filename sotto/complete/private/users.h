// Private completion, unit: all ratings of one user. Learns a UserModel from noisy sums over users,
// after McSherry & Mironov (2009).
//
// Released (release/private_users.h): levels of all users; item sums, which give the effects; time
// sums, where the plan has times; and, where there are enough users for it to rise above its noise,
// the pair moment of a core of popular items. Off its diagonal this moment is W F F^T W with W the
// weights of the items, so its leading eigenvectors, divided by the weights, are the factors.
// Eigenvalues below the edge of the noise, 2 (s / sqrt 2) sqrt d, are dropped. Those above it are
// reduced by what noise added, and so are the rows.
//
// Cost: the releases and a few eigenproblems of the core, at most 800 items.
// Privacy: a function of the releases. The budget is split by public numbers and earlier releases.
#pragma once

#include <cstdint>
#include <vector>

#include "sotto/complete/private/user_model.h"
#include "sotto/release/private_users.h"

namespace sotto {

// The most numbers that a run can release; precision is set aside for them.
std::int64_t most_user_values(const UserPlan& plan);

// What this method releases. Where the levels show that there are too few users for the pair
// moment, its share goes to the item sums. Whether there are enough for the item sums is decided by
// the public guess at their number, and if not, the whole budget goes to the levels; without a
// guess the levels decide.
std::vector<PlannedRelease> planned_releases(const UserPlan& plan);
// From how many users on item effects are learnt, and what the guess at their number lets expect.
Forecast item_forecast(const UserPlan& plan);
// How many items the pair moment would have if the guess at the number of users is right.
Forecast core_forecast(const UserPlan& plan);

UserModel fit_private_users(PrivateUsers& users, Index rank);

}  // namespace sotto
