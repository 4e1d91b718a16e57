// What the mixture must reach on a million points: 20 dimensions, 5 well separated components.
#include <gtest/gtest.h>

#include "sotto/models/private_mixture.h"
#include "sotto/synthetic/points.h"

namespace sotto {
namespace {

PointModel million_points(std::int64_t seed) {
  PointModel model;
  model.model = PointKind::mixture;
  model.dim = 20;
  model.components = 5;
  model.records = 1000000;
  model.seed = seed;
  return model;
}

MixtureOptions five() {
  MixtureOptions options;
  options.components = 5;
  return options;
}

TEST(MixtureRecovery, means_to_a_hundredth_without_privacy) {
  for (const std::int64_t seed : {0, 1, 2}) {
    SyntheticPoints points(million_points(seed));
    const MixtureFit fit = fit_mixture(points, five());
    const MixtureError error = mixture_error(points.vectors(), points.weights(), fit.mixture);
    // Who knew the labels would err by sqrt(d / (N w)) deviations, 0.0014 for the rarest.
    EXPECT_LE(error.mean, 0.003);
    EXPECT_LE(error.weight, 0.002);
  }
}

TEST(MixtureRecovery, means_to_a_tenth_with_epsilon_one) {
  for (const std::int64_t seed : {0, 1, 2}) {
    auto source = std::make_unique<SyntheticPoints>(million_points(seed));
    const Matrix means = source->vectors();
    const Vector weights = source->weights();
    const PrivacyTarget target{1, 1e-6};
    PrivatePoints points(SensitivePoints(std::move(source)), 2, target, NoiseKey::from_system());
    const PrivateMixturePlan plan = plan_private_mixture(20, 1000000, target, five());
    const PrivateMixtureFit fit = fit_private_mixture(points, plan, five());
    const MixtureError error = mixture_error(means, weights, fit.mixture);
    EXPECT_LE(error.mean, 0.005);
    EXPECT_LE(error.weight, 0.005);
    EXPECT_LE(points.certify().epsilon, 1);
    EXPECT_TRUE(points.certify().proved);
  }
}

}  // namespace
}  // namespace sotto
