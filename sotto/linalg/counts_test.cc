#include "sotto/linalg/counts.h"

#include <gtest/gtest.h>

#include "sotto/base/random.h"

namespace sotto {
namespace {

CountMatrix random_counts(Index rows, Index cols, SeededRandom& random) {
  CountMatrix a;
  a.cols = cols;
  a.begin = {0};
  for (Index r = 0; r < rows; ++r) {
    for (Index c = 0; c < cols; ++c) {
      if (random.uniform() > 0.3) continue;
      a.column.push_back(static_cast<std::int32_t>(c));
      a.count.push_back(1 + static_cast<std::int32_t>(4 * random.uniform()));
    }
    a.begin.push_back(static_cast<std::int64_t>(a.column.size()));
  }
  return a;
}

Matrix dense(const CountMatrix& a) {
  Matrix m = Matrix::Zero(a.view().rows(), a.cols);
  for (Index r = 0; r < m.rows(); ++r) {
    for (std::int64_t e = a.begin[r]; e < a.begin[r + 1]; ++e) m(r, a.column[e]) = a.count[e];
  }
  return m;
}

TEST(Counts, products_equal_those_of_the_dense_matrix) {
  SeededRandom random(1);
  const CountMatrix a = random_counts(37, 23, random);
  const RowMatrix b = RowMatrix::Random(23, 5);
  const Vector scale = Vector::Random(23);
  EXPECT_LT((multiply(a.view(), b) - dense(a) * b).norm(), 1e-12);
  EXPECT_LT((multiply(a.view(), scale, b) - dense(a) * scale.asDiagonal() * b).norm(), 1e-12);
  EXPECT_LT((multiply(a.view(), scale) - dense(a) * scale).norm(), 1e-12);
}

TEST(Counts, transposed_holds_the_same_entries) {
  SeededRandom random(2);
  const CountMatrix a = random_counts(31, 19, random);
  const CountMatrix t = transposed(a.view());
  EXPECT_EQ(dense(t), dense(a).transpose());
  for (Index r = 0; r < t.view().rows(); ++r) {
    for (std::int64_t e = t.begin[r] + 1; e < t.begin[r + 1]; ++e) {
      EXPECT_LT(t.column[e - 1], t.column[e]);
    }
  }
}

}  // namespace
}  // namespace sotto
