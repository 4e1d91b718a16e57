#include "sotto/release/choose.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/privacy/gdp.h"

namespace sotto {
namespace {

double factorial(int p) { return p == 3 ? 6 : 24; }

// One block of random unit starts, always the same: what the noise will be scaled by.
Matrix sample_block(const PowerShape& shape) {
  SeededRandom random(0, 1);
  Matrix block(shape.dim, shape.starts);
  for (double& x : block.reshaped()) x = random.normal();
  return block.colwise().normalized();
}

// What a coordinate's noise is, over the deviation of one Gaussian release of sensitivity 1 that
// takes the whole budget. A symmetric isometric Gaussian E has Var E(w,u,..,u) = 1/p for w
// orthogonal to u.
double strict_noise(const PowerPlan& plan) {
  const PowerShape& s = plan.shape;
  if (plan.mechanism == PowerMechanism::input) {
    return factorial(s.order) / std::sqrt(static_cast<double>(s.order));
  }
  return std::sqrt(static_cast<double>(s.answers())) *
         block_sensitivity(sample_block(s), s.order, s.order - 1);
}

// Algorithm 3: nu |u|_inf^(p-1), the mean over starts.
double published_noise(const PowerPlan& plan, const PrivacyTarget& target) {
  const Eigen::ArrayXd largest =
      sample_block(plan.shape).cwiseAbs().colwise().maxCoeff().transpose().array();
  return published_nu(plan.shape, target, plan.published) *
         largest.pow(plan.shape.order - 1).mean();
}

// The weakest weight over the noise of a coordinate; the constants are fitted (docs/choosing.md).
// Fresh noise on every iteration: a start of cosine c with a component grows when weight c^(p-1)
// passes c |noise| = c noise sqrt(d), and the best of L starts has c^2 about (1 + 2 ln L) / d. One
// noisy tensor: the weight must pass its operator norm, which goes with sqrt(d).
double weight_over_noise(const PowerPlan& plan) {
  const auto d = static_cast<double>(plan.shape.dim);
  if (plan.mechanism == PowerMechanism::input) return 2.8 * std::sqrt(d);
  const double best = 1 + 2 * std::log(static_cast<double>(plan.shape.starts));
  const double fitted = plan.shape.order == 3 ? 1.2 : 1.7;
  return fitted * std::sqrt(d) * std::pow(std::max(1.0, d / best), (plan.shape.order - 2) / 2.0);
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
  const double noise = plan.published == Published::no
                           ? strict_noise(plan) / gdp_mu(target.epsilon, target.delta)
                           : published_noise(plan, target);
  return {noise, noise * weight_over_noise(plan)};
}

PowerPlan better_plan(const PowerPlan& iterate, const PowerPlan& input) {
  const double with_iterate = strict_noise(iterate) * weight_over_noise(iterate);
  const double with_input = strict_noise(input) * weight_over_noise(input);
  return with_input <= with_iterate ? input : iterate;
}

double expected_epsilon(const PowerPlan& plan, double delta, double weight) {
  SOTTO_REQUIRE(weight > 0 && std::isfinite(weight), "a weight must be positive, got {}", weight);
  // Every forecast is proportional to one number that depends on epsilon.
  const double at_one = forecast(plan, {1, delta}).weight;
  if (plan.published != Published::no) return at_one / weight;
  const double mu = at_one * gdp_mu(1, delta) / weight;
  return gdp_epsilon(mu, delta);
}

}  // namespace sotto
