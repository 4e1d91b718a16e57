#include "sotto/models/moment_fit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/base/random.h"
#include "sotto/linalg/spectral.h"
#include "sotto/models/simplex.h"
#include "sotto/tensor/contraction.h"

namespace sotto {
namespace {

constexpr Index kWords = 12, kTopics = 3;

TopicModel truth(double alpha_sum) {
  SeededRandom random(1);
  TopicModel model{Matrix(kWords, kTopics), Vector(kTopics)};
  for (double& x : model.topics.reshaped()) x = std::pow(random.uniform(), 4);
  model.topics.array().rowwise() /= model.topics.array().colwise().sum();
  model.alpha << 0.5, 0.3, 0.2;
  model.alpha *= alpha_sum;
  return model;
}

// The moments of the model, in an orthonormal basis of `dims` columns that holds the topics.
NoisyTopicMoments moments_of(const TopicModel& model, double alpha0, Index dims) {
  const Vector shares = model.alpha / model.alpha.sum();
  const double f2 = 1 / (alpha0 + 1), f3 = 2 / ((alpha0 + 1) * (alpha0 + 2));
  const Matrix second = f2 * model.topics * shares.asDiagonal() * model.topics.transpose();
  SymmetricTensor third(kWords, 3);
  for (Index i = 0; i < kTopics; ++i) third.add_rank_one(f3 * shares[i], model.topics.col(i));
  const Matrix basis = leading_eigenpairs(second, dims).vectors;
  return {alpha0, second, 1, basis, transform(third, basis), 1};
}

// The model moved by Gaussian noise and projected back on the simplex.
TopicModel moved(TopicModel model, double by, std::uint64_t seed) {
  SeededRandom random(seed);
  for (double& x : model.topics.reshaped()) x += by * random.normal();
  model.topics = project_columns(model.topics);
  const double sum = model.alpha.sum();
  model.alpha = (model.alpha.array() * 0.5 + 0.5 * sum / kTopics).matrix();
  return model;
}

void add_noise(NoisyTopicMoments& moments, double s2, double s3, std::uint64_t seed) {
  SeededRandom random(seed, 2);
  Matrix noise(kWords, kWords);
  for (double& x : noise.reshaped()) x = s2 * random.normal();
  moments.second += (noise + noise.transpose()) / 2;
  std::size_t at = 0;
  for_unique_entries(moments.third.dim(), 3, [&](const auto&, double multiplicity) {
    moments.third.packed()[at++] += s3 * random.normal() / std::sqrt(multiplicity);
  });
  moments.second_noise = s2;
  moments.third_noise = s3;
}

TEST(MomentFit, finds_the_model_behind_exact_moments) {
  for (const double alpha0 : {0.0, 1.5}) {
    for (const Index dims : {kTopics, 2 * kTopics}) {
      const TopicModel model = truth(alpha0 > 0 ? alpha0 : 1);
      const TopicModel found =
          fit_moments(moments_of(model, alpha0, dims), moved(model, 0.02, 3), 3000);
      EXPECT_LT((found.topics - model.topics).norm(), 1e-4) << alpha0 << " " << dims;
      EXPECT_LT((found.alpha - model.alpha).norm(), 1e-3) << alpha0 << " " << dims;
    }
  }
}

TEST(MomentFit, stays_at_the_model_when_the_moments_are_its_own) {
  const TopicModel model = truth(1);
  const TopicModel found = fit_moments(moments_of(model, 0, kTopics), model, 50);
  EXPECT_LT((found.topics - model.topics).norm(), 1e-9);
}

TEST(MomentFit, gives_distributions_closer_than_its_start) {
  const TopicModel model = truth(1);
  double before = 0, after = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    NoisyTopicMoments moments = moments_of(model, 0, 2 * kTopics);
    add_noise(moments, 1e-3, 5e-4, seed);
    const TopicModel start = moved(model, 0.02, seed);
    const TopicModel found = fit_moments(moments, start, 200);
    EXPECT_GE(found.topics.minCoeff(), 0);
    EXPECT_LT((found.topics.colwise().sum().array() - 1).abs().maxCoeff(), 1e-12);
    EXPECT_NEAR(found.alpha.sum(), 1, 1e-12);
    before += (start.topics - model.topics).norm();
    after += (found.topics - model.topics).norm();
  }
  EXPECT_LT(after, 0.5 * before);
}

}  // namespace
}  // namespace sotto
