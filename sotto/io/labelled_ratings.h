// Ratings whose rows are labels: CSV, TSV, the MovieLens formats, and .tns with indices as labels.
#pragma once

#include <vector>

#include "sotto/io/rating_lines.h"

namespace sotto {

// Reads from the line that `lines` has last read on. `known`: the ratings whose rows these share,
// or null. `dims` are the largest indices of a .tns that says them.
void read_labelled_ratings(RatingLines& lines, RatingFormat format,
                           const RatingFileOptions& options, const Ratings* known, Ratings& out,
                           std::vector<Index> dims = {});

}  // namespace sotto
