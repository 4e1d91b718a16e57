// The bias model: value = mean + sum over the modes of one number a row.
//
// Fitted by regularised least squares, mode by mode (backfitting): the bias of a row is the sum of
// what is left over its entries, divided by their number plus `shrink`. It is what an entry with
// unknown rows is predicted by, the other modes keeping their part.
// Cost: order * entries a sweep.
#pragma once

#include <span>
#include <vector>

#include "sotto/complete/fit/model.h"

namespace sotto {

// How much the biases of each mode are pulled to 0, in entries; a mode of one row has none.
// Relative to entries of the modes: 3 for the first two, 10 for the others (measured on
// MovieLens, see docs/completion.md).
std::vector<double> default_bias_shrink(Index order);

Biases fit_biases(const ObservedEntries& entries, std::span<const double> shrink,
                  Index sweeps = 15);

// Sum over the entries of (value - predicted)^2.
double squared_error(const ObservedEntries& entries, const Biases& biases);

}  // namespace sotto
