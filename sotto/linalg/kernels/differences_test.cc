#include "sotto/linalg/kernels/differences.h"

#include <gtest/gtest.h>

#include "sotto/base/random.h"

namespace sotto {
namespace {

Matrix differences_random(Index rows, Index cols, SeededRandom& random) {
  Matrix m(rows, cols);
  for (Index n = 0; n < m.size(); ++n) m.data()[n] = random.normal();
  return m;
}

TEST(Differences, squares_and_weighted_sums_equal_their_definitions) {
  for (const Index points : {1, 7, 8, 21}) {
    for (const Index d : {1, 5, 50}) {
      for (const Index k : {1, 3, 8, 13}) {
        SeededRandom random(3);
        const RowMatrix x = differences_random(points, d, random);
        const Matrix centres = differences_random(d, k, random);
        const RowMatrix padded = kernels::padded_centres(centres);
        RowMatrix weights = RowMatrix::Zero(points, padded.cols());
        weights.leftCols(k) = differences_random(points, k, random);
        RowMatrix squares(points, padded.cols());
        RowMatrix sums = RowMatrix::Ones(d, padded.cols());
        kernels::squared_differences(x.data(), points, padded, squares.data());
        kernels::add_weighted_differences(x.data(), points, padded, weights.data(), sums.data());
        for (Index i = 0; i < k; ++i) {
          Vector sum = Vector::Ones(d);
          for (Index p = 0; p < points; ++p) {
            const Vector gap = x.row(p).transpose() - centres.col(i);
            EXPECT_NEAR(squares(p, i), gap.squaredNorm(), 1e-12 * (1 + gap.squaredNorm()));
            sum += weights(p, i) * gap;
          }
          EXPECT_LT((sums.col(i) - sum).norm(), 1e-12 * (1 + sum.norm()));
        }
      }
    }
  }
}

}  // namespace
}  // namespace sotto
