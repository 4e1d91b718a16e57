#include "sotto/models/component_mixture.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/linalg/testing/random_matrix.h"
#include "sotto/models/private_components.h"
#include "sotto/tensor/testing/memory_source.h"

namespace sotto {
namespace {

// Three clusters in the plane, of different shapes.
struct Clusters {
  Matrix means{{0.0, 0.8, -0.6}, {0.7, -0.4, -0.5}};
  Matrix roots[3] = {Matrix{{0.10, 0}, {0.04, 0.05}}, Matrix{{0.04, 0}, {0, 0.12}},
                     Matrix{{0.07, 0}, {-0.05, 0.03}}};
  RowMatrix rows;
};
Clusters three_clusters(Index n, std::uint64_t seed) {
  Clusters made;
  made.rows.resize(n, 2);
  SeededRandom random(seed);
  for (Index a = 0; a < n; ++a) {
    const auto h = static_cast<Index>(random.below(3));
    Vector normal(2);
    for (double& x : normal) x = random.normal();
    made.rows.row(a) = made.means.col(h) + made.roots[h] * normal;
  }
  return made;
}

MixtureOptions options_of(Index k, CovarianceKind kind) {
  MixtureOptions options;
  options.components = k;
  options.covariance = kind;
  return options;
}

// The largest entry by which a covariance differs from that of the cluster next to its mean.
double covariance_error(const Clusters& truth, const GaussianMixture& found) {
  double worst = 0;
  for (Index i = 0; i < found.components(); ++i) {
    Index nearest = 0;
    (truth.means.colwise() - found.means.col(i)).colwise().squaredNorm().minCoeff(&nearest);
    const Matrix expected = truth.roots[nearest] * truth.roots[nearest].transpose();
    worst =
        std::max(worst, (found.covariances.col(i).reshaped(2, 2) - expected).cwiseAbs().maxCoeff());
  }
  return worst;
}

TEST(ComponentMixture, finds_more_clusters_than_dimensions_and_their_shapes) {
  const Clusters made = three_clusters(20000, 1);
  MemorySource source(made.rows);
  const MixtureFit fit = fit_mixture(source, options_of(3, CovarianceKind::full));
  EXPECT_EQ(fit.components.status, Status::converged);
  EXPECT_LE(mixture_error(made.means, Vector(), fit.mixture).mean, 0.006);
  EXPECT_LE(covariance_error(made, fit.mixture), 0.0006);
  for (std::size_t t = 1; t < fit.log_likelihood.size(); ++t) {
    EXPECT_GE(fit.log_likelihood[t], fit.log_likelihood[t - 1] - 1e-9);
  }
  for (const auto& [kind, name] : enum_names(CovarianceKind{})) {
    const MixtureFit other = fit_mixture(source, options_of(3, kind));
    EXPECT_LE(mixture_error(made.means, Vector(), other.mixture).mean, 0.01) << name;
    EXPECT_LE(other.final_log_likelihood, fit.final_log_likelihood + 1e-6) << name;
  }
}

TEST(ComponentMixture, the_criterion_names_the_number_of_clusters) {
  const Clusters made = three_clusters(4000, 2);
  MemorySource source(made.rows);
  double best = std::numeric_limits<double>::infinity();
  Index chosen = 0;
  for (Index k = 1; k <= 5; ++k) {
    const MixtureFit fit = fit_mixture(source, options_of(k, CovarianceKind::full));
    const double bic = schwarz_criterion(fit.mixture, fit.records, fit.final_log_likelihood);
    if (bic < best) chosen = k;
    best = std::min(best, bic);
  }
  EXPECT_EQ(chosen, 3);
  EXPECT_EQ(free_numbers(CovarianceKind::full, 2, 3), 2 + 6 + 9);
  EXPECT_EQ(free_numbers(CovarianceKind::diagonal, 2, 3), 2 + 6 + 6);
  EXPECT_EQ(free_numbers(CovarianceKind::spherical, 2, 3), 2 + 6 + 3);
  EXPECT_EQ(free_numbers(CovarianceKind::common, 2, 3), 2 + 6 + 1);
}

// A step from exact sums is the textbook's: the moments under the responsibilities.
TEST(ComponentMixture, a_step_matches_its_naive_twin) {
  const Clusters made = three_clusters(500, 3);
  MemorySource source(made.rows);
  const GaussianMixture start = start_among(made.rows, 3, CovarianceKind::full, 1, 1e-6);
  const GaussianMixture next = maximise_components(start, component_sums(source, start), {});
  const RowMatrix r = component_responsibilities(made.rows, start);
  for (Index i = 0; i < 3; ++i) {
    const double count = r.col(i).sum();
    const Vector mean = made.rows.transpose() * r.col(i) / count;
    const RowMatrix z = made.rows.rowwise() - mean.transpose();
    const Matrix covariance = z.transpose() * r.col(i).asDiagonal() * z / count;
    EXPECT_NEAR(next.weights[i], count / 500, 1e-12);
    EXPECT_LE((next.means.col(i) - mean).norm(), 1e-12);
    EXPECT_LE((next.covariances.col(i).reshaped(2, 2) - covariance).norm(), 1e-12);
  }
}

TEST(ComponentMixture, points_that_are_all_the_same_are_refused) {
  MemorySource source(RowMatrix::Ones(50, 2));
  EXPECT_THROW(fit_mixture(source, options_of(3, CovarianceKind::common)), Error);
}

TEST(PrivateComponents, finds_three_clusters_in_the_plane) {
  const Clusters made = three_clusters(40000, 4);
  const PrivacyTarget target{1, 1e-6};
  for (const CovarianceKind kind : {CovarianceKind::common, CovarianceKind::full}) {
    const MixtureOptions options = options_of(3, kind);
    const PrivateMixturePlan plan =
        plan_private_mixture({2, 40000, "points"}, 1.2, target, options);
    PrivateRun run(run_plan(plan), NoiseKey::from_system());
    PrivatePoints points(
        CountedPoints(SensitivePoints(std::make_unique<MemorySource>(made.rows)), 1.2), target,
        run);
    const PrivateMixtureFit fit = fit_private_mixture(points, plan, options);
    EXPECT_EQ(fit.known, 3);
    EXPECT_LE(mixture_error(made.means, Vector(), fit.mixture).mean, 0.03);
    if (kind == CovarianceKind::full) {
      EXPECT_LE(covariance_error(made, fit.mixture), 0.003);
    }
    const Certificate certificate = run.certify();
    EXPECT_TRUE(certificate.proved) << certificate.why;
    EXPECT_LE(certificate.epsilon, target.epsilon);
    EXPECT_GE(certificate.epsilon, 0.999 * target.epsilon);
    ASSERT_EQ(certificate.releases.size(), plan.releases.size());
    for (std::size_t r = 0; r < plan.releases.size(); ++r) {
      EXPECT_EQ(certificate.releases[r].record.what, plan.releases[r].planned.what);
      EXPECT_EQ(certificate.releases[r].record.values, plan.releases[r].planned.values);
    }
  }
}

// Points of a standard Gaussian, clipped, have the second moment that the bias says.
TEST(PrivateComponents, the_bias_of_a_clip_is_that_of_gaussian_points) {
  for (const CovarianceKind kind : {CovarianceKind::spherical, CovarianceKind::full}) {
    for (const Index d : {1, 2, 10}) {
      const BiasedClip biased = component_clip(kind, d);
      MemorySource source(random_matrix(40000, d, 9));
      GaussianMixture standard{Matrix::Zero(d, 1), Vector::Ones(1), 0, kind};
      standard.covariances = kind == CovarianceKind::full
                                 ? Matrix(Matrix::Identity(d, d).reshaped())
                                 : Matrix::Ones(1, 1);
      const ComponentSums sums = component_sums(source, standard, kNoBound, biased.clip);
      const double trace = kind == CovarianceKind::full
                               ? sums.seconds.reshaped(d, d).trace()
                               : sums.seconds(0, 0) * std::sqrt(static_cast<double>(d));
      EXPECT_NEAR(trace / (static_cast<double>(d) * sums.counts[0]), biased.second_bias, 0.02);
    }
  }
}

}  // namespace
}  // namespace sotto
