#include "sotto/models/private_mixture.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/tensor/testing/memory_source.h"

namespace sotto {
namespace {

constexpr PrivacyTarget kTarget{1.0, 1e-6};

// k random means of length 1; points with deviation s around them.
struct Sample {
  Matrix means;
  RowMatrix rows;
};
Sample sample(Index n, Index d, Index k, double s, std::uint64_t seed) {
  SeededRandom random(seed);
  Sample made{Matrix(d, k), RowMatrix(n, d)};
  for (double& x : made.means.reshaped()) x = random.normal();
  made.means.colwise().normalize();
  for (Index a = 0; a < n; ++a) {
    const auto h = static_cast<Index>(random.below(static_cast<std::uint64_t>(k)));
    for (Index j = 0; j < d; ++j) made.rows(a, j) = made.means(j, h) + s * random.normal();
  }
  return made;
}

MixtureOptions options_for(Index k) {
  MixtureOptions options;
  options.components = k;
  return options;
}

PublicPointShape shape_of(Index dim, Index records) { return {dim, records, "points"}; }

struct MixtureOutcome {
  PrivateMixturePlan plan;
  PrivateMixtureFit fit;
  Certificate certificate;
};

MixtureOutcome run_mixture(const RowMatrix& rows, double max_norm, const PrivacyTarget& target,
                           Index k) {
  const MixtureOptions options = options_for(k);
  const PrivateMixturePlan plan =
      plan_private_mixture(shape_of(rows.cols(), rows.rows()), max_norm, target, options);
  PrivateRun paying(run_plan(plan), NoiseKey::from_system());
  PrivatePoints points(
      CountedPoints(SensitivePoints(std::make_unique<MemorySource>(rows)), max_norm), target,
      paying);
  PrivateMixtureFit fit = fit_private_mixture(points, plan, options);
  return {plan, std::move(fit), paying.certify()};
}

TEST(PrivateMixture, finds_the_means_at_the_price_that_was_planned) {
  const Index n = 30000, d = 8, k = 3;
  const Sample made = sample(n, d, k, 0.1, 1);
  const auto [plan, fit, certificate] = run_mixture(made.rows, 1.6, kTarget, k);
  EXPECT_LE(mixture_error(made.means, Vector(), fit.mixture).mean, 0.03);
  EXPECT_NEAR(std::sqrt(fit.mixture.variance), 0.1, 0.01);
  EXPECT_GE(fit.rank, k - 1);
  EXPECT_TRUE(certificate.proved) << certificate.why;
  EXPECT_LE(certificate.epsilon, kTarget.epsilon);
  EXPECT_GE(certificate.epsilon, 0.999 * kTarget.epsilon);
  ASSERT_EQ(certificate.releases.size(), plan.releases.size());
  const double scales[] = {1.6, 1.6 * 1.6};
  for (std::size_t r = 0; r < plan.releases.size(); ++r) {
    const ReleaseRecord& record = certificate.releases[r].record;
    EXPECT_NEAR(std::get<GaussianCost>(record.cost).mu, plan.releases[r].mu, 1e-9);
    const PlannedRelease& planned = plan.releases[r].planned;
    EXPECT_EQ(record.what, planned.what);
    EXPECT_EQ(record.values, planned.values);
    if (r < 2) {
      EXPECT_NEAR(record.noise / scales[r] / *planned.noise, 1, 1e-6);
    }
  }
}

TEST(PrivateMixture, plans_spend_the_whole_budget_whatever_is_refined) {
  for (const Index k : {1, 4}) {
    for (const std::int64_t steps : {0, 1, 5}) {
      MixtureOptions options = options_for(k);
      options.refine = steps;
      const PrivateMixturePlan plan =
          plan_private_mixture(shape_of(6, 1000), 1.0, kTarget, options);
      ASSERT_EQ(static_cast<std::int64_t>(plan.releases.size()), 2 + (k > 1) + steps);
      double share = 0, square = 0;
      std::int64_t values = 0;
      for (const MixtureRelease& release : plan.releases) {
        EXPECT_GT(release.planned.share, 0);
        share += release.planned.share;
        square += release.mu * release.mu;
        values += release.planned.values;
      }
      EXPECT_NEAR(share, 1, 1e-12);
      const double mu = affordable_mu(kTarget, 1, values);
      EXPECT_LE(square, mu * mu);
      EXPECT_NEAR(std::sqrt(square), mu, 1e-9);
    }
  }
}

TEST(PrivateMixture, one_component_is_the_mean) {
  const Sample made = sample(5000, 4, 1, 0.1, 2);
  const auto [plan, fit, certificate] = run_mixture(made.rows, 1.5, {5, 1e-6}, 1);
  EXPECT_LE((fit.mixture.means - made.means).norm(), 0.02);
  EXPECT_EQ(certificate.releases.size(), 4u);
}

TEST(PrivateMixture, says_when_the_noise_drowns_the_components) {
  const Sample made = sample(2000, 8, 3, 0.1, 3);
  const PrivateMixtureFit fit = run_mixture(made.rows, 30, kTarget, 3).fit;
  EXPECT_LT(fit.rank, 2);
  EXPECT_LE(fit.mixture.means.colwise().norm().maxCoeff(), 30 * (1 + 1e-12));
  EXPECT_NEAR(fit.mixture.weights.sum(), 1, 1e-12);
  EXPECT_GT(fit.mixture.weights.minCoeff(), 0);
}

TEST(PrivateMixture, refuses_what_cannot_be_planned) {
  EXPECT_THROW(plan_private_mixture(shape_of(3, 10), 1.0, kTarget, options_for(10)), Error);
  EXPECT_THROW(plan_private_mixture(shape_of(3, 3), 1.0, kTarget, options_for(2)), Error);
}

}  // namespace
}  // namespace sotto
