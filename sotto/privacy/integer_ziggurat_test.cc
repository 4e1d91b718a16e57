#include "sotto/privacy/integer_ziggurat.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/privacy/testing/goodness.h"

namespace sotto {

// Adds up, layer by layer, the weight that the tables give to k, in extended precision.
struct ZigguratLaw {
  const IntegerZiggurat& z;

  long double weight(std::uint64_t k) const {
    long double sum = 0;
    for (int j = 0; j < IntegerZiggurat::kLayers; ++j) {
      const std::uint64_t width = z.layers_[j].width;
      if (k >= width) continue;
      const std::uint64_t inner = j + 1 < IntegerZiggurat::kLayers ? z.layers_[j + 1].width : 0;
      const auto above = static_cast<long double>(z.density(k)) - z.below_[j];
      const long double keep = k < inner ? 1 : std::clamp(above / z.height_[j], 0.0L, 1.0L);
      sum += keep / width;
    }
    return sum;
  }

  // The largest error of weight(k) / weight(0) relative to the law of the given scale.
  double worst_error(std::span<const std::uint64_t> ks, long double scale) const {
    long double worst = 0;
    for (std::uint64_t k : ks) {
      const long double x = k / scale;
      const bool gaussian = z.shape_ == IntegerZiggurat::Shape::gaussian;
      const long double target = std::exp(gaussian ? -x * x / 2 : -x);
      worst = std::max(worst, std::abs(weight(k) / weight(0) / target - 1));
    }
    return static_cast<double>(worst);
  }

  std::uint64_t reach() const { return z.layers_[0].width; }
  std::uint64_t width(int j) const { return z.layers_[j].width; }

  // Share of the proposals that are kept.
  double efficiency() const {
    double kept = 0;
    for (std::uint64_t k = 0; k < reach(); ++k) kept += static_cast<double>(weight(k));
    return kept / IntegerZiggurat::kLayers;
  }
};

namespace {

using Shape = IntegerZiggurat::Shape;

// Where the law could go wrong: at the edges of layers, and somewhere inside each.
std::vector<std::uint64_t> critical_points(const ZigguratLaw& law) {
  std::vector<std::uint64_t> ks;
  for (int j = 0; j < 256; ++j) {
    const std::uint64_t w = law.width(j);
    for (std::uint64_t k : {w - 2, w - 1, w, w + 1, w - w / 3, w / 2}) {
      if (k < law.reach()) ks.push_back(k);
    }
  }
  return ks;
}

TEST(IntegerZiggurat, tables_imply_the_law_within_the_stated_error) {
  for (Shape shape : {Shape::gaussian, Shape::exponential}) {
    for (double scale :
         {0.001, 0.3, 1.0, 1.44, 3.3, 17.0, 1000.0, 0x1.8p20, 0x1p32, 0x1.9p32, 0x1p40, 0x1.7p43}) {
      const IntegerZiggurat z(shape, scale);
      const ZigguratLaw law{z};
      EXPECT_LE(law.worst_error(critical_points(law), scale), IntegerZiggurat::kRelativeError)
          << scale;
      EXPECT_GE(law.reach(), (shape == Shape::gaussian ? 37.5 : 700) * scale);
    }
  }
}

TEST(IntegerZiggurat, check_of_the_tables_sees_an_error_of_2_to_the_minus_46) {
  const IntegerZiggurat z(Shape::gaussian, 0x1.9p32);
  const ZigguratLaw law{z};
  EXPECT_GT(law.worst_error(critical_points(law), 0x1.9p32L * (1 + 0x1p-46L)),
            IntegerZiggurat::kRelativeError);
}

TEST(IntegerZiggurat, keeps_most_proposals) {
  EXPECT_GT(ZigguratLaw{IntegerZiggurat(Shape::gaussian, 2000)}.efficiency(), 0.97);
  EXPECT_GT(ZigguratLaw{IntegerZiggurat(Shape::exponential, 2000)}.efficiency(), 0.97);
  for (double scale : {0.01, 0.3, 1.0, 5.0}) {
    EXPECT_GT(ZigguratLaw{IntegerZiggurat(Shape::gaussian, scale)}.efficiency(), 0.6) << scale;
    EXPECT_GT(ZigguratLaw{IntegerZiggurat(Shape::exponential, scale)}.efficiency(), 0.25) << scale;
  }
}

// p-value of `draws` integers against P(k) ~ f(|k|) on -30..30, or on 0..60 for magnitudes.
double discrete_p(Shape shape, double scale, double claimed, bool magnitude, int draws) {
  const IntegerZiggurat z(shape, scale);
  NoiseKey key = NoiseKey::insecure_from_seed(11);
  const NoiseStream stream = key.open_stream();
  WordSource words(stream, 0);
  const int lowest = magnitude ? 0 : -60;
  std::vector<double> observed(121 + 1), probability(121 + 1);
  double total = 0;
  for (int i = 0; i <= 120; ++i) {
    const double x = std::abs(i + lowest) / claimed;
    total += probability[i] = std::exp(shape == Shape::gaussian ? -x * x / 2 : -x);
  }
  for (double& p : probability) p /= total;
  for (int i = 0; i < draws; ++i) {
    const std::int64_t k = magnitude ? z.draw_magnitude(words) : z.draw(words);
    ++observed[std::clamp<std::int64_t>(k - lowest, 0, 121)];
  }
  return testing::chi_square_p(observed, probability);
}

TEST(IntegerZiggurat, small_discrete_laws_fit_and_a_wrong_scale_does_not) {
  for (bool magnitude : {false, true}) {
    for (double scale : {0.4, 1.0, 2.9}) {
      EXPECT_GT(discrete_p(Shape::gaussian, scale, scale, magnitude, 200000), testing::kAlpha);
      EXPECT_LT(discrete_p(Shape::gaussian, scale, 1.1 * scale, magnitude, 200000),
                testing::kAlpha);
      EXPECT_GT(discrete_p(Shape::exponential, scale, scale, magnitude, 200000), testing::kAlpha);
      EXPECT_LT(discrete_p(Shape::exponential, scale, 1.1 * scale, magnitude, 200000),
                testing::kAlpha);
    }
  }
}

TEST(IntegerZiggurat, low_order_bits_are_uniform_on_a_fine_grid) {
  const IntegerZiggurat z(Shape::gaussian, 0x1.9p32);
  NoiseKey key = NoiseKey::insecure_from_seed(12);
  const NoiseStream stream = key.open_stream();
  WordSource words(stream, 0);
  std::vector<double> observed(256), probability(256, 1.0 / 256);
  for (int i = 0; i < 500000; ++i) ++observed[z.draw(words) & 255];
  EXPECT_GT(testing::chi_square_p(observed, probability), testing::kAlpha);
}

TEST(IntegerZiggurat, refuses_scales_it_cannot_hold) {
  for (double scale : {0.0, -1.0, 1e-4, 0x1p48, std::numeric_limits<double>::quiet_NaN(),
                       std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(IntegerZiggurat(Shape::gaussian, scale), Error);
    EXPECT_THROW(IntegerZiggurat(Shape::exponential, scale), Error);
  }
}

}  // namespace
}  // namespace sotto
