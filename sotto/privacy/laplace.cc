#include "sotto/privacy/laplace.h"

#include <cmath>

#include "sotto/privacy/checks.h"

namespace sotto {

LaplaceMechanism::LaplaceMechanism(std::string what, double sensitivity, double scale,
                                   std::int64_t count, double value_error)
    : BlockMechanism(Grid::under(scale)),
      noise_(IntegerZiggurat::Shape::exponential, scale / grid_.step()) {
  require_claim(sensitivity, value_error, count);
  const auto n = static_cast<double>(count);
  const double charged = (sensitivity + 2 * value_error + n * grid_.step()) * kRoundUp;
  const double epsilon = charged / scale * kRoundUp;
  require_pure_epsilon(epsilon);
  Cost cost = PureCost{epsilon};
  if (count == 1) cost = LaplaceCost{epsilon};
  // Discrete against rounded continuous Laplace, which only LaplaceCost needs: laplace.md, step 4.
  const double discrete = count == 1 ? 1 / (2 * noise_.scale()) : 0;
  const double out_of_reach = n * std::exp(epsilon - IntegerZiggurat::kExponentialReach);
  PrecisionCharge precision{2 * n * IntegerZiggurat::kRelativeError + discrete,
                            std::min(1.0, out_of_reach * kRoundUp)};
  variance_ = 2 * scale * scale;
  record_ = {std::move(what), "laplace", charged, scale, 1, cost, precision, "", count};
}

void LaplaceMechanism::add_noise(std::span<const double> value, const NoiseStream& stream,
                                 std::span<double> out) const {
  release_on_grid(grid_, noise_, stream, value, out);
}

}  // namespace sotto
