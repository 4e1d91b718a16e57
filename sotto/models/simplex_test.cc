#include "sotto/models/simplex.h"

#include <gtest/gtest.h>

#include <limits>

namespace sotto {
namespace {

TEST(Simplex, a_distribution_stays_as_it_is) {
  const Vector p = (Vector(3) << 0.2, 0.5, 0.3).finished();
  EXPECT_LT((project_to_simplex(p) - p).norm(), 1e-15);
}

TEST(Simplex, the_projection_is_nearer_than_any_point_of_a_grid) {
  const Vector v = (Vector(3) << 0.9, -0.4, 0.35).finished();
  const Vector p = project_to_simplex(v);
  EXPECT_NEAR(p.sum(), 1, 1e-14);
  EXPECT_GE(p.minCoeff(), 0);
  double nearest = std::numeric_limits<double>::infinity();
  for (int a = 0; a <= 400; ++a) {
    for (int b = 0; a + b <= 400; ++b) {
      const Vector q = (Vector(3) << a / 400.0, b / 400.0, (400 - a - b) / 400.0).finished();
      nearest = std::min(nearest, (q - v).norm());
    }
  }
  EXPECT_LE((p - v).norm(), nearest + 1e-12);
  EXPECT_GT((p - v).norm(), nearest - 0.01);
}

TEST(Simplex, columns_point_the_way_of_their_sum) {
  const Matrix columns = (Matrix(2, 2) << -0.7, 0.1, -0.3, 0.9).finished();
  const Matrix p = project_columns(columns);
  EXPECT_LT((p.col(0) - Vector((Vector(2) << 0.7, 0.3).finished())).norm(), 1e-14);
  EXPECT_LT((p.col(1) - columns.col(1)).norm(), 1e-14);
}

TEST(Simplex, truncation_drops_negatives_and_renormalises) {
  const Matrix columns = (Matrix(3, 2) << 0.6, 0, -0.2, 0, 0.2, 0).finished();
  const Matrix p = truncate_columns(columns);
  EXPECT_LT((p.col(0) - Vector((Vector(3) << 0.75, 0, 0.25).finished())).norm(), 1e-14);
  EXPECT_LT((p.col(1) - Vector::Constant(3, 1.0 / 3)).norm(), 1e-14);
}

}  // namespace
}  // namespace sotto
