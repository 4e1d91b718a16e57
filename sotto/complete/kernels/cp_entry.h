// One observed entry under the CP model: the prediction, and the products of all rows but one,
// which are the gradient of the prediction with respect to that row.
//
//   x^ = sum_r prod_m a^m_r,   dx^/da^m_r = prod_{n != m} a^n_r
//
// O is the order, S the padded rank. Cost: 3 O S flops.
#pragma once

#include <array>

#include "sotto/complete/kernels/packs.h"

namespace sotto {

template <int O, int S>
struct CpEntry {
  std::array<Pack<S>, O> row;
  std::array<Pack<S>, O> slope;  // of the prediction, by mode
  double value;

  // `rows[m]` is the row of mode m.
  explicit CpEntry(const std::array<const double*, O>& rows) {
    for (int m = 0; m < O; ++m) row[m] = Pack<S>::load(rows[m]);
    // Products of the rows before m, then times those after it.
    slope[1] = row[0];
    for (int m = 2; m < O; ++m) slope[m] = slope[m - 1] * row[m - 1];
    value = (slope[O - 1] * row[O - 1]).sum();
    Pack<S> after = row[O - 1];
    for (int m = O - 2; m > 0; --m) {
      slope[m] = slope[m] * after;
      after = after * row[m];
    }
    slope[0] = after;
  }
};

}  // namespace sotto
