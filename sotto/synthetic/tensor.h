// Synthetic symmetric tensors with a known truth, and the three noise models of Wang & Anandkumar
// (2016, appendix A), scaled to a given operator norm.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sotto/base/options.h"
#include "sotto/linalg/matrix.h"
#include "sotto/tensor/symmetric_tensor.h"

namespace sotto {

enum class TensorNoise { none, gaussian, adversarial, weak };
constexpr auto enum_names(TensorNoise) {
  return std::to_array<EnumName<TensorNoise>>({{TensorNoise::none, "none"},
                                               {TensorNoise::gaussian, "gaussian"},
                                               {TensorNoise::adversarial, "adversarial"},
                                               {TensorNoise::weak, "weak"}});
}

struct TensorModel {
  std::int64_t dim = 50;
  std::int64_t components = 5;
  std::int64_t order = 3;
  std::vector<double> weights;  // empty: evenly spaced from 2 to 1
  double condition = 1;         // of the matrix of components; 1 makes them orthonormal
  TensorNoise noise = TensorNoise::none;
  double noise_norm = 0;  // operator norm of the noise
  std::int64_t seed = 0;

  OptionTable table();
};

struct SyntheticTensor {
  SymmetricTensor tensor;  // sum_j weights[j] a_j^(x)p + noise
  Vector weights;
  Matrix vectors;  // a_j: unit columns when condition is 1
  Matrix moment;   // sum_j weights[j] a_j a_j^T, the second moment that whitens the components
};

// Refuses impossible models (more components than dimensions, a missing weight).
SyntheticTensor generate_tensor(const TensorModel& model);

}  // namespace sotto
