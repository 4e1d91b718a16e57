#include "sotto/models/gaussian_mixture.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/linalg/spectral.h"
#include "sotto/linalg/testing/random_matrix.h"
#include "sotto/tensor/testing/memory_source.h"

namespace sotto {
namespace {

// Points with exactly the moments of a mixture up to the third: the 2d points mu +- s sqrt(d) e_j
// about each mean, each `copies[i]` times. Variance s^2.
RowMatrix exact_points(const Matrix& means, const std::vector<int>& copies, double s) {
  const Index d = means.rows();
  const double step = s * std::sqrt(static_cast<double>(d));
  std::vector<Eigen::RowVectorXd> rows;
  for (Index i = 0; i < means.cols(); ++i) {
    for (int copy = 0; copy < copies[static_cast<std::size_t>(i)]; ++copy) {
      for (Index j = 0; j < d; ++j) {
        for (const double sign : {-1.0, 1.0}) {
          rows.push_back(means.col(i).transpose());
          rows.back()[j] += sign * step;
        }
      }
    }
  }
  RowMatrix points(static_cast<Index>(rows.size()), d);
  for (Index n = 0; n < points.rows(); ++n) points.row(n) = rows[static_cast<std::size_t>(n)];
  return points;
}

Vector shares(const std::vector<int>& copies) {
  Vector w(static_cast<Index>(copies.size()));
  for (Index i = 0; i < w.size(); ++i) w[i] = copies[static_cast<std::size_t>(i)];
  return w / w.sum();
}

MixtureOptions options_for(Index k, std::int64_t refine) {
  MixtureOptions options;
  options.components = k;
  options.refine = refine;
  return options;
}

TEST(GaussianMixture, exact_moments_give_the_exact_mixture) {
  const std::vector<int> copies = {4, 7, 5, 9};
  for (const double shift : {0.0, 100.0}) {
    const Matrix means = 6 * random_matrix(7, 4, 1).array() + shift;
    MemorySource source(exact_points(means, copies, 0.5));
    const MixtureFit fit = fit_mixture(source, options_for(4, 0));
    const MixtureError error = mixture_error(means, shares(copies), fit.mixture);
    EXPECT_LE(error.mean, 1e-8);
    EXPECT_LE(error.weight, 1e-9);
    EXPECT_NEAR(fit.mixture.variance, 0.25, 1e-10);
    EXPECT_TRUE(
        std::is_sorted(fit.mixture.weights.begin(), fit.mixture.weights.end(), std::greater<>()));
    // The means are so far apart that the mixture is a fixed point of the refinement as well.
    const MixtureFit refined = fit_mixture(source, options_for(4, 3));
    EXPECT_LE(mixture_error(means, shares(copies), refined.mixture).mean, 1e-8);
    EXPECT_NEAR(refined.mixture.variance, 0.25, 1e-10);
  }
}

// Means that sum to zero, or lie on a line with the origin, are dependent; about their own mean
// they are not.
TEST(GaussianMixture, does_not_care_where_the_origin_is) {
  Matrix means = random_matrix(5, 3, 2) * 5;
  means.colwise() -= means.rowwise().mean().eval();
  MemorySource centred(exact_points(means, {3, 3, 3}, 0.3));
  EXPECT_LE(
      mixture_error(means, shares({1, 1, 1}), fit_mixture(centred, options_for(3, 0)).mixture).mean,
      1e-8);
  Matrix line(5, 2);
  line << means.col(0), -2 * means.col(0);
  MemorySource opposite(exact_points(line, {4, 3}, 0.3));
  EXPECT_LE(
      mixture_error(line, shares({4, 3}), fit_mixture(opposite, options_for(2, 0)).mixture).mean,
      1e-8);
}

TEST(GaussianMixture, one_component_is_the_mean) {
  const Matrix means = random_matrix(4, 1, 3);
  MemorySource source(exact_points(means, {5}, 0.5));
  const MixtureFit fit = fit_mixture(source, options_for(1, 2));
  EXPECT_LE((fit.mixture.means - means).norm(), 1e-14);
  EXPECT_NEAR(fit.mixture.variance, 0.25, 1e-14);
  EXPECT_NEAR(fit.mixture.weights[0], 1, 1e-15);
}

// The moments as they are usually written, about the origin: with m the mean and s^2 the variance,
// E[x^(x)3] - s^2 placements(m (x) I) has the components alone. The centred form is the same.
TEST(GaussianMixture, the_moments_about_the_origin_agree) {
  const std::vector<int> copies = {2, 1, 3};
  const Matrix means = random_matrix(4, 3, 4);
  const Vector w = shares(copies);
  MemorySource source(exact_points(means, copies, 0.5));
  const Matrix identity = Matrix::Identity(4, 4);
  SymmetricTensor raw = sum_cubes(source, Vector::Zero(4), identity);
  const double n = 8.0 * 6;
  const Vector m = means * w;
  for_unique_entries(4, 3, [&](const std::vector<Index>& i, double) {
    double expected = 0;
    for (Index c = 0; c < 3; ++c) {
      expected += w[c] * means(i[0], c) * means(i[1], c) * means(i[2], c);
    }
    const double placements =
        m[i[0]] * (i[1] == i[2]) + m[i[1]] * (i[0] == i[2]) + m[i[2]] * (i[0] == i[1]);
    EXPECT_NEAR(raw.at(i) / n - 0.25 * placements, expected, 1e-12);
  });
  const SymmetricTensor central = sum_cubes(source, m, identity);
  for_unique_entries(4, 3, [&](const std::vector<Index>& i, double) {
    double expected = 0;
    for (Index c = 0; c < 3; ++c) {
      const Vector z = means.col(c) - m;
      expected += w[c] * z[i[0]] * z[i[1]] * z[i[2]];
    }
    EXPECT_NEAR(central.at(i) / n, expected, 1e-12);
  });
}

TEST(GaussianMixture, the_tensor_with_the_constant_is_orthogonal) {
  const std::vector<int> copies = {2, 1, 3};
  const Matrix means = 3 * random_matrix(4, 3, 5);
  MemorySource source(exact_points(means, copies, 0.2));
  const MixtureFit fit = fit_mixture(source, options_for(3, 0));
  const Matrix v = fit.components.vectors();
  EXPECT_LE((v.transpose() * v - Matrix::Identity(3, 3)).norm(), 1e-8);
  // lambda = w^(-1/2), and the last coordinate of v is w^(1/2)
  for (Index i = 0; i < 3; ++i) EXPECT_NEAR(fit.components.weights[i] * v(2, i), 1, 1e-8);
}

TEST(GaussianMixture, refinement_raises_the_likelihood_and_reaches_the_sampling_error) {
  const Index n = 20000, d = 6, k = 3;
  SeededRandom random(6);
  const Matrix means = 3 * random_matrix(d, k, 7);
  RowMatrix rows(n, d);
  for (Index a = 0; a < n; ++a) {
    const auto h = static_cast<Index>(random.below(k));
    for (Index j = 0; j < d; ++j) rows(a, j) = means(j, h) + random.normal();
  }
  MemorySource source(rows);
  const MixtureFit fit = fit_mixture(source, options_for(k, 5));
  ASSERT_EQ(fit.log_likelihood.size(), 5u);
  for (std::size_t t = 1; t < 5; ++t) {
    EXPECT_GE(fit.log_likelihood[t], fit.log_likelihood[t - 1] - 1e-12);
  }
  EXPECT_GT(fit.log_likelihood[1], fit.log_likelihood[0] + 1e-6);
  // Even with known labels each mean would be off by about sqrt(d k / n).
  EXPECT_LE(mixture_error(means, Vector(), fit.mixture).mean, 2 * std::sqrt(double(d * k) / n));
  EXPECT_LT(mixture_error(means, Vector(), fit.mixture).mean,
            mixture_error(means, Vector(), fit.spectral).mean);
  EXPECT_NEAR(fit.mixture.variance, 1, 0.02);
}

std::string refusal(const RowMatrix& rows, Index k) {
  MemorySource source(rows);
  try {
    fit_mixture(source, options_for(k, 0));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(GaussianMixture, refuses_with_the_numerical_rank) {
  Matrix collinear(5, 3);
  const Vector a = random_matrix(5, 1, 8), b = random_matrix(5, 1, 9);
  collinear << a, b, 2 * a - b;
  const std::string line = refusal(exact_points(collinear, {50, 50, 50}, 0.1), 3);
  EXPECT_NE(line.find("numerical rank 1"), std::string::npos) << line;
  const std::string same = refusal(RowMatrix::Ones(50, 5), 2);
  EXPECT_NE(same.find("numerical rank 0"), std::string::npos) << same;
  EXPECT_NE(refusal(random_matrix(5, 5, 11), 2).find("too few points"), std::string::npos);
  EXPECT_NE(refusal(RowMatrix(0, 5), 2).find("too few points"), std::string::npos);
}

// Three groups of records that share most of their numbers, of which few are not zero.
RowMatrix wide_groups(Index records, Index d) {
  RowMatrix rows = RowMatrix::Zero(records, d);
  for (Index i = 0; i < records; ++i) {
    rows.row(i).segment(20 * (i % 3), 20).setOnes();
    rows(i, 60 + i % (d - 60)) = 0.5;
  }
  return rows;
}

TEST(GaussianMixture, wide_points_have_the_mixture_of_a_few_products_with_their_covariance) {
  const Index d = kWideDimension + 76, n = 1500, k = 3;
  const RowMatrix rows = wide_groups(n, d);
  MemorySource sparse(rows, true), dense(rows);
  const MixtureFit found = fit_mixture(sparse, options_for(k, 1));
  const MixtureFit twin = fit_mixture(dense, options_for(k, 1));
  // All eigenpairs, as narrower points have it.
  const PointStatistics moments = point_statistics(dense);
  const Vector all = ascending_eigenpairs(moments.covariance).values;
  EXPECT_NEAR(found.spectrum.variance, all.head(d - k + 1).mean(), 1e-9);
  EXPECT_EQ(found.spectrum.rank, k - 1);
  EXPECT_EQ(twin.spectrum.rank, k - 1);
  EXPECT_NEAR(twin.spectrum.variance, found.spectrum.variance, 1e-9);
  EXPECT_LE((found.spectrum.values - twin.spectrum.values).norm(), 1e-8);
  EXPECT_LE(mixture_error(twin.mixture.means, twin.mixture.weights, found.mixture).mean, 1e-6);
  for (Index i = 0; i < k; ++i) {
    EXPECT_NEAR(found.mixture.weights[i], 1.0 / 3, 1e-6);
    EXPECT_NEAR(found.mixture.means.col(i).head(60).sum(), 20, 1e-6);
  }
}

// A covariance matrix of these would take 80 GB.
TEST(GaussianMixture, very_wide_sparse_points_take_what_is_in_them) {
  class Ones final : public PointSource {
   public:
    Index dim() const override { return 100000; }
    std::string name() const override { return "ones"; }
    bool is_sparse() const override { return true; }
    bool can_rewind() const override { return true; }
    std::optional<Index> records() const override { return dim() + 2; }

   protected:
    Index fill(Index most, PointBlock& block) override {
      const Index rows = std::min(most, dim() + 2 - next_);
      std::vector<Eigen::Triplet<double>> entries;
      for (Index i = 0; i < rows; ++i, ++next_) {
        entries.emplace_back(i, next_ % 2, 20.0);
        if (next_ >= 2 && next_ < dim()) entries.emplace_back(i, next_, 1.0);
      }
      block.is_sparse = true;
      block.sparse.resize(rows, dim());
      block.sparse.setFromTriplets(entries.begin(), entries.end());
      return rows;
    }
    void restart() override { next_ = 0; }

   private:
    Index next_ = 0;
  };
  Ones source;
  const MixtureFit found = fit_mixture(source, options_for(2, 1));
  EXPECT_EQ(found.records, source.dim() + 2);
  for (Index i = 0; i < 2; ++i) {
    EXPECT_NEAR(found.mixture.means.col(i).head(2).maxCoeff(), 20, 1e-6);
    EXPECT_NEAR(found.mixture.weights[i], 0.5, 1e-4);
  }
}

TEST(GaussianMixture, too_few_wide_points_are_refused_before_their_moments_are_taken) {
  // Of so many dimensions no moments are taken.
  MemorySource source(RowMatrix::Ones(3, kMostMomentDimensions + 1), false,
                      MemorySource::Knows::nothing);
  EXPECT_THROW(fit_mixture(source, options_for(2, 0)), Error);
}

TEST(GaussianMixture, full_covariances_of_many_dimensions_are_refused) {
  MixtureOptions options = options_for(2, 0);
  options.covariance = CovarianceKind::full;
  EXPECT_THROW(options.check(kMostFullDimensions + 1, std::nullopt), Error);
  options.check(kMostFullDimensions, std::nullopt);
  options.covariance = CovarianceKind::diagonal;
  options.check(kMostFullDimensions + 1, std::nullopt);
}

TEST(GaussianMixture, noise_alone_does_not_pass_for_components) {
  for (std::uint64_t seed = 20; seed < 30; ++seed) {
    const std::string text = refusal(random_matrix(4000, 10, seed), 2);
    EXPECT_NE(text.find("numerical rank 0"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace sotto
