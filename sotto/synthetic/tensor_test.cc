#include "sotto/synthetic/tensor.h"

#include <gtest/gtest.h>

#include "sotto/base/error.h"
#include "sotto/base/testing/sanitized.h"
#include "sotto/decompose/power.h"
#include "sotto/decompose/shifted_power.h"
#include "sotto/linalg/spectral.h"
#include "sotto/tensor/contraction.h"

namespace sotto {
namespace {

TEST(SyntheticTensor, without_noise_is_exactly_its_components) {
  TensorModel model;
  model.dim = 12;
  model.components = 4;
  for (const int order : {3, 4}) {
    model.order = order;
    const SyntheticTensor made = generate_tensor(model);
    EXPECT_LT((made.vectors.transpose() * made.vectors - Matrix::Identity(4, 4)).norm(), 1e-13);
    // T(I, v, ..) = w v for orthonormal components.
    EXPECT_LT(
        (contract_reference(made.tensor, made.vectors) - made.vectors * made.weights.asDiagonal())
            .norm(),
        1e-12);
  }
}

TEST(SyntheticTensor, has_the_condition_number_asked_for) {
  TensorModel model;
  model.condition = 10;
  const SyntheticTensor made = generate_tensor(model);
  const Vector squares = ascending_eigenpairs(made.vectors.transpose() * made.vectors).values;
  EXPECT_NEAR(std::sqrt(squares.maxCoeff() / squares.minCoeff()), 10, 1e-9);
}

TEST(SyntheticTensor, noise_has_the_operator_norm_asked_for) {
  for (const TensorNoise noise :
       {TensorNoise::gaussian, TensorNoise::adversarial, TensorNoise::weak}) {
    for (const int order : {3, 4}) {
      TensorModel model;
      model.dim = 9;
      model.components = 3;
      model.order = order;
      const SyntheticTensor clean = generate_tensor(model);
      model.noise = noise;
      model.noise_norm = 0.25;
      const SyntheticTensor noisy = generate_tensor(model);
      EXPECT_EQ(clean.vectors, noisy.vectors);
      SymmetricTensor difference = noisy.tensor;
      difference.add_scaled(-1, clean.tensor);
      TensorOracle oracle(difference);
      EigenpairOptions options;
      options.starts = unless_sanitized(200, 40);
      options.seed = 99;  // not the starts the generator used
      EXPECT_NEAR(operator_norm(oracle, options), 0.25, 1e-6)
          << name_of(noise) << " order " << order;
    }
  }
}

TEST(SyntheticTensor, adversarial_noise_is_the_one_of_the_paper) {
  TensorModel model;
  model.dim = 4;
  model.components = 2;
  const SyntheticTensor clean = generate_tensor(model);
  model.noise = TensorNoise::adversarial;
  model.noise_norm = 3;  // the paper's sum has operator norm three
  const SyntheticTensor noisy = generate_tensor(model);
  const Vector v = clean.vectors.col(1);
  for (Index a = 0; a < 4; ++a) {
    for (Index b = 0; b < 4; ++b) {
      for (Index c = 0; c < 4; ++c) {
        const double expected = v[a] * (b == c) + v[b] * (a == c) + v[c] * (a == b);
        EXPECT_NEAR(noisy.tensor.at({a, b, c}) - clean.tensor.at({a, b, c}), expected, 1e-12);
      }
    }
  }
}

TEST(SyntheticTensor, weak_noise_does_not_touch_the_components) {
  TensorModel model;
  model.dim = 8;
  model.components = 3;
  model.noise = TensorNoise::weak;
  model.noise_norm = 0.5;
  const SyntheticTensor made = generate_tensor(model);
  EXPECT_LT(
      (contract_reference(made.tensor, made.vectors) - made.vectors * made.weights.asDiagonal())
          .norm(),
      1e-12);
}

TEST(SyntheticTensor, refuses_models_that_make_no_sense) {
  for (auto change : {+[](TensorModel& m) { m.components = m.dim + 1; },
                      +[](TensorModel& m) {
                        m.weights = {1, 2};
                      },
                      +[](TensorModel& m) { m.noise = TensorNoise::gaussian; },
                      +[](TensorModel& m) { m.noise_norm = 1; },
                      +[](TensorModel& m) {
                        m.components = m.dim;
                        m.noise = TensorNoise::weak;
                        m.noise_norm = 1;
                      }}) {
    TensorModel model;
    change(model);
    EXPECT_THROW(generate_tensor(model), Error);
  }
}

}  // namespace
}  // namespace sotto
