#include "sotto/moments/span_share.h"

#include <algorithm>

#include "sotto/linalg/spectral.h"
#include "sotto/tensor/point_source.h"

namespace sotto {

SpanShare span_share(PointSource& points, const Matrix& vectors, Index most) {
  const RowMatrix basis = vectors, dual = pseudo_inverse(vectors).transpose();
  points.rewind();
  PointBlock block;
  double inside = 0, all = 0;
  SpanShare found;
  while (found.records < most) {
    const Index rows = points.read(std::min(block_rows(points), most - found.records), block);
    if (rows == 0) break;
    // |P x|^2 = (V^T x) . (V^+ x)
    inside += scores(block, basis).cwiseProduct(scores(block, dual)).sum();
    all += squared_norms(block).sum();
    found.records += rows;
  }
  if (all > 0) found.share = std::clamp(inside / all, 0.0, 1.0);
  return found;
}

}  // namespace sotto
