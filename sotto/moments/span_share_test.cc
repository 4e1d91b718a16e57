#include "sotto/moments/span_share.h"

#include <gtest/gtest.h>

#include "sotto/tensor/point_source.h"

namespace sotto {
namespace {

TEST(SpanShare, is_that_of_the_orthogonal_projection) {
  RowMatrix rows(3, 3);
  rows << 3, 0, 4, 0, 2, 0, 1, 1, 1;
  const Points points = points_in_memory(rows);
  Matrix plane(3, 2);  // the first two axes, by vectors that are not orthogonal
  plane << 1, 1, 0, 1, 0, 0;
  const SpanShare found = span_share(*points, plane, 100);
  EXPECT_EQ(found.records, 3);
  EXPECT_NEAR(found.share, (9 + 4 + 2) / (25. + 4 + 3), 1e-12);
}

TEST(SpanShare, looks_at_the_first_records_only_and_at_a_vector_once) {
  RowMatrix rows(2, 2);
  rows << 3, 4, 0, 100;
  const Points points = points_in_memory(rows);
  Matrix twice(2, 2);
  twice << 1, 1, 0, 0;
  PointBlock block;
  points->read(2, block);  // it begins again
  const SpanShare found = span_share(*points, twice, 1);
  EXPECT_EQ(found.records, 1);
  EXPECT_NEAR(found.share, 9 / 25., 1e-12);
}

}  // namespace
}  // namespace sotto
