// Ratings of a .tns file: both dialects, with indices as rows or as labels.
#pragma once

#include "sotto/io/rating_lines.h"

namespace sotto {

// Reads from the line that `lines` has last read on. `known`: the ratings whose rows these share,
// or null.
void read_tns_ratings(RatingLines& lines, RatingFileOptions options, const Ratings* known,
                      Ratings& out);

}  // namespace sotto
