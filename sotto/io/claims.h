// What a file claims without showing it: the documents, words and rows of a header, or of one large
// number.
//
// Memory and time follow such claims: topics take some 50 microseconds for a word that never
// occurs. So a public file is believed 2^15 things for nothing, which is a second of work, and more
// where it has entries for them. A private file says what its header says: how much is in it must
// not matter.
#pragma once

#include "sotto/linalg/matrix.h"

namespace sotto {

inline constexpr Index kClaimedForNothing = Index{1} << 15;
inline constexpr Index kClaimedPerEntry = 4;

inline bool is_believable(Index claimed, Index entries) {
  return claimed - kClaimedForNothing <= kClaimedPerEntry * entries;
}

}  // namespace sotto
