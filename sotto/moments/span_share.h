// How much of points lies in the span of vectors: a measure of fit for components of points.
//
//   share = sum |P x|^2 / sum |x|^2,   P the orthogonal projection onto the span,
//
// over the first records of a source. Points without structure have about k / d in the span of k
// vectors. Cost: 4 d k flops a record. Privacy: none; for points that may be looked at.
#pragma once

#include "sotto/linalg/matrix.h"

namespace sotto {

class PointSource;

struct SpanShare {
  double share = 0;   // 0 to 1; 0 where all points are zero
  Index records = 0;  // that were looked at
};

// Rewinds the source, and reads `most` records or all.
SpanShare span_share(PointSource& points, const Matrix& vectors, Index most);

}  // namespace sotto
