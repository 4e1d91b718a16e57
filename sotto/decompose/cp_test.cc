#include "sotto/decompose/cp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/decompose/cp_diagnostics.h"
#include "sotto/decompose/cp_rank.h"
#include "sotto/linalg/testing/threads.h"

namespace sotto {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

struct CpData {
  DenseTensor tensor;
  Factors truth;
};

// Components of which any two have cosine `cosine` in every mode, and noise of this share of |X|.
CpData cp_data(const std::vector<Index>& dims, Index k, double cosine, double noise,
               std::uint64_t seed, bool positive = false) {
  SeededRandom random(seed);
  CpData data{DenseTensor(dims), {}};
  for (const Index d : dims) {
    Matrix a(d, k);
    for (Index n = 0; n < a.size(); ++n)
      a.data()[n] = positive ? random.uniform() : random.normal();
    if (!positive) {
      Vector common(d);
      for (Index i = 0; i < d; ++i) common[i] = random.normal();
      common.normalize();
      for (Index r = 0; r < k; ++r) {
        const Vector own = (a.col(r) - common * common.dot(a.col(r))).normalized();
        a.col(r) = std::sqrt(cosine) * common + std::sqrt(1 - cosine) * own;
      }
    }
    data.truth.push_back(a);
  }
  double squares = 0;
  for (Index p = 0; p < data.tensor.size(); ++p) {
    const std::vector<Index> at = data.tensor.index_of(p);
    Eigen::RowVectorXd product = Eigen::RowVectorXd::Ones(k);
    for (std::size_t m = 0; m < dims.size(); ++m) {
      product.array() *= data.truth[m].row(at[m]).array();
    }
    data.tensor.values()[p] = product.sum();
    squares += product.sum() * product.sum();
  }
  const double scale = noise * std::sqrt(squares / static_cast<double>(data.tensor.size()));
  for (double& x : data.tensor.values()) x += scale * random.normal();
  if (positive) {
    for (double& x : data.tensor.values()) x = std::max(x, 0.0);
  }
  return data;
}

double worst_congruence(const Factors& found, const Factors& truth) {
  const Matrix cosines = congruence(truth, found).cwiseAbs();
  const std::vector<Index> match = matched_components(truth, found);
  double worst = 1;
  for (Index r = 0; r < cosines.rows(); ++r) {
    worst = std::min(worst, cosines(r, match[static_cast<std::size_t>(r)]));
  }
  return worst;
}

CpOptions cp_of(Index k, std::uint64_t seed = 0) {
  CpOptions options;
  options.components = k;
  options.seed = static_cast<std::int64_t>(seed);
  return options;
}

TEST(Cp, recovers_an_exact_model_to_rounding_in_every_order) {
  for (const auto& dims : std::vector<std::vector<Index>>{
           {9, 8, 7}, {5, 6, 4, 5}, {4, 3, 4, 3, 4}, {3, 3, 2, 3, 2, 3}}) {
    const CpData data = cp_data(dims, 3, 0.3, 0, 5);
    const CpFit fit = fit_cp(data.tensor, cp_of(3));
    EXPECT_LT(fit.measures.relative_error(), 1e-10) << dims.size();
    EXPECT_GT(worst_congruence(fit.found.factors, data.truth), 1 - 1e-9);
    // None where a mode has fewer rows than there are components.
    EXPECT_NEAR(fit.core_consistency.value_or(100), 100, 1e-4);
    EXPECT_EQ(fit.core_consistency.has_value(), dims.size() < 6);
  }
}

TEST(Cp, reaches_the_optimum_next_to_the_truth_from_any_seed) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const CpData data = cp_data({30, 30, 30}, 6, 0.7, 0.1, seed);
    const CpFit fit = fit_cp(data.tensor, cp_of(6, seed));
    const CpFit from_truth = refine_cp(data.tensor, data.truth, cp_of(6));
    EXPECT_LT(fit.measures.squared_error, 1.0001 * from_truth.measures.squared_error) << seed;
  }
}

TEST(Cp, sweeps_alone_never_increase_the_error_and_agree_with_newton_steps) {
  const CpData data = cp_data({12, 11, 10}, 3, 0.4, 0.1, 8);
  CpOptions sweeps = cp_of(3);
  sweeps.newton = sweeps.compress = false;
  sweeps.tolerance = 1e-12;
  const CpFit fit = fit_cp(data.tensor, sweeps);
  for (std::size_t n = 1; n < fit.error_history.size(); ++n) {
    EXPECT_LE(fit.error_history[n], fit.error_history[n - 1] * (1 + 1e-12));
  }
  EXPECT_NEAR(fit.measures.fit(), fit_cp(data.tensor, cp_of(3)).measures.fit(), 1e-8);
}

TEST(Cp, sparse_and_dense_tensors_have_the_same_fit) {
  CpData data = cp_data({12, 11, 10}, 2, 0.2, 0.05, 9);
  for (Index p = 0; p < data.tensor.size(); p += 3) data.tensor.values()[p] = 0;
  const CpFit dense = fit_cp(data.tensor, cp_of(2));
  const CpFit sparse = fit_cp(SparseTensor::from_dense(data.tensor), cp_of(2));
  EXPECT_NEAR(dense.measures.fit(), sparse.measures.fit(), 1e-7);
  EXPECT_NEAR(*dense.core_consistency, *sparse.core_consistency, 1e-2);
}

TEST(Cp, missing_entries_do_not_enter_the_fit) {
  const CpData data = cp_data({14, 13, 12}, 3, 0.3, 0, 10);
  DenseTensor holes = data.tensor;
  SeededRandom random(11);
  std::vector<SparseTensor::Coordinate> indices;
  std::vector<double> values;
  for (Index p = 0; p < holes.size(); ++p) {
    if (random.uniform() < 0.5) {
      holes.values()[p] = kUnknown;
      continue;
    }
    for (const Index i : holes.index_of(p)) {
      indices.push_back(static_cast<SparseTensor::Coordinate>(i));
    }
    values.push_back(holes.values()[p]);
  }
  const SparseTensor listed(holes.dims(), indices, values, Duplicates::refuse);
  for (const AnyTensor& tensor : {AnyTensor(holes), AnyTensor(listed)}) {
    CpOptions options = cp_of(3);
    options.missing = true;
    options.tolerance = 1e-14;
    const CpFit fit = fit_cp(tensor, options);
    EXPECT_LT(fit.measures.relative_error(), 1e-5);
    EXPECT_GT(worst_congruence(fit.found.factors, data.truth), 1 - 1e-6);
    EXPECT_EQ(fit.measures.observed, std::ssize(values));
  }
}

TEST(Cp, non_negative_factors_have_no_negative_entry_and_fit) {
  const CpData data = cp_data({15, 14, 13}, 3, 0, 0.01, 12, true);
  for (const bool missing : {false, true}) {
    DenseTensor tensor = data.tensor;
    if (missing) {
      for (Index p = 0; p < tensor.size(); p += 5) tensor.values()[p] = kUnknown;
    }
    CpOptions options = cp_of(3);
    options.non_negative = true;
    options.missing = missing;
    const CpFit fit = fit_cp(tensor, options);
    for (const Matrix& a : fit.found.factors) EXPECT_GE(a.minCoeff(), 0);
    EXPECT_GT(fit.measures.fit(), 0.988) << missing;
    EXPECT_GT(worst_congruence(fit.found.factors, data.truth), 0.99);
  }
}

TEST(Cp, compression_costs_a_non_negative_fit_nothing) {
  const CpData data = cp_data({50, 45, 40}, 3, 0, 0.1, 17, true);
  CpOptions options = cp_of(3);
  options.non_negative = true;
  options.starts = 3;
  const CpFit compressed = fit_cp(data.tensor, options);
  options.compress = false;
  EXPECT_NEAR(compressed.measures.fit(), fit_cp(data.tensor, options).measures.fit(), 1e-6);
  for (const Matrix& a : compressed.found.factors) EXPECT_GE(a.minCoeff(), 0);
}

TEST(Cp, components_are_normalised_sorted_and_signed) {
  const CpData data = cp_data({9, 8, 7}, 3, 0.2, 0.05, 13);
  const CpFit fit = fit_cp(data.tensor, cp_of(3));
  for (Index r = 0; r < 3; ++r) {
    EXPECT_GT(fit.found.weights[r], 0);
    if (r > 0) {
      EXPECT_LE(fit.found.weights[r], fit.found.weights[r - 1]);
    }
    for (std::size_t m = 0; m < 3; ++m) {
      EXPECT_NEAR(fit.found.factors[m].col(r).norm(), 1, 1e-12);
      if (m < 2) {
        EXPECT_GT(fit.found.factors[m].col(r).maxCoeff(), -fit.found.factors[m].col(r).minCoeff());
      }
    }
  }
  EXPECT_EQ(fit.found.status, Status::converged);
  EXPECT_EQ(fit.start_errors.size(), 8U);
}

TEST(Cp, components_that_cancel_are_reported) {
  // The tensor a a b + a b a + b a a has rank 3 and is a limit of tensors of rank 2.
  DenseTensor x({2, 2, 2});
  x.at({0, 0, 1}) = x.at({0, 1, 0}) = x.at({1, 0, 0}) = 1;
  CpOptions options = cp_of(2);
  options.starts = 3;
  const CpFit fit = fit_cp(x, options);
  ASSERT_EQ(fit.degenerate.size(), 1U);
  EXPECT_LT(fit.degenerate[0].congruence, -0.9);
}

TEST(Cp, the_same_bits_for_any_number_of_threads) {
  const CpData data = cp_data({60, 50, 40}, 4, 0.4, 0.1, 14);
  const auto work = [&] { return fit_cp(data.tensor, cp_of(4)); };
  const CpFit one = on_threads(1, work), three = on_threads(3, work);
  EXPECT_EQ(one.found.weights, three.found.weights);
  EXPECT_EQ(one.found.factors, three.found.factors);
}

TEST(Cp, the_number_of_components_is_found) {
  for (const Index k : {1, 3}) {
    const CpData data = cp_data({15, 14, 13}, k, 0.3, 0.1, 15);
    const RankChoice choice = choose_components(data.tensor, cp_of(1), 5);
    EXPECT_EQ(choice.components, k) << choice.why;
    EXPECT_EQ(choice.trials.size(), 5U);
    EXPECT_EQ(choice.fit.found.weights.size(), k);
  }
}

TEST(Cp, refuses_what_no_model_can_be_fitted_to) {
  const auto says = [](const AnyTensor& tensor, const CpOptions& options) -> std::string {
    try {
      fit_cp(tensor, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const CpData data = cp_data({4, 3, 5}, 1, 0, 0.1, 16);
  EXPECT_NE(says(data.tensor, cp_of(13)).find("13 components are more"), std::string::npos);
  EXPECT_NE(says(DenseTensor({4, 1, 5}), cp_of(1)).find("one row only"), std::string::npos);
  EXPECT_NE(says(DenseTensor({4, 5}), cp_of(1)).find("order"), std::string::npos);
  EXPECT_NE(says(DenseTensor({4, 2, 5}), cp_of(1)).find("is 0"), std::string::npos);
  CpOptions missing = cp_of(1);
  missing.missing = true;
  DenseTensor holes = data.tensor;
  holes.values()[0] = kUnknown;
  EXPECT_NE(says(holes, cp_of(1)).find("`missing`"), std::string::npos);
  EXPECT_EQ(says(holes, missing), "");
  for (Index p = 0; p < 15; ++p) holes.values()[p] = kUnknown;
  EXPECT_NE(says(holes, missing).find("slice 0 of mode 0"), std::string::npos);
  for (double& x : holes.values()) x = kUnknown;
  EXPECT_NE(says(holes, missing).find("every entry"), std::string::npos);
  CpOptions positive = cp_of(1);
  positive.non_negative = true;
  DenseTensor negative = data.tensor;
  negative.values()[3] = -1;
  EXPECT_NE(says(negative, positive).find("negative"), std::string::npos);
  const SparseTensor gap({3, 2, 2}, {0, 0, 0, 0, 1, 1, 2, 1, 0}, {1, 2, 3}, Duplicates::refuse);
  EXPECT_NE(says(gap, cp_of(1)).find("slice 1 of mode 0"), std::string::npos);
}

}  // namespace
}  // namespace sotto
