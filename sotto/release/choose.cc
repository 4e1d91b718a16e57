#include "sotto/release/choose.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/privacy/gdp.h"

namespace sotto {
namespace {

// The mean of f over a few blocks of random unit starts, always the same ones.
template <class F>
double mean_over_blocks(const PowerShape& shape, F f) {
  constexpr int kBlocks = 16;
  SeededRandom random(0, 1);
  double sum = 0;
  for (int b = 0; b < kBlocks; ++b) {
    Matrix block(shape.dim, shape.starts);
    for (double& x : block.reshaped()) x = random.normal();
    sum += f(Matrix(block.colwise().normalized()));
  }
  return sum / kBlocks;
}

// The noise of a coordinate, over the deviation of one Gaussian release of sensitivity 1 that takes
// the whole budget. A symmetric isometric Gaussian E has Var E(w,u,..,u) = 1/p for w orthogonal to
// u.
double strict_noise(const PowerPlan& plan) {
  const PowerShape& s = plan.shape;
  if (plan.mechanism == PowerMechanism::input) {
    return factorial(s.order) / std::sqrt(static_cast<double>(s.order));
  }
  const double sensitivity = mean_over_blocks(
      s, [&](const Matrix& block) { return block_sensitivity(block, s.order, s.order - 1); });
  return std::sqrt(static_cast<double>(s.answers())) * sensitivity;
}

// Algorithm 3: nu |u|_inf^(p-1), the mean over starts.
double published_noise(const PowerPlan& plan, const PrivacyTarget& target) {
  const double scale = mean_over_blocks(plan.shape, [&](const Matrix& block) {
    const Eigen::ArrayXd largest = block.cwiseAbs().colwise().maxCoeff().transpose().array();
    return largest.pow(plan.shape.order - 1).mean();
  });
  return published_nu(plan.shape, target, plan.published) * scale;
}

// How often a run draws a vector that may lie near a component. On one noisy tensor this happens
// once a start. With fresh noise in every answer, a vector that does not yet grow is drawn anew in
// each iteration: c' = (weight / (noise sqrt(d))) c^2 + g / sqrt(d), g standard Gaussian, for order
// 3. A good draw needs some more iterations to converge.
double draws(const PowerPlan& plan) {
  constexpr std::int64_t kToArrive = 4;
  const auto starts = static_cast<double>(plan.shape.starts);
  if (plan.mechanism == PowerMechanism::input) return starts;
  return starts * static_cast<double>(std::max<std::int64_t>(1, plan.shape.iterations - kToArrive));
}

// The weakest weight over the noise of a coordinate; the constants are fitted (docs/choosing.md). A
// vector of cosine c with a component grows when weight c^(p-1) exceeds c |noise| = c noise
// sqrt(d), and the best of N draws has c^2 about (1 + 2 ln N) / d. On one noisy tensor the noise
// does not change from step to step; there the weight must also exceed the operator norm of the
// noise, which grows like sqrt(d).
double weight_over_noise(const PowerPlan& plan) {
  const auto d = static_cast<double>(plan.shape.dim);
  const double best = 1 + 2 * std::log(draws(plan));
  const double growth = std::pow(std::max(1.0, d / best), (plan.shape.order - 2) / 2.0);
  if (plan.mechanism == PowerMechanism::input) return std::sqrt(d) * std::max(2.8, 0.5 * growth);
  return (plan.shape.order == 3 ? 1.32 : 1.9) * std::sqrt(d) * growth;
}

// Of a component in a tensor whose entries carry independent noise.
double weight_over_noise(const PublicDims& dims) {
  double roots = 0, longest = 0;
  for (const Index d : dims.dims) {
    roots += std::sqrt(static_cast<double>(d));
    longest = std::max(longest, static_cast<double>(d));
  }
  const double unfoldings = std::pow(static_cast<double>(dims.entries()), 0.25);
  return std::max({3.2 * std::sqrt(longest), roots, unfoldings});
}

void require_weight(double weight) {
  SOTTO_REQUIRE(weight > 0 && std::isfinite(weight), "a weight must be positive, got {}", weight);
}

}  // namespace

std::int64_t default_starts(const PublicShape& shape) {
  return std::clamp<std::int64_t>(std::llround(0.6 * std::sqrt(static_cast<double>(shape.dim))), 3,
                                  12);
}

std::int64_t default_iterations(const PublicShape& shape) {
  return 6 + std::llround(std::log2(1 + static_cast<double>(shape.dim) / 200));
}

PowerForecast forecast(const PowerPlan& plan, const PrivacyTarget& target) {
  const double noise =
      plan.change * (plan.published == Published::no
                         ? strict_noise(plan) / gdp_mu(target.epsilon, target.delta)
                         : published_noise(plan, target));
  return {noise, noise * weight_over_noise(plan)};
}

PowerPlan better_plan(const PowerPlan& iterate, const PowerPlan& input) {
  const double with_iterate = strict_noise(iterate) * weight_over_noise(iterate);
  const double with_input = strict_noise(input) * weight_over_noise(input);
  return with_input <= with_iterate ? input : iterate;
}

double expected_epsilon(const PowerPlan& plan, double delta, double weight) {
  require_weight(weight);
  // Every forecast is proportional to one number that depends on epsilon.
  const double at_one = forecast(plan, {1, delta}).weight;
  if (plan.published != Published::no) return at_one / weight;
  const double mu = at_one * gdp_mu(1, delta) / weight;
  return gdp_epsilon(mu, delta);
}

PowerForecast forecast(const PublicDims& dims, double sensitivity, const PrivacyTarget& target) {
  const double noise = sensitivity / gdp_mu(target.epsilon, target.delta);
  return {noise, noise * weight_over_noise(dims)};
}

double expected_epsilon(const PublicDims& dims, double sensitivity, double delta, double weight) {
  require_weight(weight);
  return gdp_epsilon(sensitivity * weight_over_noise(dims) / weight, delta);
}

}  // namespace sotto
