#include "sotto/linalg/spectral.h"

#include <gtest/gtest.h>

#include "sotto/base/random.h"

namespace sotto {
namespace {

Matrix normal_numbers(Index rows, Index columns) {
  SeededRandom random(1);
  Matrix a(rows, columns);
  for (Index n = 0; n < a.size(); ++n) a.data()[n] = random.normal();
  return a;
}

void expect_pseudo_inverse(const Matrix& a, const Matrix& inverse) {
  ASSERT_EQ(inverse.rows(), a.cols());
  ASSERT_EQ(inverse.cols(), a.rows());
  const Matrix onto = a * inverse, within = inverse * a;
  EXPECT_LT((onto * a - a).norm(), 1e-12 * a.norm());
  EXPECT_LT((within * inverse - inverse).norm(), 1e-12 * inverse.norm());
  EXPECT_LT((onto - onto.transpose()).norm(), 1e-12);
  EXPECT_LT((within - within.transpose()).norm(), 1e-12);
}

TEST(PseudoInverse, meets_the_four_conditions_of_penrose) {
  const Matrix tall = normal_numbers(20, 4), wide = tall.transpose();
  expect_pseudo_inverse(tall, pseudo_inverse(tall));
  expect_pseudo_inverse(wide, pseudo_inverse(wide));
  const Matrix deficient = tall * normal_numbers(4, 2) * normal_numbers(2, 5);
  expect_pseudo_inverse(deficient, pseudo_inverse(deficient));
}

// As many numbers as rows squared would be 80 GB.
TEST(PseudoInverse, of_many_rows_takes_no_more_memory_than_the_matrix) {
  const Matrix a = normal_numbers(100000, 3);
  EXPECT_LT((pseudo_inverse(a) * a - Matrix::Identity(3, 3)).norm(), 1e-12);
}

}  // namespace
}  // namespace sotto
