#include "sotto/privacy/vector.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/privacy/checks.h"
#include "sotto/privacy/samplers.h"

namespace sotto {
namespace {

using Shape = IntegerZiggurat::Shape;

constexpr int kBits = 36;
constexpr std::uint64_t kVarianceChunk = (std::uint64_t{1} << 32) - 1;  // far from the coordinates

// beta step <= 2^-36; above 2^18 dimensions coarser by sqrt(dimension) / 2^9, so that sqrt(tau),
// about sqrt(dimension) / beta, stays below 2^46 steps.
Grid vector_grid(double beta, std::int64_t dimension) {
  SOTTO_REQUIRE(beta >= 0x1p-800 && beta <= 0x1p800, "beta must lie in [2^-800, 2^800], got {}",
                beta);
  SOTTO_REQUIRE(dimension >= 1, "a vector needs at least one dimension, got {}", dimension);
  return Grid::under(std::max(1.0, std::sqrt(double(dimension)) / 0x1p9) / beta, kBits);
}

}  // namespace

VectorMechanism::VectorMechanism(std::string what, double sensitivity, double beta,
                                 std::int64_t dimension, double value_error)
    : BlockMechanism(vector_grid(beta, dimension)),
      laplace_(Shape::exponential, 1 / (beta * grid_.step())) {
  require_claim(sensitivity, value_error, dimension);
  const auto d = static_cast<double>(dimension);
  const double charged = (sensitivity + 2 * value_error + grid_.step() * std::sqrt(d)) * kRoundUp;
  const double epsilon = beta * charged * kRoundUp;
  require_pure_epsilon(epsilon);
  // vector.md, steps 4 to 6: the coordinates, the variance, and variances of a few steps only.
  const double coordinates = 2 * d * IntegerZiggurat::kRelativeError;
  const double variance = 0x1p-48 * (2 * d + 1000);
  const double narrow = 2.5 * beta * grid_.step();
  PrecisionCharge precision{coordinates + variance + narrow,
                            std::min(1.0, (d + 1) * 1e-300 * (1 + std::exp(epsilon)))};
  variance_ = (d + 1) / (beta * beta);  // |b|^2 is d (d + 1) / beta^2 in the mean
  record_ = {std::move(what),
             "vector",
             charged,
             1 / beta,
             1,
             PureCost{epsilon},
             precision,
             "density exp(-|b| / noise), |b| the Euclidean norm of all values together",
             dimension};
}

void VectorMechanism::add_noise(std::span<const double> value, const NoiseStream& stream,
                                std::span<double> out) const {
  if (record_.values == 1) {  // exp(-beta |b|) is the Laplace law
    release_on_grid(grid_, laplace_, stream, value, out);
    return;
  }
  stream.check();
  WordSource words(stream, kVarianceChunk);
  const double deviation =
      laplace_.scale() * std::sqrt(2 * gamma_of_half(record_.values + 1, words));
  // Below 2^-10 steps the discrete Gaussian is zero, whatever its variance; 2^47 is never reached.
  const IntegerZiggurat noise(Shape::gaussian, std::clamp(deviation, 0x1p-10, 0x1p47));
  release_on_grid(grid_, noise, stream, value, out);
}

}  // namespace sotto
