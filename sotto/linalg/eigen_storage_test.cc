// Through matrix.h, as every target has it.
#include <gtest/gtest.h>

#include <new>

#include "sotto/base/testing/sanitized.h"
#include "sotto/linalg/matrix.h"

namespace sotto {
namespace {

// A sanitizer ends a program that asks for more memory than it knows.
#ifndef SOTTO_SANITIZED
// More bytes than there are addresses, in a number that Eigen still asks the system for.
constexpr Index kTooMany = Index{1} << 45;

template <class Dense>
void a_size_that_cannot_be_leaves_nothing(Dense m, Index rows, Index cols) {
  const Dense whole = m;
  EXPECT_THROW(m.resize(rows, cols), std::bad_alloc);
  EXPECT_EQ(m.size(), 0);
  m = whole;
  EXPECT_EQ(m, whole);
}

TEST(EigenStorage, without_memory_a_matrix_is_given_back_once) {
  a_size_that_cannot_be_leaves_nothing<Matrix>(Matrix::Random(30, 20), kTooMany / 2, 2);
  a_size_that_cannot_be_leaves_nothing<RowMatrix>(RowMatrix::Random(30, 20), kTooMany / 2, 2);
  a_size_that_cannot_be_leaves_nothing<Vector>(Vector::Random(30), kTooMany, 1);
  a_size_that_cannot_be_leaves_nothing<Eigen::RowVectorXd>(Eigen::RowVectorXd::Random(30), 1,
                                                           kTooMany);
  a_size_that_cannot_be_leaves_nothing<Eigen::Matrix<double, 4, Eigen::Dynamic>>(
      Eigen::Matrix<double, 4, Eigen::Dynamic>::Random(4, 30), 4, kTooMany / 4);
  a_size_that_cannot_be_leaves_nothing<Eigen::VectorXi>(Eigen::VectorXi::Random(30), 2 * kTooMany,
                                                        1);
}
#endif

TEST(EigenStorage, a_size_that_stays_keeps_numbers_and_place) {
  Matrix m = Matrix::Random(6, 4);
  const Matrix whole = m;
  const double* place = m.data();
  m.resize(4, 6);
  EXPECT_EQ(m.data(), place);
  EXPECT_EQ(m.reshaped(), whole.reshaped());
  m.conservativeResize(5, 7);
  EXPECT_EQ(m.topRows(4).leftCols(6).reshaped(), whole.reshaped());
}

TEST(EigenStorage, a_size_that_changes_needs_no_room_for_two) {
  // The old numbers go first, as Eigen does it: the same place can be had again.
  Matrix m(1 << 12, 1 << 10);
  m.resize(0, 0);
  EXPECT_EQ(m.data(), nullptr);
  m.resize(3, 2);
  EXPECT_EQ(m.size(), 6);
  static_assert(sizeof(Matrix) == 3 * sizeof(void*));
  static_assert(sizeof(Vector) == 2 * sizeof(void*));
}

}  // namespace
}  // namespace sotto
