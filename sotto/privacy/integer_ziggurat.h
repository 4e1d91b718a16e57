// Exact integers with a Gaussian or exponential law, by a ziggurat (Marsaglia & Tsang 2000) whose
// layers are integer boxes.
//
// Target: P(k) proportional to f(k), f(k) = exp(-k^2 / 2 s^2) or exp(-k / s), for |k| < reach.
// Layer i is a box of width X_i (an integer, X_0 = reach) and height h_i = v / X_i; F_j is the sum
// of the heights below layer j, and X_j the smallest integer with f(X_j) <= F_j. Propose a layer
// uniformly, then k uniformly in 0..X_i-1 (exactly, by Lemire's multiplication). In layer j keep k
// at once if k < X_{j+1}, else with probability (f(k) - F_j) / h_j. Then
//   P(k) ~ sum_{i<j} 1/X_i + (f(k) - F_j) / (h_j X_j) = F_j / v + (f(k) - F_j) / v = f(k) / v
// for k in [X_{j+1}, X_j), whatever s and v are, as long as F_N >= 1. There is no separate tail:
// the lowest layer spans the whole reach. Only the edge test (about one draw in a hundred) is not
// integer arithmetic; integer_ziggurat.md bounds its relative error by kRelativeError.
//
// Cost: one 64-bit word, one multiplication and one branch for 98% of the draws.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sotto/privacy/secure_stream.h"
#include "sotto/privacy/uniform.h"

namespace sotto {

class IntegerZiggurat {
 public:
  enum class Shape { gaussian, exponential };

  // The probability of every k within reach is within a factor 1 +- kRelativeError of the target.
  static constexpr double kRelativeError = 0x1p-48;

  // Reach in units of the scale; f is still a normal number there.
  static constexpr double kGaussianReach = 37.5;
  static constexpr double kExponentialReach = 700;

  // `scale` is s above, counted in integer steps: 2^-10 to 2^47 (Gaussian) or 2^44 (exponential).
  IntegerZiggurat(Shape shape, double scale);

  // k = ..., -1, 0, 1, ... with P(k) ~ f(|k|): the discrete Gaussian, the discrete Laplace.
  std::int64_t draw(WordSource& words) const { return draw_as<true>(words); }
  void fill(WordSource& words, std::span<std::int64_t> out) const;

  // k = 0, 1, ... with P(k) ~ f(k): half Gaussian, geometric.
  std::int64_t draw_magnitude(WordSource& words) const { return draw_as<false>(words); }

  double scale() const { return scale_; }

 private:
  friend struct ZigguratLaw;  // the test that adds up the law these tables imply
  static constexpr int kLayers = 256;
  static constexpr int kLayerBits = 8;
  static constexpr int kSpareBits = kLayerBits + 1;  // of a word: layer and sign; 55 remain for k

  struct Layer {
    std::uint64_t width;         // X_j
    std::uint64_t inner_less_1;  // X_{j+1} - 1, or 0 when there is no inner part
  };

  template <bool is_signed>
  std::int64_t draw_as(WordSource& words) const;
  bool keep_in_slow_path(std::uint64_t word, std::uint64_t k, std::uint64_t low, bool is_signed,
                         WordSource& words) const;
  bool build(long double v);
  long double width_at(long double height) const;
  double density(std::uint64_t k) const;

  Shape shape_;
  double scale_;
  long double rate_;  // 1 / 2 s^2 or 1 / s
  std::array<Layer, kLayers> layers_{};
  std::array<double, kLayers> below_{};   // F_j
  std::array<double, kLayers> height_{};  // h_j
};

template <bool is_signed>
inline std::int64_t IntegerZiggurat::draw_as(WordSource& words) const {
  for (;;) {
    const std::uint64_t word = words();
    const Layer& layer = layers_[word & (kLayers - 1)];
    const std::uint64_t uniform = word >> kSpareBits << kSpareBits;
    const auto product = static_cast<Uint128>(uniform) * layer.width;
    const auto k = static_cast<std::uint64_t>(product >> 64);
    const auto low = static_cast<std::uint64_t>(product);
    // k = 0 fails the first comparison (it wraps around), and so gets its sign looked at.
    const bool fast = (k - 1 < layer.inner_less_1) & (low >= layer.width << kSpareBits);
    if (fast || keep_in_slow_path(word, k, low, is_signed, words)) {
      if (!is_signed) return static_cast<std::int64_t>(k);
      const std::uint64_t minus = -(word >> kLayerBits & 1);
      return static_cast<std::int64_t>((k ^ minus) - minus);
    }
  }
}

}  // namespace sotto
