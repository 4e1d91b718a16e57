// Every decomposition on data whose truth is known.
#include <gtest/gtest.h>

#include <cmath>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/base/testing/sanitized.h"
#include "sotto/decompose/alternating.h"
#include "sotto/decompose/block.h"
#include "sotto/decompose/deflation.h"
#include "sotto/decompose/power.h"
#include "sotto/decompose/shifted_power.h"
#include "sotto/decompose/whitening.h"
#include "sotto/linalg/spectral.h"
#include "sotto/linalg/testing/threads.h"
#include "sotto/tensor/contraction.h"
#include "sotto/tensor/mode_oracles.h"

namespace sotto {
namespace {

Matrix orthonormal(Index d, Index k, std::uint64_t seed) {
  SeededRandom random(seed, 5);
  return orthonormal_columns(random_unit_block(d, k, random));
}

SymmetricTensor tensor_from(const Vector& weights, const Matrix& vectors, int order) {
  SymmetricTensor t(vectors.rows(), order);
  for (Index j = 0; j < weights.size(); ++j) t.add_rank_one(weights[j], vectors.col(j));
  return t;
}

Vector different_weights(Index k) { return Vector::LinSpaced(k, 2.0, 1.0); }

// Largest 1 - |cos| and largest relative weight error, components matched by cosine.
struct Errors {
  double cosine = 0, weight = 0;
};

Errors errors(const Decomposition& found, const Vector& weights, const Matrix& vectors,
              std::size_t mode = 0) {
  Errors e;
  const Matrix cosines = (vectors.transpose() * found.factors[mode]).cwiseAbs();
  for (Index j = 0; j < weights.size(); ++j) {
    Index match = 0;
    e.cosine = std::max(e.cosine, 1 - cosines.row(j).maxCoeff(&match));
    e.weight = std::max(e.weight, std::abs(found.weights[match] / weights[j] - 1));
  }
  return e;
}

PowerOptions options(Index k, std::int64_t seed = 0) {
  PowerOptions o;
  o.components = k;
  o.seed = seed;
  return o;
}

// An oracle given by its components: exact, and much cheaper than the tensor.
class CpOracle final : public SymmetricOracle {
 public:
  CpOracle(Vector weights, Matrix vectors, int order)
      : weights_(std::move(weights)), vectors_(std::move(vectors)), order_(order) {}
  Index dim() const override { return vectors_.rows(); }
  int order() const override { return order_; }
  Matrix contract(const Matrix& u) override {
    ++calls;
    columns += u.cols();
    return vectors_ *
           (weights_.asDiagonal() * (vectors_.transpose() * u).array().pow(order_ - 1).matrix());
  }
  Vector values(const Matrix& u) override { return column_dots(u, contract(u)); }

  Index calls = 0, columns = 0;

 private:
  Vector weights_;
  Matrix vectors_;
  int order_;
};

// A tensor of order 3 with random entries that counts the questions it is asked.
class CountingModes final : public ModeOracle {
 public:
  CountingModes() : tensor_({4, 5, 6}), inner_(tensor_) {
    SeededRandom random(3);
    for (double& x : tensor_.values()) x = random.normal();
  }
  const std::vector<Index>& dims() const override { return inner_.dims(); }
  Matrix contract_all_but(int mode, const std::vector<Matrix>& factors) override {
    ++calls;
    return inner_.contract_all_but(mode, factors);
  }
  Vector values(const std::vector<Matrix>& factors) override {
    ++calls;
    return inner_.values(factors);
  }

  Index calls = 0;

 private:
  DenseTensor tensor_;
  DenseModeOracle inner_;
};

TEST(RobustPower, recovers_orthogonal_components_of_a_packed_tensor_exactly) {
  const Index third = unless_sanitized<Index>(100, 30);
  const Index fourth = unless_sanitized<Index>(40, 14);
  for (const auto& [d, k, order] : {std::tuple<Index, Index, int>{third, 10, 3}, {fourth, 10, 4}}) {
    const Vector weights = different_weights(k);
    const Matrix truth = orthonormal(d, k, 1);
    const SymmetricTensor t = tensor_from(weights, truth, order);
    TensorOracle oracle(t);
    for (int seed = 0; seed < 3; ++seed) {
      const Decomposition found = robust_power_method(oracle, options(k, seed));
      const Errors e = errors(found, weights, truth);
      EXPECT_EQ(found.status, Status::converged);
      EXPECT_LT(e.cosine, 1e-10);
      EXPECT_LT(e.weight, 1e-10);
      EXPECT_LT(found.residuals.maxCoeff(), 1e-10);
      EXPECT_GT(found.agreement.minCoeff(), 0);
    }
  }
}

TEST(RobustPower, recovers_exactly_in_any_run) {
  for (int seed = 0; seed < 100; ++seed) {
    for (const auto& [d, k, order] : {std::tuple<Index, Index, int>{100, 10, 3}, {40, 10, 4}}) {
      const Vector weights = different_weights(k);
      const Matrix truth = orthonormal(d, k, 1000 + seed);
      CpOracle oracle(weights, truth, order);
      const Errors e = errors(robust_power_method(oracle, options(k, seed)), weights, truth);
      EXPECT_LT(e.cosine, 1e-10) << seed << " order " << order;
      EXPECT_LT(e.weight, 1e-10) << seed << " order " << order;
    }
  }
}

TEST(RobustPower, finds_negative_weights) {
  Vector weights(3);
  weights << -3, 2, -1;
  const Matrix truth = orthonormal(12, 3, 2);
  CpOracle even(weights, truth, 4);
  EXPECT_LT(errors(robust_power_method(even, options(3)), weights, truth).weight, 1e-10);
  // For odd order -3 v^(x)3 is 3 (-v)^(x)3.
  CpOracle odd(weights, truth, 3);
  const Decomposition found = robust_power_method(odd, options(3));
  EXPECT_GT(found.weights.minCoeff(), 0);
  EXPECT_LT(errors(found, weights.cwiseAbs(), truth).weight, 1e-10);
}

TEST(RobustPower, drops_converged_columns_from_the_block) {
  CpOracle oracle(different_weights(5), orthonormal(50, 5, 3), 3);
  const Decomposition found = robust_power_method(oracle, options(5));
  Index least = 32;
  for (const auto& point : found.history) least = std::min(least, point.active);
  EXPECT_LT(least, 32);
  EXPECT_LT(oracle.columns, oracle.calls * 32);
}

TEST(RobustPower, error_is_of_the_order_of_the_noise) {
  const Index d = 40, k = 5;
  const Vector weights = different_weights(k);
  const Matrix truth = orthonormal(d, k, 4);
  SymmetricTensor t = tensor_from(weights, truth, 3);
  SeededRandom random(5);
  for (double& x : t.packed()) x += 1e-3 * random.normal();
  TensorOracle oracle(t);
  const Errors e = errors(robust_power_method(oracle, options(k)), weights, truth);
  EXPECT_LT(e.cosine, 1e-3);
  EXPECT_LT(e.weight, 1e-2);
  EXPECT_GT(e.cosine, 1e-8);  // noise really was there
}

TEST(RobustPower, too_few_iterations_are_a_status_not_an_exception) {
  CpOracle oracle(different_weights(3), orthonormal(30, 3, 6), 3);
  PowerOptions o = options(3);
  o.iterations = 1;
  o.polish = 0;
  const Decomposition found = robust_power_method(oracle, o);
  EXPECT_EQ(found.status, Status::iteration_limit);
  EXPECT_EQ(found.vectors().cols(), 3);
  EXPECT_TRUE(found.weights.allFinite());
}

TEST(RobustPower, polishing_finishes_what_the_starts_began) {
  CpOracle oracle(different_weights(3), orthonormal(30, 3, 6), 3);
  PowerOptions o = options(3);
  o.iterations = 4;
  o.polish = 50;
  const Decomposition found = robust_power_method(oracle, o);
  EXPECT_EQ(found.status, Status::converged);
  EXPECT_LT(found.residuals.maxCoeff(), 1e-10);
}

TEST(RobustPower, with_tolerance_zero_asks_a_fixed_number_of_times) {
  for (const int order : {3, 4}) {
    const Index k = 3, starts = 7, iterations = 9;
    CpOracle oracle(different_weights(k), orthonormal(20, k, 6), order);
    PowerOptions o = options(k);
    o.starts = starts;
    o.iterations = iterations;
    o.tolerance = 0;
    o.polish = 0;
    o.residuals = false;
    const Decomposition found = robust_power_method(oracle, o);
    EXPECT_EQ(found.status, Status::completed);
    EXPECT_EQ(oracle.calls, k * (iterations + 1));  // values() is one call of contract() here
    EXPECT_EQ(oracle.columns, k * (iterations + 1) * starts);
    EXPECT_EQ(found.residuals.size(), 0);
    EXPECT_LT(errors(found, different_weights(k), orthonormal(20, k, 6)).cosine, 1e-10);

    oracle.calls = 0;
    EXPECT_EQ(simultaneous_power_method(oracle, o).status, Status::completed);
    EXPECT_EQ(oracle.calls, iterations + 1);
  }
}

TEST(RobustPower, stops_when_the_callback_says_so_and_keeps_what_it_has) {
  CpOracle oracle(different_weights(5), orthonormal(30, 5, 7), 3);
  const auto stop_in_third = [](const ProgressReport& r) {
    return std::string(r.stage) != "component 3 of 5";
  };
  const Decomposition found = robust_power_method(oracle, options(5), stop_in_third);
  EXPECT_EQ(found.status, Status::stopped);
  EXPECT_EQ(found.weights.size(), 2);
  EXPECT_EQ(found.vectors().cols(), 2);
}

// Runs `solve` again and again, stopped at its first report, its second and so on, and expects that
// it asks nothing after the stop. An extra question would be a release that nobody planned.
template <class Solve>
void expect_no_question_after_a_stop(const Index& asked, Solve solve) {
  int reports = 0;
  for (int stop = 1;; ++stop) {
    reports = 0;
    Index at_stop = -1;
    const Status status = solve([&](const ProgressReport&) {
      if (at_stop < 0 && ++reports == stop) at_stop = asked;
      return at_stop < 0;
    });
    if (at_stop < 0) break;
    EXPECT_EQ(status, Status::stopped) << stop;
    EXPECT_EQ(asked, at_stop) << stop;
  }
  EXPECT_GT(reports, 5);
}

TEST(Stopping, no_method_asks_anything_after_it_was_stopped) {
  PowerOptions o = options(3);
  o.starts = 2;
  o.iterations = 3;
  o.polish = 3;
  o.tolerance = 1e-300;  // so that every component is polished
  CpOracle oracle(different_weights(3), orthonormal(10, 3, 6), 3);
  expect_no_question_after_a_stop(oracle.calls, [&](const ProgressCallback& progress) {
    return robust_power_method(oracle, o, progress).status;
  });
  PowerOptions longer = o;
  longer.iterations = 8;
  expect_no_question_after_a_stop(oracle.calls, [&](const ProgressCallback& progress) {
    return simultaneous_power_method(oracle, longer, progress).status;
  });
  EigenpairOptions pairs;
  pairs.iterations = 8;
  pairs.tolerance = 1e-300;
  expect_no_question_after_a_stop(oracle.calls, [&](const ProgressCallback& progress) {
    return eigenpairs(oracle, pairs, progress).status;
  });
  CountingModes modes;
  expect_no_question_after_a_stop(modes.calls, [&](const ProgressCallback& progress) {
    return alternating_power_method(modes, o, progress).status;
  });
}

TEST(RobustPower, refuses_impossible_parameters) {
  CpOracle oracle(different_weights(3), orthonormal(5, 3, 8), 3);
  for (auto change :
       {+[](PowerOptions& o) { o.components = 0; }, +[](PowerOptions& o) { o.components = 6; },
        +[](PowerOptions& o) { o.starts = 0; }, +[](PowerOptions& o) { o.iterations = 0; },
        +[](PowerOptions& o) { o.tolerance = std::nan(""); }}) {
    PowerOptions o = options(3);
    change(o);
    EXPECT_THROW(robust_power_method(oracle, o), Error);
    EXPECT_THROW(simultaneous_power_method(oracle, o), Error);
  }
}

TEST(RobustPower, the_zero_tensor_has_weights_zero) {
  const SymmetricTensor zero(6, 3);
  TensorOracle oracle(zero);
  const Decomposition found = robust_power_method(oracle, options(2));
  EXPECT_EQ(found.weights, Vector::Zero(2));
  EXPECT_TRUE(found.vectors().allFinite());
}

TEST(RobustPower, same_answer_for_any_number_of_threads) {
  const SymmetricTensor t = tensor_from(different_weights(4), orthonormal(30, 4, 9), 3);
  TensorOracle oracle(t);
  const auto solve = [&] { return robust_power_method(oracle, options(4)); };
  const Decomposition one = on_threads(1, solve), three = on_threads(3, solve);
  EXPECT_EQ(one.weights, three.weights);
  EXPECT_EQ(one.vectors(), three.vectors());
}

TEST(SimultaneousPower, recovers_orthogonal_components_exactly) {
  for (const int order : {3, 4}) {
    const Vector weights = different_weights(6);
    const Matrix truth = orthonormal(30, 6, 10);
    CpOracle oracle(weights, truth, order);
    PowerOptions o = options(6);
    o.starts = 4;
    const Decomposition found = simultaneous_power_method(oracle, o);
    const Errors e = errors(found, weights, truth);
    EXPECT_EQ(found.status, Status::converged);
    EXPECT_LT(e.cosine, 1e-10);
    EXPECT_LT(e.weight, 1e-10);
    for (Index j = 1; j < 6; ++j) EXPECT_GE(found.weights[j - 1], found.weights[j]);
  }
}

TEST(AlternatingPower, recovers_orthogonal_factors_of_order_3_to_5) {
  for (const std::vector<Index>& dims :
       {std::vector<Index>{20, 15, 25}, {10, 8, 9, 7}, {6, 5, 7, 6, 5}}) {
    const Index k = 4;
    const Vector weights = different_weights(k);
    std::vector<Matrix> truth;
    for (std::size_t m = 0; m < dims.size(); ++m) truth.push_back(orthonormal(dims[m], k, 20 + m));
    DenseTensor t(dims);
    for (Index n = 0; n < t.size(); ++n) {
      const std::vector<Index> index = t.index_of(n);
      for (Index j = 0; j < k; ++j) {
        double term = weights[j];
        for (std::size_t m = 0; m < dims.size(); ++m) term *= truth[m](index[m], j);
        t.values()[n] += term;
      }
    }
    DenseModeOracle dense(t);
    const SparseTensor coordinates = SparseTensor::from_dense(t);
    SparseModeOracle sparse(coordinates);
    for (ModeOracle* oracle :
         {static_cast<ModeOracle*>(&dense), static_cast<ModeOracle*>(&sparse)}) {
      const Decomposition found = alternating_power_method(*oracle, options(k));
      EXPECT_EQ(found.status, Status::converged);
      for (std::size_t m = 0; m < dims.size(); ++m) {
        const Errors e = errors(found, weights, truth[m], m);
        EXPECT_LT(e.cosine, 1e-10);
        EXPECT_LT(e.weight, 1e-10);
      }
      // Signs must agree too: the sum of the components is the tensor.
      double worst = 0;
      for (Index n = 0; n < t.size(); ++n) {
        const std::vector<Index> index = t.index_of(n);
        double sum = 0;
        for (Index j = 0; j < k; ++j) {
          double term = found.weights[j];
          for (std::size_t m = 0; m < dims.size(); ++m) term *= found.factors[m](index[m], j);
          sum += term;
        }
        worst = std::max(worst, std::abs(sum - t.values()[n]));
      }
      EXPECT_LT(worst, 1e-10);
    }
  }
}

TEST(AlternatingPower, refuses_orders_outside_3_to_5) {
  const DenseTensor matrix({3, 3});
  DenseModeOracle oracle(matrix);
  EXPECT_THROW(alternating_power_method(oracle, options(1)), Error);
}

// Kofidis & Regalia (2002), Example 1; its eigenvalues are listed by Kolda & Mayo (2011).
SymmetricTensor kofidis_regalia() {
  SymmetricTensor t(3, 4);
  const double entries[] = {0.2883, -0.0031, 0.1973, -0.2485, -0.2939, 0.3847, 0.2972, 0.1862,
                            0.0919, -0.3619, 0.1241, -0.3420, 0.2127,  0.2727, -0.3054};
  std::copy(std::begin(entries), std::end(entries), t.packed().begin());
  return t;
}

TEST(ShiftedPower, finds_all_maxima_and_minima_of_the_kofidis_regalia_tensor) {
  const SymmetricTensor t = kofidis_regalia();
  TensorOracle oracle(t);
  EigenpairOptions o;
  o.starts = 100;
  const Decomposition maxima = eigenpairs(oracle, o);
  EXPECT_EQ(maxima.status, Status::converged);
  ASSERT_EQ(maxima.weights.size(), 3);
  EXPECT_NEAR(maxima.weights[0], 0.8893, 1e-4);
  EXPECT_NEAR(maxima.weights[1], 0.8169, 1e-4);
  EXPECT_NEAR(maxima.weights[2], 0.3633, 1e-4);
  EXPECT_NEAR(maxima.agreement.sum(), 1, 1e-12);
  o.minima = true;
  const Decomposition minima = eigenpairs(oracle, o);
  ASSERT_EQ(minima.weights.size(), 3);
  EXPECT_NEAR(minima.weights[0], -1.0954, 1e-4);
  EXPECT_NEAR(minima.weights[1], -0.5629, 1e-4);
  EXPECT_NEAR(minima.weights[2], -0.0451, 1e-4);
  for (const Decomposition* found : {&maxima, &minima}) {
    const Matrix expected = found->vectors() * found->weights.asDiagonal();
    EXPECT_LT((contract_reference(t, found->vectors()) - expected).norm(), 1e-9);
  }
}

TEST(ShiftedPower, operator_norm_covers_both_signs) {
  const SymmetricTensor t = kofidis_regalia();
  TensorOracle oracle(t);
  EXPECT_NEAR(operator_norm(oracle), 1.0954, 1e-4);
}

TEST(ShiftedPower, does_not_depend_on_the_scale_of_the_tensor) {
  for (const double scale : {1e-12, 1e12}) {
    CpOracle oracle(scale * different_weights(5), orthonormal(20, 5, 11), 3);
    EXPECT_NEAR(operator_norm(oracle) / scale, 2.0, 1e-9);
  }
}

TEST(ShiftedPower, operator_norm_of_orthogonal_components_is_the_largest_weight) {
  CpOracle oracle(different_weights(5), orthonormal(20, 5, 11), 3);
  EXPECT_NEAR(operator_norm(oracle), 2.0, 1e-9);
}

TEST(ShiftedPower, agrees_with_a_fine_search_of_the_circle) {
  SeededRandom random(12);
  SymmetricTensor t(2, 3);
  for (double& x : t.packed()) x = random.normal();
  double best = 0;
  for (int n = 0; n < 100000; ++n) {
    const double angle = 2 * M_PI * n / 100000;
    const Vector u = (Vector(2) << std::cos(angle), std::sin(angle)).finished();
    best = std::max(best, u.dot(Vector(contract_reference(t, u))));
  }
  TensorOracle oracle(t);
  EXPECT_NEAR(operator_norm(oracle), best, 1e-7);
}

// d x k with condition number 10: singular values from 1 to 0.1.
Matrix ill_conditioned(Index d, Index k, std::uint64_t seed) {
  const Vector singular = Vector::LinSpaced(k, 1.0, 0.1);
  return orthonormal(d, k, seed) * singular.asDiagonal() * orthonormal(k, k, seed + 1).transpose();
}

class WhitenedTruth : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    const Index d = 50, k = 5;
    const Matrix a = ill_conditioned(d, k, 13);
    const Vector w = different_weights(k);
    moment = a * w.asDiagonal() * a.transpose();
    tensor = tensor_from(w, a, GetParam());
    weights.resize(k);
    for (Index j = 0; j < k; ++j) weights[j] = w[j] * std::pow(a.col(j).norm(), GetParam());
    vectors = a.colwise().normalized();
  }
  Matrix moment, vectors;
  Vector weights;
  SymmetricTensor tensor{1, 3};
};

TEST_P(WhitenedTruth, is_recovered_with_the_second_moment) {
  const Decomposition found =
      whitened_power_method(tensor, whitening_from_moment(moment, 5), options(5));
  const Errors e = errors(found, weights, vectors);
  EXPECT_EQ(found.status, Status::converged);
  EXPECT_LT(e.cosine, 1e-8);
  EXPECT_LT(e.weight, 1e-8);
}

TEST_P(WhitenedTruth, is_recovered_from_the_tensor_alone) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Decomposition found =
        whitened_power_method(tensor, whitening_from_tensor(tensor, 5, seed), options(5));
    const Errors e = errors(found, weights, vectors);
    EXPECT_LT(e.cosine, 1e-8) << seed;
    EXPECT_LT(e.weight, 1e-6) << seed;
  }
}

TEST_P(WhitenedTruth, more_components_than_the_rank_are_refused_with_the_rank) {
  try {
    whitening_from_moment(moment, 6);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("numerical rank 5"), std::string::npos)
        << error.what();
  }
  EXPECT_THROW(whitening_from_tensor(tensor, 6, 0), Error);
}

INSTANTIATE_TEST_SUITE_P(Orders, WhitenedTruth, testing::Values(3, 4));

TEST(Deflation, subtracts_exactly_the_given_components) {
  const Vector weights = different_weights(3);
  const Matrix v = orthonormal(8, 3, 14);
  for (const int order : {3, 4}) {
    const SymmetricTensor all = tensor_from(weights, v, order);
    const SymmetricTensor rest = tensor_from(weights.tail(1), v.rightCols(1), order);
    TensorOracle oracle(all);
    DeflatedOracle deflated(oracle);
    deflated.deflate(weights[0], v.col(0));
    deflated.deflate(weights[1], v.col(1));
    SeededRandom random(15);
    const Matrix u = random_unit_block(8, 4, random);
    EXPECT_LT((deflated.contract(u) - contract_reference(rest, u)).norm(), 1e-13);
    EXPECT_LT((deflated.values(u) - column_dots(u, contract_reference(rest, u))).norm(), 1e-13);
  }
}

}  // namespace
}  // namespace sotto
