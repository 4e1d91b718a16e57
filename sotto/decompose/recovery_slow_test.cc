// Every run recovers the components exactly, through the packed tensor and its kernel.
#include <gtest/gtest.h>

#include <cmath>

#include "sotto/decompose/block.h"
#include "sotto/decompose/power.h"
#include "sotto/linalg/spectral.h"
#include "sotto/tensor/contraction.h"

namespace sotto {
namespace {

TEST(RecoverySlow, packed_tensors_are_recovered_exactly_for_a_hundred_seeds) {
  const Index k = 10;
  const Vector weights = Vector::LinSpaced(k, 2.0, 1.0);
  for (const auto& [d, order] : {std::pair<Index, int>{100, 3}, {40, 4}}) {
    for (int seed = 0; seed < 100; ++seed) {
      SeededRandom random(static_cast<std::uint64_t>(seed), 5);
      const Matrix truth = orthonormal_columns(random_unit_block(d, k, random));
      SymmetricTensor tensor(d, order);
      for (Index j = 0; j < k; ++j) tensor.add_rank_one(weights[j], truth.col(j));
      TensorOracle oracle(tensor);
      PowerOptions options;
      options.components = k;
      options.seed = seed;
      const Decomposition found = robust_power_method(oracle, options);
      const Matrix cosines = (truth.transpose() * found.vectors()).cwiseAbs();
      EXPECT_GE(cosines.rowwise().maxCoeff().minCoeff(), 1 - 1e-10) << order << " seed " << seed;
      EXPECT_LT((found.weights.array() / weights.array() - 1).abs().maxCoeff(), 1e-10)
          << order << " seed " << seed;
    }
  }
}

}  // namespace
}  // namespace sotto
