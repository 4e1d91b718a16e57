// How often gradient descent applies the penalty of a row.
#pragma once

#include <cstdint>
#include <vector>

#include "sotto/complete/fit/fit.h"
#include "sotto/tensor/observed.h"

namespace sotto {

// The weights w of the penalties, for each row of each mode and for the core.
class PenaltyWeights {
 public:
  PenaltyWeights(const ObservedEntries& entries, Penalised penalised)
      : core(penalised == Penalised::once_a_row ? 1 / static_cast<double>(entries.size()) : 1) {
    for (std::size_t m = 0; m < entries.dims.size(); ++m) {
      Vector weight = Vector::Zero(entries.dims[m]);
      for (const std::int32_t r : entries.index[m]) weight[r] += 1;
      if (penalised == Penalised::once_an_entry) weight.setOnes();
      rows.push_back(weight.cwiseMax(1).cwiseInverse());
    }
  }

  std::vector<Vector> rows;
  double core;
};

}  // namespace sotto
