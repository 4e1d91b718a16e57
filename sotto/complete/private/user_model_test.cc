#include "sotto/complete/private/user_model.h"

#include <gtest/gtest.h>

#include "sotto/complete/private/testing/known_users.h"
#include "sotto/linalg/spectral.h"

namespace sotto {
namespace {

// Normal equations written out.
TEST(SolveUser, is_the_posterior_mean) {
  const KnownUsers truth(20);
  const UserModel model = known_model(truth);
  SeededRandom random(4);
  const std::vector<OwnRating> own = truth.draw(random);
  const auto n = static_cast<Index>(own.size());
  Matrix design(n, 3);
  Vector y(n);
  for (Index e = 0; e < n; ++e) {
    const auto& [item, value, time] = own[static_cast<std::size_t>(e)];
    design.row(e) << 1, truth.factors(item, 0), truth.factors(item, 1);
    y[e] = value - 3.5 - truth.effects[item];
  }
  const Matrix prior = Vector{{0.16, 1, 1}}.asDiagonal();
  const Matrix cover = design * prior * design.transpose() + 0.25 * Matrix::Identity(n, n);
  const Vector expected = prior * design.transpose() * pseudo_inverse(cover) * y;
  const OwnTaste found = solve_user(model, own);
  EXPECT_NEAR(found.level, expected[0], 1e-10);
  EXPECT_LT((found.taste - expected.tail(2)).norm(), 1e-10);
  EXPECT_EQ(solve_user(model, {}).level, 0);
}

}  // namespace
}  // namespace sotto
