// What a file claims without showing it: the documents, words and rows of a header, or of one large
// number.
//
// Memory and time follow such claims: topics take some 50 microseconds for a word that never
// occurs. So a public file may claim 2^15 things without showing them, which is a second of work,
// and more if it has entries for them. The header of a private file is believed: how much the file
// holds must not matter.
#pragma once

#include "sotto/linalg/matrix.h"

namespace sotto {

inline constexpr Index kClaimedForNothing = Index{1} << 15;
inline constexpr Index kClaimedPerEntry = 4;

inline bool is_believable(Index claimed, Index entries) {
  return claimed - kClaimedForNothing <= kClaimedPerEntry * entries;
}

}  // namespace sotto
