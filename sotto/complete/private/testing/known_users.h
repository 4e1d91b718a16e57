// For tests: users whose ratings follow a known model.
#pragma once

#include <algorithm>
#include <vector>

#include "sotto/base/random.h"
#include "sotto/complete/private/user_model.h"

namespace sotto {

inline constexpr ValueBounds kUserBounds{0, 7};

// Ratings with two tastes; user u rates each item with probability 1/2.
struct KnownUsers {
  Index items;
  Matrix factors;
  Vector effects;

  explicit KnownUsers(Index n) : items(n), factors(n, 2), effects(n) {
    SeededRandom random(1);
    for (double& x : factors.reshaped()) x = 0.5 * random.normal();
    for (double& x : effects) x = 0.4 * random.normal();
  }
  std::vector<OwnRating> draw(SeededRandom& random) const {
    const double level = 0.4 * random.normal();
    const Vector taste{{random.normal(), random.normal()}};
    std::vector<OwnRating> own;
    for (std::int32_t i = 0; i < items; ++i) {
      if (random.uniform() < 0.5) continue;
      const double x = 3.5 + level + effects[i] + factors.row(i).dot(taste) + 0.5 * random.normal();
      own.push_back({i, std::clamp(x, kUserBounds.low, kUserBounds.high)});
    }
    return own;
  }
};

inline UserModel known_model(const KnownUsers& truth) {
  UserModel model;
  model.bounds = kUserBounds;
  model.mean = 3.5;
  model.level_variance = 0.16;
  model.error_variance = 0.25;
  model.effects = truth.effects;
  model.factors = truth.factors;
  return model;
}

}  // namespace sotto
