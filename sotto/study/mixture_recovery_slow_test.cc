// What the mixture must reach on a million points: 20 dimensions, 5 well separated components.
#include <gtest/gtest.h>

#include "sotto/models/gaussian_mixture.h"
#include "sotto/synthetic/points.h"
#include "sotto/tasks/mixture.h"

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

MixtureTask five() {
  MixtureTask task;
  task.mixture.components = 5;
  return task;
}

TEST(MixtureRecovery, means_to_a_hundredth_without_privacy) {
  for (const std::int64_t seed : {0, 1, 2}) {
    auto points = std::make_unique<SyntheticPoints>(million_points(seed));
    const Matrix means = points->vectors();
    const Vector weights = points->weights();
    const MixtureResult result = run(
        Input<Points>(SensitivePoints(std::move(points)), PublicDeclaration("made up")), five());
    const MixtureError error = mixture_error(means, weights, result.mixture);
    // With known labels the error would be sqrt(d / (N w)) deviations, 0.0014 for the rarest
    // component.
    EXPECT_LE(error.mean, 0.003);
    EXPECT_LE(error.weight, 0.002);
  }
}

TEST(MixtureRecovery, means_to_a_tenth_with_epsilon_one) {
  for (const std::int64_t seed : {0, 1, 2}) {
    auto points = std::make_unique<SyntheticPoints>(million_points(seed));
    const Matrix means = points->vectors();
    const Vector weights = points->weights();
    MixtureTask task = five();
    task.privacy.epsilon = 1;
    task.privacy.delta = 1e-6;
    task.privacy.accept_large_delta = true;
    task.privacy.max_norm = 2;
    const MixtureResult result = run(SensitivePoints(std::move(points)), task);
    const MixtureError error = mixture_error(means, weights, result.mixture);
    EXPECT_LE(error.mean, 0.005);
    EXPECT_LE(error.weight, 0.005);
    EXPECT_LE(result.released->certificate.epsilon, 1);
    EXPECT_TRUE(result.released->certificate.proved);
  }
}

}  // namespace
}  // namespace sotto
