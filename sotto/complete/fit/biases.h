// The bias model: value = mean + sum over the modes of one number per row.
//
// It is fitted by regularised least squares, mode by mode (backfitting): the bias of a row is the
// sum of what is left over its entries, divided by their number plus `shrink`. An entry with
// unknown rows is predicted by the biases of its known rows.
// Cost: order * entries per sweep.
#pragma once

#include <span>
#include <vector>

#include "sotto/complete/fit/model.h"

namespace sotto {

// How much the biases of each mode are pulled to 0, counted in entries: 3 for the first two modes,
// 10 for the others (measured on MovieLens, see docs/completion.md). A mode of one row has no
// biases.
std::vector<double> default_bias_shrink(Index order);

Biases fit_biases(const ObservedEntries& entries, std::span<const double> shrink,
                  Index sweeps = 15);

// Sum over the entries of (value - predicted)^2.
double squared_error(const ObservedEntries& entries, const Biases& biases);

}  // namespace sotto
