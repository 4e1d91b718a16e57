// What the positions alone tell about users and items: who rated what, never how much.
//
// An item has as features the logarithm of its number of ratings and its coordinates in the leading
// singular vectors of the normalised incidence matrix (users x items, entry 1 / sqrt((n_u + 1)(n_i
// + 5))): items rated by the same people are close together. A user has one feature, the logarithm
// of the number of ratings. Every column has mean 0 and mean square at most 1 over the entries, and
// no number beyond 5.
//
// Modes 0 and 1 are the users and the items. The singular vectors come from subspace iteration with
// a fixed start. Cost: 15 * 2 * 20 * entries.
// Privacy: where positions are public, these features are public too.
#pragma once

#include "sotto/tensor/observed.h"

namespace sotto {

constexpr Index kMaxPositionVectors = 12;

struct PositionFeatures {
  Matrix items;  // items x (1 + vectors): the logarithm first
  Vector users;
  Vector new_item;  // features of an item and a user without ratings
  double new_user = 0;
};

PositionFeatures position_features(const ObservedEntries& positions);

// Whether people chose what they rated: whether the second singular value of the incidence matrix
// stands out of those that random places would have. Then features tell of tastes.
bool positions_tell(const ObservedEntries& positions);

}  // namespace sotto
