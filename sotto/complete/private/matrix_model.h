// A model whose low-rank part is that of a matrix: users times items, whatever the contexts.
#pragma once

#include "sotto/complete/fit/model.h"

namespace sotto {

// All factors of users and items and all biases are zero. The factors of contexts are 1, and a
// Tucker core pairs column r of the users with column r of the items.
CompletionModel matrix_model(LowRank kind, Index rank, const std::vector<Index>& dims);

}  // namespace sotto
