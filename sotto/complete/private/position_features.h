// What the positions alone say about users and items: who rated what, never how much.
//
// Of an item: the logarithm of its number of ratings, and its coordinates in the leading singular
// vectors of the normalised incidence matrix (users x items, entry 1 / sqrt((n_u + 1)(n_i + 5))):
// items rated by the same people stand close together. Of a user: the logarithm of the number of
// ratings. Every column has mean 0 and mean square at most 1 over the entries, and no number beyond
// 5.
//
// Modes 0 and 1 are the users and the items. Singular vectors by subspace iteration from a fixed
// start. Cost: 15 * 2 * 20 * entries.
// Privacy: where positions are public these are public too.
#pragma once

#include "sotto/tensor/observed.h"

namespace sotto {

constexpr Index kMaxPositionVectors = 12;

struct PositionFeatures {
  Matrix items;  // items x (1 + vectors): the logarithm first
  Vector users;
  Vector new_item;  // of an item, and of a user, that nothing is known of
  double new_user = 0;
};

PositionFeatures position_features(const ObservedEntries& positions);

}  // namespace sotto
