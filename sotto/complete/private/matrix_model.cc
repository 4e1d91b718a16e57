#include "sotto/complete/private/matrix_model.h"

namespace sotto {

CompletionModel matrix_model(LowRank kind, Index rank, const std::vector<Index>& dims) {
  Start start;
  start.centre.assign(dims.size(), 0);
  start.spread = start.core_spread = 0;
  CompletionModel model = start_model(kind, rank, dims, start);
  const bool cp = kind == LowRank::cp;
  for (std::size_t m = 2; m < model.factors.size(); ++m) {
    model.factors[m].leftCols(cp ? rank : 1).setOnes();
  }
  if (cp) return model;
  Index later = 1;
  for (Index m = 3; m < model.order(); ++m) later *= rank;
  model.core.setZero();
  for (Index r = 0; r < rank; ++r) model.core((r * rank + r) * later, 0) = 1;
  return model;
}

}  // namespace sotto
