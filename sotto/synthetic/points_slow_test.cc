#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "sotto/decompose/power.h"
#include "sotto/moments/stream_oracle.h"
#include "sotto/synthetic/points.h"

namespace sotto {
namespace {

// Root mean square over the components of the distance |v - v^| of the nearest.
double error_of_stream(Index batch, std::int64_t seed) {
  PointModel model;
  model.dim = 20;
  model.noise = 0.5;
  model.centred = true;
  model.seed = seed;
  PowerOptions power;
  power.components = model.components;
  power.starts = 16;
  power.iterations = 10;
  power.tolerance = 0;
  power.polish = 0;
  power.residuals = false;
  power.seed = seed;
  const Index answers = power.components * (power.iterations + 1);
  model.records = answers * batch;
  auto source = std::make_unique<SyntheticPoints>(model);
  const Matrix truth = source->vectors();
  StreamOracle oracle(std::move(source), {answers, batch, 1});
  const Decomposition found = robust_power_method(oracle, power);
  const Matrix cosines = (truth.transpose() * found.vectors()).cwiseAbs();
  return std::sqrt((2 - 2 * cosines.rowwise().maxCoeff().array()).mean());
}

TEST(StreamDecomposition, error_falls_as_one_over_the_square_root_of_the_batch) {
  constexpr int runs = 12;
  double before = 0;
  for (const Index batch : {2000, 8000, 32000}) {
    double square = 0;
    for (int run = 0; run < runs; ++run) square += std::pow(error_of_stream(batch, run), 2);
    const double error = std::sqrt(square / runs);
    RecordProperty("error_" + std::to_string(batch), std::to_string(error));
    if (before > 0) {
      EXPECT_GT(before / error, 1.6) << batch;
      EXPECT_LT(before / error, 2.5) << batch;
    }
    before = error;
  }
  EXPECT_LT(before, 1e-2);  // the components within 1e-2 of the truth
}

}  // namespace
}  // namespace sotto
