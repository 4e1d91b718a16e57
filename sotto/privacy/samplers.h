// Random variables over a secret stream, in real arithmetic.
//
// These are the laws; mechanisms (gaussian.h, laplace.h, ...) put them on a grid before anything is
// released. Gaussian, Laplace and exponential values are multiples of 2^-40 of their scale, from
// the exact integer sampler. All fills give the same values for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sotto/privacy/integer_ziggurat.h"
#include "sotto/privacy/secure_stream.h"

namespace sotto {

void fill_gaussian(const NoiseStream& stream, double standard_deviation, std::span<double> out);
void fill_laplace(const NoiseStream& stream, double scale, std::span<double> out);
void fill_exponential(const NoiseStream& stream, double mean, std::span<double> out);

// Uniform on the unit sphere.
void fill_direction(const NoiseStream& stream, std::span<double> out);

// Gamma with shape n / 2 and scale 1, n >= 1: an exact variable times a factor within 1 +- 2^-49.
// A sum of n / 2 exponentials, and for odd n of one E sin^2(pi U / 2), which has shape 1 / 2,
// added so that its rounding does not grow with n. O(n).
double gamma_of_half(std::int64_t n, WordSource& words);

// Each of 0..count-1 independently with probability `rate`; the chosen ones in rising order. The
// gaps are geometric, so the cost is that of the sample, not of the population. The rate in force
// is within a factor 1 +- 2^-50 of `rate`, which lies in [1e-13, 1].
class PoissonSampler {
 public:
  explicit PoissonSampler(double rate);
  std::vector<std::size_t> sample(const NoiseStream& stream, std::size_t count) const;

 private:
  std::optional<IntegerZiggurat> gap_;  // none at rate 1
};

}  // namespace sotto
