#include "sotto/privacy/samplers.h"

#include <cmath>
#include <numbers>
#include <numeric>

#include "sotto/base/error.h"
#include "sotto/privacy/uniform.h"

namespace sotto {
namespace {

using Shape = IntegerZiggurat::Shape;

constexpr double kStepsOfScale = 0x1p40;  // integer steps in one scale

const IntegerZiggurat& unit(Shape shape) {
  static const IntegerZiggurat gaussian(Shape::gaussian, kStepsOfScale);
  static const IntegerZiggurat exponential(Shape::exponential, kStepsOfScale);
  return shape == Shape::gaussian ? gaussian : exponential;
}

template <class Draw>
void fill_scaled(const NoiseStream& stream, double scale, std::span<double> out, Draw draw) {
  SOTTO_REQUIRE(scale > 0 && std::isfinite(scale), "the noise scale must be positive, got {}",
                scale);
  const double step = scale / kStepsOfScale;
  for_each_chunk(stream, out.size(), [&](WordSource& words, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) out[i] = step * static_cast<double>(draw(words));
  });
}

}  // namespace

void fill_gaussian(const NoiseStream& stream, double standard_deviation, std::span<double> out) {
  const auto& law = unit(Shape::gaussian);
  fill_scaled(stream, standard_deviation, out, [&](WordSource& words) { return law.draw(words); });
}

void fill_laplace(const NoiseStream& stream, double scale, std::span<double> out) {
  const auto& law = unit(Shape::exponential);
  fill_scaled(stream, scale, out, [&](WordSource& words) { return law.draw(words); });
}

void fill_exponential(const NoiseStream& stream, double mean, std::span<double> out) {
  const auto& law = unit(Shape::exponential);
  fill_scaled(stream, mean, out, [&](WordSource& words) { return law.draw_magnitude(words); });
}

void fill_direction(const NoiseStream& stream, std::span<double> out) {
  SOTTO_REQUIRE(!out.empty(), "a direction needs at least one dimension");
  fill_gaussian(stream, 1, out);
  const double norm = std::sqrt(std::inner_product(out.begin(), out.end(), out.begin(), 0.0));
  if (norm == 0) {  // only in one dimension with any real probability: 2^-41
    out[0] = 1;
    return;
  }
  for (double& x : out) x /= norm;
}

double gamma_of_half(std::int64_t n, WordSource& words) {
  SOTTO_REQUIRE(n >= 1, "a gamma variable needs a positive shape, got {} / 2", n);
  // Kahan's sum: its relative error is 2^-63 for any n that can be drawn.
  long double sum = 0, low = 0;
  const auto add = [&](long double x) {
    const long double term = x - low, next = sum + term;
    low = (next - sum) - term;
    sum = next;
  };
  for (std::int64_t i = 0; i < n / 2; ++i) add(exponential_real(words));
  if (n % 2 == 1) {
    const double sine = std::sin(std::numbers::pi / 2 * uniform_real(words));
    add(exponential_real(words) * sine * sine);
  }
  return static_cast<double>(sum);
}

PoissonSampler::PoissonSampler(double rate) {
  SOTTO_REQUIRE(rate >= 1e-13 && rate <= 1, "the sampling rate must lie in [1e-13, 1], got {}",
                rate);
  // P(gap = k) = rate (1 - rate)^k = rate exp(-k / scale).
  if (rate < 1) gap_.emplace(Shape::exponential, -1 / std::log1p(-rate));
}

std::vector<std::size_t> PoissonSampler::sample(const NoiseStream& stream,
                                                std::size_t count) const {
  SOTTO_REQUIRE(count <= std::size_t{1} << 62, "there are too many records to sample from");
  stream.check();
  std::vector<std::size_t> chosen;
  if (!gap_) {
    chosen.resize(count);
    std::iota(chosen.begin(), chosen.end(), std::size_t{0});
    return chosen;
  }
  WordSource words(stream, 0);
  for (std::size_t i = gap_->draw_magnitude(words); i < count;
       i += 1 + gap_->draw_magnitude(words)) {
    chosen.push_back(i);
  }
  return chosen;
}

}  // namespace sotto
