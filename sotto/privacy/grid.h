// Where values and noise meet: multiples of a power of two, held as integers.
//
// The value is rounded to the grid, the noise is drawn as a whole number of steps, and the sum is
// exact; what is released is a function of that integer alone, so its low-order bits say nothing
// about the value (Mironov 2012 shows what they say otherwise). Rounding moves a value by at most
// half a step, and hence the distance of two neighbours by at most a step in each coordinate: that
// is charged to the sensitivity.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "sotto/privacy/integer_ziggurat.h"
#include "sotto/privacy/secure_stream.h"

namespace sotto {

// Steps in one scale of the noise: at least 2^kGridBits.
inline constexpr int kGridBits = 32;

// Covers the few roundings in a formula for a charge, so that it errs upwards.
inline constexpr double kRoundUp = 1 + 0x1p-48;

class Grid {
 public:
  // The power of two in (2^-bits / 2, 2^-bits] times `scale`.
  static Grid under(double scale, int bits = kGridBits);

  double step() const { return step_; }

  // The nearest multiple of the step plus `noise` steps, an exact sum of integers, as the double
  // next to it. `noise` is below 2^62.
  double add(double value, std::int64_t noise) const {
    const double steps = value * steps_per_unit_;
    if (!(std::abs(steps) < 0x1p61)) return add_to_large(value, noise);
    return to_value(static_cast<std::int64_t>(std::nearbyint(steps)) + noise);
  }

  // Rounded when above 2^53 steps: a function of the released integer.
  double to_value(std::int64_t steps) const { return static_cast<double>(steps) * step_; }

 private:
  explicit Grid(double step) : step_(step), steps_per_unit_(1 / step) {}
  double add_to_large(double value, std::int64_t noise) const;

  double step_;
  double steps_per_unit_;
};

// Refuses parameters of which no claim can be made.
void require_claim(double sensitivity, double value_error, std::int64_t count);

// Refuses the block unless it has `count` values, all finite, and `out` as much room.
void require_releasable(std::span<const double> value, std::int64_t count, std::span<double> out);

// out = value on the grid + noise with the law of `noise`, in steps. `out` may be `value`.
void release_on_grid(const Grid& grid, const IntegerZiggurat& noise, const NoiseStream& stream,
                     std::span<const double> value, std::span<double> out);

}  // namespace sotto
