#include "sotto/release/calibration.h"

#include <fmt/format.h>

#include <cmath>

#include "sotto/base/error.h"
#include "sotto/privacy/checks.h"
#include "sotto/privacy/gdp.h"
#include "sotto/privacy/grid.h"
#include "sotto/privacy/integer_ziggurat.h"

namespace sotto {
namespace {

// Leaves room for the roundings of code that adds the charges up again.
constexpr double kSlack = 0x1p-44;

void require_precision(double left, const PrivacyTarget& target, std::int64_t values,
                       double precision) {
  SOTTO_REQUIRE_AT(left > 0, "`epsilon`",
                   "{} is too small for {} values: precision alone costs {:.3g}", target.epsilon,
                   values, precision);
}

void require_tails(bool payable, const PrivacyTarget& target) {
  SOTTO_REQUIRE_AT(
      payable, "`epsilon`",
      "{} asks for so little noise that its truncated tails may show, which costs more than {}; "
      "take a smaller one",
      target.epsilon,
      target.delta <= kTailDelta ? "a pure epsilon allows" : fmt::format("delta {}", target.delta));
}

}  // namespace

Budget PrivacyTarget::budget() const { return Budget::gaussian(epsilon, delta); }

double affordable_mu(const PrivacyTarget& target, std::int64_t releases, std::int64_t values) {
  require_epsilon(target.epsilon);
  require_delta(target.delta);
  const auto n = static_cast<double>(values);
  const double epsilon = 2 * n * IntegerZiggurat::kRelativeError;
  // An upper bound on every mu returned below, so that the tails beyond reach are overcharged.
  const double most =
      gdp_mu(target.epsilon, target.delta) / std::sqrt(static_cast<double>(releases));
  const double gap = IntegerZiggurat::kGaussianReach - most;
  const double delta = n * std::erfc(gap / std::sqrt(2.0)) * kRoundUp;
  const double epsilon_left = target.epsilon * (1 - kSlack) - epsilon * (1 + kSlack);
  const double delta_left = (target.delta * (1 - kSlack) - delta) * std::exp(-epsilon);
  require_precision(epsilon_left, target, values, epsilon);
  require_tails(gap > 0 && delta_left > 0, target);
  return 1 / gdp_noise_multiplier(epsilon_left, delta_left, releases);
}

double affordable_epsilon(const PrivacyTarget& target, std::int64_t values) {
  const auto n = static_cast<double>(values);
  const double precision = n * 0x1p-46 + 0x1p-31;
  const double left = (target.epsilon - precision) * (1 - 0x1p-40);
  require_precision(left, target, values, precision);
  // laplace.md, step 3: n exp(epsilon - 700) for each release, where releases share epsilon and the
  // values.
  const double tails = n * std::exp(target.epsilon - IntegerZiggurat::kExponentialReach);
  require_tails(tails < target.delta / 2, target);
  return left;
}

void require_payable(const ReleaseRecord& record, const PrivacyTarget& target) {
  require_tails(static_cast<double>(record.count) * record.precision.delta < target.delta, target);
}

double deviation_for(const HiddenBlock& block, double mu) {
  // The grid depends on the deviation through its exponent alone, so this settles in two steps
  // unless the grid is as coarse as the noise.
  const double up = kRoundUp * kRoundUp * kRoundUp * kRoundUp;
  double deviation = block.bound / mu * up;
  double before = 0;
  for (int step = 0; step < 4 && deviation > before; ++step) {
    before = deviation;
    const double grid = Grid::under(deviation / block.grid_divisor).step();
    deviation = (block.bound + grid * block.spread) / mu * up;
  }
  SOTTO_REQUIRE(
      deviation <= before,
      "epsilon is too small for a block of this size: its grid would be as coarse as its noise");
  return deviation;
}

}  // namespace sotto
