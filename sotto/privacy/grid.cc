#include "sotto/privacy/grid.h"

#include <algorithm>

#include "sotto/base/error.h"

namespace sotto {

Grid Grid::under(double scale, int bits) {
  SOTTO_REQUIRE(scale >= 0x1p-900 && scale <= 0x1p900,
                "the noise scale must lie in [2^-900, 2^900]");
  return Grid(std::ldexp(1.0, std::ilogb(scale) - bits));
}

// From 2^53 steps on a double is a whole number of them. From 2^120 on it is a multiple of 2^67, so
// that the sum, noise and all, rounds back to it.
double Grid::add_to_large(double value, std::int64_t noise) const {
  const double steps = value * steps_per_unit_;
  if (std::abs(steps) >= 0x1p120) return value;
  const Int128 sum = static_cast<Int128>(steps) + noise;
  return static_cast<double>(sum) * step_;
}

void require_claim(double sensitivity, double value_error, std::int64_t count) {
  SOTTO_REQUIRE(sensitivity > 0 && std::isfinite(sensitivity),
                "the sensitivity must be positive and finite");
  SOTTO_REQUIRE(value_error >= 0 && std::isfinite(value_error),
                "the bound on the rounding error must be finite and not negative");
  SOTTO_REQUIRE(count >= 1, "a release needs at least one value, got {}", count);
}

void require_releasable(std::span<const double> value, std::int64_t count, std::span<double> out) {
  SOTTO_REQUIRE(static_cast<std::int64_t>(value.size()) == count && out.size() == value.size(),
                "this mechanism releases {} values, got {} and room for {}", count, value.size(),
                out.size());
  SOTTO_REQUIRE(std::all_of(value.begin(), value.end(), [](double x) { return std::isfinite(x); }),
                "a value to be released is not finite: it is not released");
}

void release_on_grid(const Grid& grid, const IntegerZiggurat& noise, const NoiseStream& stream,
                     std::span<const double> value, std::span<double> out) {
  for_each_chunk(stream, value.size(), [&](WordSource& words, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      out[i] = grid.add(value[i], noise.draw(words));
    }
  });
}

}  // namespace sotto
