// The size of a matrix that is used again, changed so that a lack of memory does no harm.
#pragma once

#include "sotto/linalg/matrix.h"

namespace sotto {

// m.resize(rows, cols) that stands a lack of memory. Eigen gives the old numbers back before it
// asks for new ones; where there are none, the destructor of `m` would give them back again.
template <class Dense>
void make_size(Dense& m, Index rows, Index cols) {
  if (m.rows() != rows || m.cols() != cols) m = Dense(rows, cols);
}

}  // namespace sotto
