// Ratings as a dense array (.npy): what is not NaN was observed.
#pragma once

#include "sotto/io/byte_source.h"
#include "sotto/io/file_options.h"
#include "sotto/tensor/ratings.h"

namespace sotto {

// Fills entries and modes of `out`. Rows are indices, so `known`, where it is given, has the same
// dimensions. With `positions_only` no value is looked at.
void read_rating_array(ByteSource& source, const RatingFileOptions& options, const Ratings* known,
                       Ratings& out);

}  // namespace sotto
