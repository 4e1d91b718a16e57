// A new row of the first mode, a user who was not there when the model was learnt, from a few
// entries of the row.
//
// The row r is the user's bias and factors. An entry says y_e = z_e . r + error: y_e is the value
// less the mean and the other modes' biases; z_e is 1 and what the low-rank part multiplies the
// factors by. Rows of the model have mean m and covariance C, an entry has error variance s^2:
//
//   r = m + C^(1/2) (s^2 I + sum_e w_e w_e^T)^-1 sum_e w_e (y_e - z_e . m),   w_e = C^(1/2) z_e,
//
// which minimises sum_e (y_e - z_e . r)^2 / s^2 + (r - m)^T C^-1 (r - m), also where C is singular.
// Without entries r is m, the average user.
// Cost: rank^2 an entry, and once rows * rank^2 for C.
#pragma once

#include "sotto/complete/fit/model.h"

namespace sotto {

class FoldIn {
 public:
  // Refuses a model whose values were scaled by slices: a new row has no scale there.
  FoldIn(const CompletionModel& model, double error_variance);

  // The bias and the factors, rank + 1 numbers, of a row with these entries. Their own index of the
  // first mode is not looked at; an entry with an unknown row in another mode does not count.
  // Values are clipped to the range of the model.
  Vector row(const ObservedEntries& own) const;

 private:
  const CompletionModel& model_;
  CompletionModel probe_;  // row r of the first mode has factor r alone
  double error_variance_;
  Vector mean_;
  Matrix root_;  // C^(1/2)
};

// The model with further rows of a mode: bias and factors of each.
CompletionModel with_rows(CompletionModel model, Index mode, const std::vector<Vector>& rows);

// The mean of the rows of a mode. The model is linear in each mode, so that a prediction at this
// row is the mean of those at all rows.
Vector mean_row(const CompletionModel& model, Index mode);

}  // namespace sotto
