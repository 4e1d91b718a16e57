// How well values are predicted at entries that were not learnt from.
#pragma once

#include <optional>
#include <span>

#include "sotto/tensor/observed.h"

namespace sotto {

struct CompletionScores {
  double rmse = 0;
  double mae = 0;
  // Mean over the rows of the first mode ("users") with two entries or more of the discounted gain
  // of their ten entries predicted highest over the best there is (Jarvelin & Kekalainen 2002; gain
  // value - low, discount log2(1 + place)). Empty when no row has two entries, or none any gain.
  std::optional<double> ndcg10;
  Index entries = 0;
  Index unknown = 0;  // entries with a row that was not learnt, predicted by their biases
};

// Refuses a test set without entries. Equal predictions keep the order of the file.
CompletionScores score(const ObservedEntries& test, std::span<const double> predicted, double low);

double root_mean_square_error(const ObservedEntries& entries, std::span<const double> predicted);

}  // namespace sotto
