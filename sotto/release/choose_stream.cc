#include "sotto/release/choose_stream.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/linalg/gemm.h"
#include "sotto/linalg/spectral.h"
#include "sotto/privacy/gdp.h"

namespace sotto {
namespace {

// A block with which a run begins: random unit columns. The simultaneous form makes each group of k
// orthonormal.
Matrix starting_block(const StreamShape& shape, PowerForm method, Index columns,
                      SeededRandom& random) {
  Matrix block(shape.dim, columns);
  for (double& x : block.reshaped()) x = random.normal();
  if (method == PowerForm::robust) return block.colwise().normalized();
  const Index k = shape.components;
  for (Index first = 0; first + k <= columns; first += k) {
    block.middleCols(first, k) = orthonormal_columns(block.middleCols(first, k)).eval();
  }
  return block;
}

// sqrt(lambda_max(U^T U)), the mean over a few blocks, always the same ones: the noise of a block
// over that of one start.
double spread_of(const StreamShape& shape, PowerForm method, Index columns) {
  constexpr int kBlocks = 4;
  SeededRandom random(0, 1);
  double sum = 0;
  for (int b = 0; b < kBlocks; ++b) {
    const Matrix block = starting_block(shape, method, columns, random);
    const Matrix gram = columns <= shape.dim ? multiply_transposed(block, block)
                                             : multiply_by_transposed(block, block);
    sum += std::sqrt(leading_eigenpairs(gram, 1).values[0]);
  }
  return sum / kBlocks;
}

// The noise of one start over 1/mu, and the same for the weakest weight.
StreamForecast forecast_over_mu(const StreamShape& shape, PowerForm method,
                                const PrivateStreamPlan& plan) {
  const auto d = static_cast<double>(shape.dim);
  const double one = 2 / static_cast<double>(plan.batch);
  const double noise = one * spread_of(shape, method, plan.starts);
  const bool one_by_one = method == PowerForm::robust;
  const std::int64_t tries = one_by_one ? plan.starts : plan.starts / shape.components;
  const auto groups = static_cast<double>(tries);
  const std::int64_t rounds = one_by_one ? shape.components : 1;
  const auto steps = static_cast<double>(std::max<std::int64_t>(1, plan.answers / rounds - 1));
  // A start of cosine c with a component grows when weight c^(p-1) exceeds c noise sqrt(d). The
  // noise moves a start that does not grow to another place in every step, so with L starts and R
  // steps the best c^2 is about (1 + 2 ln(L R)) / d. At the end, L starts that agree share the
  // noise of one release, sqrt(L) times that of one start, and need |cos| >= 0.9. The factors are
  // fitted (docs/choosing.md, docs/planning.md).
  const double best = 1 + 2 * std::log(groups * steps);
  const double growth =
      2.4 * noise * std::sqrt(d) * std::pow(std::max(1.0, d / best), (shape.order - 2) / 2.0);
  const double end = 2.8 * one * std::sqrt(d * groups);
  return {noise, std::max(growth, end)};
}

}  // namespace

StreamChoice choose_stream(const StreamShape& shape, std::optional<PowerForm> method) {
  const auto d = static_cast<double>(shape.dim);
  const std::int64_t starts = std::clamp<std::int64_t>(std::llround(0.6 * std::sqrt(d)), 3, 8);
  const double components = std::max(1.0, static_cast<double>(shape.components) / 3);
  const std::int64_t iterations =
      6 + std::llround(std::log2(1 + d / 200)) + std::llround(2 * std::log2(components));
  return {method.value_or(PowerForm::simultaneous), starts, iterations};
}

StreamForecast forecast_stream(const StreamShape& shape, PowerForm method,
                               const PrivateStreamPlan& plan) {
  const StreamForecast unit = forecast_over_mu(shape, method, plan);
  const double mu = stream_mu(plan);
  return {unit.noise / mu, unit.weight / mu};
}

double expected_epsilon(const StreamShape& shape, PowerForm method, const PrivateStreamPlan& plan,
                        double weight) {
  SOTTO_REQUIRE(weight > 0 && std::isfinite(weight), "a weight must be positive, got {}", weight);
  const double mu = forecast_over_mu(shape, method, plan).weight / weight;
  return gdp_epsilon(mu, plan.target.delta);
}

}  // namespace sotto
