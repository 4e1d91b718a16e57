#include "sotto/privacy/integer_ziggurat.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sotto/base/error.h"

namespace sotto {
namespace {

static_assert(std::numeric_limits<long double>::digits >= 64, "the error bound needs 64 bits");

// The smallest v / s for which 256 layers reach height 1 in the limit of large s.
constexpr long double kGaussianArea = 0.004947560192039033L;
constexpr long double kExponentialArea = 0.003969447444456080L;

}  // namespace

IntegerZiggurat::IntegerZiggurat(Shape shape, double scale) : shape_(shape), scale_(scale) {
  const bool gaussian = shape == Shape::gaussian;
  // The scale may have been drawn, or come from the data: no message shows it.
  SOTTO_REQUIRE(scale >= 0x1p-10 && scale <= (gaussian ? 0x1p47 : 0x1p44),
                "the noise must span 2^-10 to {} grid steps", gaussian ? "2^47" : "2^44");
  const long double s = scale;
  rate_ = gaussian ? 1 / (2 * s * s) : 1 / s;
  // Rounding widths up costs area, little when s is large; growing v until F_N >= 1 costs only
  // rejections, never exactness. The boxes must cover the sum of f, about s f's integral + 1/2.
  const long double layers = kLayers;
  const long double sum = (gaussian ? 1.2533L : 1.0L) * s + 0.5L;
  long double v = (gaussian ? kGaussianArea : kExponentialArea) * s * (1 + 1e-6L);
  v = std::max({v, sum / layers, 1 / layers});
  while (!build(v)) v *= 1.01L;
}

// Lays layers of area v from the bottom up; true if they reach height f(0) = 1.
bool IntegerZiggurat::build(long double v) {
  const double reach = shape_ == Shape::gaussian ? kGaussianReach : kExponentialReach;
  long double width = std::ceil(reach * static_cast<long double>(scale_));
  long double below = 0;
  for (int j = 0; j < kLayers; ++j) {
    // Above height 1 a layer is empty: it keeps nothing.
    const long double height = width > 0 ? v / width : 0;
    const long double inner = width > 0 ? width_at(below + height) : 0;
    layers_[j].width = static_cast<std::uint64_t>(width);
    layers_[j].inner_less_1 = inner > 0 ? static_cast<std::uint64_t>(inner) - 1 : 0;
    below_[j] = static_cast<double>(below);
    height_[j] = static_cast<double>(height);
    below += height;
    width = inner;
  }
  return below >= 1;
}

// The smallest integer X with f(X) <= height.
long double IntegerZiggurat::width_at(long double height) const {
  if (height >= 1) return 0;
  const long double power = -std::log(height) / rate_;
  return std::ceil(shape_ == Shape::gaussian ? std::sqrt(power) : power);
}

// exp(-q) with q in extended precision: exp(-(hi + lo)) = exp(-hi) (1 - lo) up to lo^2 < 2^-86.
double IntegerZiggurat::density(std::uint64_t k) const {
  const auto x = static_cast<long double>(k);
  const long double q = (shape_ == Shape::gaussian ? x * x : x) * rate_;
  const auto hi = static_cast<double>(q);
  const auto lo = static_cast<double>(q - hi);
  return std::exp(-hi) * (1 - lo);
}

bool IntegerZiggurat::keep_in_slow_path(std::uint64_t word, std::uint64_t k, std::uint64_t low,
                                        bool is_signed, WordSource& words) const {
  const std::size_t j = word & (kLayers - 1);
  const std::uint64_t width = layers_[j].width;
  if (width == 0) return false;
  // Lemire: of the 2^55 values of `uniform`, 2^55 mod X are one too many.
  const std::uint64_t too_many = (std::uint64_t{1} << (64 - kSpareBits)) % width;
  if (low >> kSpareBits < too_many) return false;
  const bool minus = word >> kLayerBits & 1;
  if (is_signed && k == 0 && minus) return false;  // zero has one sign
  if (j + 1 < kLayers && k < layers_[j + 1].width) return true;
  return uniform_real(words) * height_[j] < density(k) - below_[j];
}

void IntegerZiggurat::fill(WordSource& words, std::span<std::int64_t> out) const {
  for (auto& k : out) k = draw(words);
}

}  // namespace sotto
