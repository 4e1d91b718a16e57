#include "sotto/release/rating_gradients.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/clip.h"
#include "sotto/base/error.h"
#include "sotto/privacy/accountant.h"
#include "sotto/release/access.h"
#include "sotto/release/rounding.h"

namespace sotto {
namespace {

// rating_gradients.md, 1 and 2.
constexpr std::int64_t kMostCoefficients = 1 << 11;
// Directions outside of these limits do not count: their squares would not give their length.
constexpr double kLeastSquare = 1e-200, kMostSquare = 1e200;

// A power of two, so small that rounding to it hardly matters, and so large that the sum of all
// contributions stays below 2^53 units.
double gradient_unit(double clip, std::size_t entries) {
  const int size = std::ilogb(static_cast<double>(entries) + 1) + 1;
  return std::exp2(std::ilogb(clip) - std::min(30, 51 - size));
}

double sensitivity_of(const GradientPlan& plan, std::size_t entries) {
  const auto touched = static_cast<double>(plan.coefficients);
  return plan.clip * kSafeScaled + gradient_unit(plan.clip, entries) / 2 * std::sqrt(touched);
}

void check(const GradientPlan& plan, std::size_t entries) {
  plan.bounds.check();
  SOTTO_REQUIRE(plan.clip >= 1e-110 && plan.clip <= 1e110,
                "the clip must lie between 1e-110 and 1e110, got {}", plan.clip);
  SOTTO_REQUIRE(plan.steps >= 1 && plan.numbers >= 1 && plan.coefficients >= 1 &&
                    plan.coefficients <= kMostCoefficients,
                "a run needs steps, parameters, and entries that touch 1 to {}", kMostCoefficients);
  require_rating_count(entries);
}

// The least noise with which all steps stay within the target.
SubsampledGaussianMechanism mechanism_for(GradientPlan plan, std::size_t entries) {
  const auto count = static_cast<std::int64_t>(entries);
  check(plan, entries);
  SOTTO_REQUIRE(plan.multiplier == 0 || plan.ratings == count,
                "the noise was planned for {} ratings, there are {}", plan.ratings, count);
  plan.ratings = count;
  const double multiplier = plan.multiplier > 0 ? plan.multiplier : noise_multiplier(plan);
  const double sensitivity = sensitivity_of(plan, entries);
  const double spread = std::sqrt(static_cast<double>(plan.numbers));
  const double deviation = deviation_for({sensitivity, spread}, 1 / multiplier * (1 - 0x1p-44));
  return SubsampledGaussianMechanism(GaussianMechanism("gradient over a sample of the ratings",
                                                       sensitivity, deviation, plan.numbers),
                                     plan.rate, count);
}

}  // namespace

double noise_multiplier(const GradientPlan& plan) {
  check(plan, static_cast<std::size_t>(plan.ratings));
  const auto steps = static_cast<double>(plan.steps), n = static_cast<double>(plan.ratings);
  const double charges =
      2 * (static_cast<double>(plan.numbers) + n + 1) * IntegerZiggurat::kRelativeError * steps;
  const double epsilon = (plan.target.epsilon - charges * 1.01) * (1 - 1e-9);
  SOTTO_REQUIRE(epsilon > 0, "epsilon {} is too small for {} steps: precision alone costs {:.3g}",
                plan.target.epsilon, plan.steps, charges);
  const double delta = plan.target.delta * (1 - 1e-9) * std::exp(-charges);
  return calibrate_subsampled(epsilon, delta, plan.rate, plan.steps);
}

PrivacyStatement gradient_statement(const GradientPlan& plan) {
  PrivacyStatement statement = rating_statement({plan.target, plan.bounds});
  statement.units.count = plan.ratings;
  statement.neighbours =
      "one value withdrawn, or added where there was none; its position stays (replacing a value "
      "is two such changes)";
  statement.adds_or_removes = true;
  return statement;
}

PlannedRelease planned_gradients(const GradientPlan& plan) {
  const auto entries = static_cast<std::size_t>(plan.ratings);
  return planned(mechanism_for(plan, entries).record(), 1, plan.steps);
}

RatingGradients::RatingGradients(RatingValues values, const GradientPlan& plan, PrivateRun& run)
    : plan_(plan),
      values_(ReleaseAccess::take(std::move(values))),
      mechanism_(mechanism_for(plan, values_.size())),
      steps_(run, mechanism_.record(), plan.steps) {
  refuse_nan(values_);
}

// The sum over the sample of (value - predicted) * direction, each term clipped, in whole units.
Vector RatingGradients::gradient(std::span<const std::size_t> sample,
                                 const Linearise& linearise) const {
  const double unit = gradient_unit(plan_.clip, values_.size());
  std::vector<std::int64_t> sum(static_cast<std::size_t>(plan_.numbers), 0);
  Linearised at;
  for (const std::size_t e : sample) {
    at.direction.clear();
    linearise(static_cast<Index>(e), at);
    SOTTO_REQUIRE(std::ssize(at.direction) <= plan_.coefficients, "an entry touches too much");
    double square = 0;
    for (const Coefficient& c : at.direction) square += c.value * c.value;
    const double value = clipped(values_[e], plan_.bounds.low, plan_.bounds.high);
    const double residual = value - at.predicted;
    const double norm = std::abs(residual) * std::sqrt(square);
    // A refusal would reveal the sample; a contribution of zero is within every bound.
    const bool measured = square >= kLeastSquare && square <= kMostSquare && std::isfinite(norm);
    if (!measured) continue;
    const double shortened = residual * clipped(1, 0, plan_.clip / norm);
    for (const Coefficient& c : at.direction) {
      sum[static_cast<std::size_t>(c.number)] += std::llrint(shortened * c.value / unit);
    }
  }
  Vector result(plan_.numbers);
  std::transform(sum.begin(), sum.end(), result.begin(),
                 [unit](std::int64_t units) { return static_cast<double>(units) * unit; });
  return result;
}

Released<Noisy<Vector>> RatingGradients::step(const Linearise& linearise) {
  SOTTO_REQUIRE(steps_.left() > 0, "all {} steps of the plan were made", plan_.steps);
  return steps_.publish_sampled(
      mechanism_, std::ssize(values_),
      [&](std::span<const std::size_t> sample) { return gradient(sample, linearise); });
}

}  // namespace sotto
