#include "sotto/decompose/tucker.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/tensor/mode_product.h"

namespace sotto {
namespace {

// A core of these ranks with random factors, and noise of this share of |X|.
DenseTensor tucker_data(const std::vector<Index>& dims, const std::vector<Index>& ranks,
                        double noise, bool positive, std::uint64_t seed) {
  SeededRandom random(seed);
  const auto draw = [&] { return positive ? random.uniform() : random.normal(); };
  DenseTensor core(ranks);
  for (double& g : core.values()) g = draw();
  std::vector<Matrix> factors;
  for (std::size_t m = 0; m < dims.size(); ++m) {
    factors.emplace_back(ranks[m], dims[m]);
    for (Index n = 0; n < factors.back().size(); ++n) factors.back().data()[n] = draw();
  }
  DenseTensor x = mode_products(core, factors);
  double squares = 0;
  for (const double value : x.values()) squares += value * value;
  const double scale = noise * std::sqrt(squares / static_cast<double>(x.size()));
  for (double& value : x.values()) value += scale * random.normal();
  if (positive) {
    for (double& value : x.values()) value = std::max(value, 0.0);
  }
  return x;
}

TEST(Tucker, recovers_an_exact_model_in_every_order_dense_and_sparse) {
  for (const auto& dims :
       std::vector<std::vector<Index>>{{9, 8, 7}, {5, 6, 4, 5}, {3, 4, 3, 4, 3}}) {
    TuckerOptions options;
    options.ranks.assign(dims.size(), 2);
    const DenseTensor x = tucker_data(dims, options.ranks, 0, false, 1);
    for (const AnyTensor& tensor : {AnyTensor(x), AnyTensor(SparseTensor::from_dense(x))}) {
      const TuckerFit fit = fit_tucker(tensor, options);
      EXPECT_LT(fit.measures.relative_error(), 1e-6) << dims.size();
      for (const Matrix& u : fit.factors) {
        EXPECT_LT((u.transpose() * u - Matrix::Identity(2, 2)).norm(), 1e-8);
      }
    }
  }
}

TEST(Tucker, iteration_is_no_worse_than_the_truncated_svd_and_never_gets_worse) {
  TuckerOptions options;
  options.ranks = {3, 2, 3};
  const DenseTensor x = tucker_data({12, 11, 10}, {4, 4, 4}, 0.3, false, 2);
  const TuckerFit fit = fit_tucker(x, options);
  EXPECT_EQ(fit.status, Status::converged);
  for (std::size_t n = 1; n < fit.error_history.size(); ++n) {
    EXPECT_LE(fit.error_history[n], fit.error_history[n - 1] * (1 + 1e-12));
  }
  Factors svd;
  for (Index m = 0; m < 3; ++m) svd.push_back(leading_mode_basis(x, m, options.ranks[m]));
  const DenseTensor core = mode_products(x, svd);
  double kept = 0;
  for (const double g : core.values()) kept += g * g;
  EXPECT_LE(fit.measures.squared_error, fit.measures.squared_norm - kept + 1e-9);
}

// Ranks small against the modes, so that bases are improved in a small span after the first sweep.
TEST(Tucker, improved_bases_end_at_the_leading_ones) {
  TuckerOptions options;
  options.ranks = {6, 6, 6};
  options.tolerance = 0;
  options.iterations = 200;
  const DenseTensor x = tucker_data({42, 40, 38}, {8, 8, 8}, 0.5, false, 8);
  const TuckerFit fit = fit_tucker(x, options);
  for (std::size_t n = 1; n < fit.error_history.size(); ++n) {
    EXPECT_LE(fit.error_history[n], fit.error_history[n - 1] + 1e-12);
  }
  for (Index m = 0; m < 3; ++m) {
    const Matrix leading = leading_mode_basis(mode_products(x, fit.factors, m), m, 6);
    const Matrix overlap = leading.transpose() * fit.factors[static_cast<std::size_t>(m)];
    EXPECT_NEAR(overlap.squaredNorm(), 6, 1e-8) << m;
  }
  const DenseTensor model = mode_products(
      fit.core, std::vector<Matrix>{fit.factors[0].transpose(), fit.factors[1].transpose(),
                                    fit.factors[2].transpose()});
  double gap = 0;
  for (Index p = 0; p < x.size(); ++p) gap += std::pow(x.values()[p] - model.values()[p], 2);
  EXPECT_NEAR(fit.measures.squared_error / gap, 1, 1e-10);
}

// HOOI from the truncated HOSVD on the tensor itself, with exact bases, to the end.
double naive_squared_error(const DenseTensor& x, const std::vector<Index>& ranks) {
  Factors u = sequential_bases(x, ranks).bases;
  double kept = 0;
  for (int sweep = 0; sweep < 200; ++sweep) {
    for (Index m = 0; m < x.order(); ++m) {
      u[static_cast<std::size_t>(m)] =
          leading_mode_basis(mode_products(x, u, m), m, ranks[static_cast<std::size_t>(m)]);
    }
    const double before = kept;
    kept = squared_norm(mode_products(x, u).values());
    if (kept - before < 1e-13 * kept) break;
  }
  return squared_norm(x.values()) - kept;
}

// Tensors that are large enough to be compressed first. A random core of full size with entries
// that decay by a power has spectra without a gap.
DenseTensor slowly_decaying(const std::vector<Index>& dims, double power, std::uint64_t seed) {
  SeededRandom random(seed);
  DenseTensor x(dims);
  for (Index p = 0; p < x.size(); ++p) {
    double size = 1;
    for (const Index i : x.index_of(p)) size += static_cast<double>(i);
    x.values()[p] = random.normal() * std::pow(size, -power);
  }
  return x;
}

TEST(Tucker, compression_loses_nothing_against_sweeps_over_the_whole_tensor) {
  TuckerOptions options;
  options.tolerance = 1e-12;
  options.iterations = 1000;
  const auto check = [&](const DenseTensor& x, const std::vector<Index>& ranks) {
    options.ranks = ranks;
    const TuckerFit fit = fit_tucker(x, options);
    const double norm = squared_norm(x.values()), naive = naive_squared_error(x, ranks);
    EXPECT_LT(fit.measures.squared_error, naive + 1e-8 * norm);
    for (std::size_t n = 1; n < fit.error_history.size(); ++n) {
      EXPECT_LE(fit.error_history[n], fit.error_history[n - 1] + 1e-12);
    }
  };
  check(tucker_data({40, 36, 32}, {4, 4, 4}, 0.1, false, 9), {4, 4, 4});
  check(tucker_data({40, 36, 32}, {8, 8, 8}, 0.5, false, 10), {4, 4, 4});
  check(tucker_data({16, 15, 14, 17}, {4, 4, 4, 4}, 0.5, false, 11), {3, 3, 3, 3});
  for (const double power : {0.5, 1.0, 2.0})
    check(slowly_decaying({40, 36, 32}, power, 12), {4, 4, 4});
}

TEST(Tucker, a_fit_that_starts_compressed_needs_few_sweeps) {
  TuckerOptions options;
  options.ranks = {5, 5, 5};
  const TuckerFit fit =
      fit_tucker(tucker_data({60, 60, 60}, options.ranks, 0.1, false, 13), options);
  EXPECT_EQ(fit.status, Status::converged);
  EXPECT_LE(fit.iterations, 3);
}

TEST(Tucker, random_factors_lead_to_the_same_fit_in_every_order) {
  for (const auto& dims :
       std::vector<std::vector<Index>>{{12, 11, 10}, {8, 7, 9, 6}, {5, 6, 4, 5, 7}}) {
    TuckerOptions options;
    options.ranks.assign(dims.size(), 2);
    const DenseTensor x = tucker_data(dims, options.ranks, 0.1, false, 9);
    SeededRandom random(10);
    Factors start;
    for (const Index d : dims) {
      start.emplace_back(d, 2);
      for (Index n = 0; n < start.back().size(); ++n) start.back().data()[n] = random.uniform();
    }
    const TuckerFit refined = refine_tucker(x, start, options), fit = fit_tucker(x, options);
    EXPECT_NEAR(refined.measures.fit(), fit.measures.fit(), 1e-7);
    for (const Matrix& u : refined.factors) {
      EXPECT_LT((u.transpose() * u - Matrix::Identity(2, 2)).norm(), 1e-8);
    }
    start[1] = Matrix::Ones(dims[1] + 1, 2);
    EXPECT_THROW(refine_tucker(x, start, options), Error);
    start.pop_back();
    EXPECT_THROW(refine_tucker(x, start, options), Error);
  }
}

TEST(Tucker, missing_entries_do_not_enter_the_fit) {
  TuckerOptions options;
  options.ranks = {2, 2, 2};
  options.missing = true;
  options.iterations = 2000;
  options.tolerance = 1e-12;
  const DenseTensor x = tucker_data({12, 11, 10}, options.ranks, 0, false, 3);
  DenseTensor holes = x;
  SeededRandom random(4);
  for (double& value : holes.values()) {
    if (random.uniform() < 0.2) value = std::numeric_limits<double>::quiet_NaN();
  }
  const TuckerFit fit = fit_tucker(holes, options);
  EXPECT_LT(fit.measures.relative_error(), 1e-4);
  const DenseTensor model = mode_products(
      fit.core, std::vector<Matrix>{fit.factors[0].transpose(), fit.factors[1].transpose(),
                                    fit.factors[2].transpose()});
  double gap = 0, norm = 0;
  for (Index p = 0; p < x.size(); ++p) {
    gap += std::pow(x.values()[p] - model.values()[p], 2);
    norm += std::pow(x.values()[p], 2);
  }
  EXPECT_LT(std::sqrt(gap / norm), 1e-3);  // the missing entries are predicted
}

TEST(Tucker, non_negative_models_have_no_negative_entry_and_fit) {
  TuckerOptions options;
  options.ranks = {2, 3, 2};
  options.non_negative = true;
  options.iterations = 500;
  const DenseTensor x = tucker_data({12, 11, 10}, options.ranks, 0.01, true, 5);
  const TuckerFit fit = fit_tucker(x, options);
  for (const Matrix& u : fit.factors) EXPECT_GE(u.minCoeff(), 0);
  for (const double g : fit.core.values()) EXPECT_GE(g, 0);
  EXPECT_GT(fit.measures.fit(), 0.985);
}

TEST(Tucker, refuses_ranks_that_the_tensor_cannot_have) {
  const DenseTensor x = tucker_data({4, 5, 6}, {2, 2, 2}, 0, false, 6);
  for (const std::vector<Index>& ranks :
       std::vector<std::vector<Index>>{{2, 2}, {5, 2, 2}, {0, 2, 2}, {2, 2, 5}}) {
    TuckerOptions options;
    options.ranks = ranks;
    EXPECT_THROW(fit_tucker(x, options), Error);
  }
}

}  // namespace
}  // namespace sotto
