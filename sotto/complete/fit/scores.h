// How well values are predicted at entries that were not learnt from.
#pragma once

#include <span>

#include "sotto/complete/fit/fit.h"

namespace sotto {

// Refuses a test set without entries. Equal predictions keep the order of the file. Values go from
// `low` to `high`.
CompletionScores score(const ObservedEntries& test, std::span<const double> predicted, double low,
                       double high);

double root_mean_square_error(const ObservedEntries& entries, std::span<const double> predicted);

}  // namespace sotto
