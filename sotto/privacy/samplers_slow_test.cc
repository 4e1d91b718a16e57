// Every sampler against its law on ten million draws; each test also meets a planted error of one
// per cent in scale, and must refuse it.
#include "sotto/privacy/samplers.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <atomic>
#include <cmath>

#include "sotto/privacy/exponential.h"
#include "sotto/privacy/gaussian.h"
#include "sotto/privacy/integer_ziggurat.h"
#include "sotto/privacy/laplace.h"
#include "sotto/privacy/testing/goodness.h"
#include "sotto/privacy/uniform.h"
#include "sotto/privacy/vector.h"

namespace sotto {
namespace {

using namespace sotto::testing;
using Shape = IntegerZiggurat::Shape;

constexpr std::size_t kMany = 10000000;
constexpr double kStretch = 1.01;

NoiseKey test_key() { return NoiseKey::insecure_from_seed(2026); }

template <class Draw>
std::vector<double> draws_of(Draw draw, std::size_t n = kMany) {
  NoiseKey key = test_key();
  std::vector<double> out(n);
  for_each_chunk(key.open_stream(), n, [&](WordSource& words, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) out[i] = draw(words);
  });
  return out;
}

// The third moment over 500 words, the largest that is promised.
TEST(VectorMechanism, draws_twenty_million_numbers) {
  NoiseKey key = test_key();
  const std::int64_t d = std::int64_t{500} * 501 * 502 / 6;
  const VectorMechanism mechanism("x", 1, 0.4, d);
  const std::vector<double> noise = mechanism.release(std::vector<double>(d), key.open_stream());
  long double square = 0;
  for (const double x : noise) square += x * x;
  EXPECT_NEAR(static_cast<double>(std::sqrt(square)) * 0.4 / double(d), 1,
              5 / std::sqrt(double(d)));
  EXPECT_LT(mechanism.record().precision.epsilon, 1e-6);
}

// Fits, also in Kolmogorov's distance, and does not fit when stretched.
template <class Cdf>
void expect_fit(const std::vector<double>& sample, Cdf cdf) {
  const auto stretched = [&](double x) { return cdf(kStretch * x); };
  EXPECT_GT(fit_p(sample, cdf), kAlpha);
  EXPECT_LT(fit_p(sample, stretched), kAlpha);
  EXPECT_GT(kolmogorov_p(sample, cdf), kAlpha);
  EXPECT_LT(kolmogorov_p(sample, stretched), kAlpha);
}

// The mean of |x|^power, given its true mean and that of |x|^(2 power).
void expect_moment(const std::vector<double>& sample, int power, double mean, double second) {
  const auto moment = [=](double s) {
    return [=](double x) { return std::pow(std::abs(s * x), power); };
  };
  EXPECT_GT(mean_p(sample, moment(1), mean, second - mean * mean), kAlpha) << power;
  EXPECT_LT(mean_p(sample, moment(kStretch), mean, second - mean * mean), kAlpha) << power;
}

void expect_mean_zero(const std::vector<double>& sample, double variance) {
  EXPECT_GT(mean_p(
                sample, [](double x) { return x; }, 0, variance),
            kAlpha);
}

TEST(SamplersSlow, gaussian) {
  NoiseKey key = test_key();
  std::vector<double> sample(kMany);
  fill_gaussian(key.open_stream(), 1, sample);
  expect_fit(sample, normal_cdf);
  expect_mean_zero(sample, 1);
  expect_moment(sample, 2, 1, 3);
  expect_moment(sample, 4, 3, 105);
}

TEST(SamplersSlow, gaussian_on_the_grid) {
  NoiseKey key = test_key();
  std::vector<double> sample(kMany);
  GaussianMechanism("x", 1, 1.7, kMany).release(sample, key.open_stream(), sample);
  for (double& x : sample) x /= 1.7;
  expect_fit(sample, normal_cdf);
  expect_mean_zero(sample, 1);
  expect_moment(sample, 2, 1, 3);
}

TEST(SamplersSlow, laplace) {
  NoiseKey key = test_key();
  std::vector<double> sample(kMany);
  fill_laplace(key.open_stream(), 1, sample);
  expect_fit(sample, laplace_cdf);
  expect_mean_zero(sample, 2);
  expect_moment(sample, 1, 1, 2);
  expect_moment(sample, 2, 2, 24);
}

TEST(SamplersSlow, laplace_on_the_grid) {
  NoiseKey key = test_key();
  std::vector<double> sample(kMany);
  LaplaceMechanism("x", 1, 0.3, kMany).release(sample, key.open_stream(), sample);
  for (double& x : sample) x /= 0.3;
  expect_fit(sample, laplace_cdf);
}

TEST(SamplersSlow, exponential) {
  NoiseKey key = test_key();
  std::vector<double> sample(kMany);
  fill_exponential(key.open_stream(), 1, sample);
  expect_fit(sample, exponential_cdf);
  expect_moment(sample, 1, 1, 2);
  expect_fit(draws_of(exponential_real), exponential_cdf);
}

TEST(SamplersSlow, uniform) { expect_fit(draws_of(uniform_real), uniform_cdf); }

TEST(SamplersSlow, gamma) {
  for (std::int64_t n : {1, 2, 7}) {
    const auto sample = draws_of([&](WordSource& words) { return gamma_of_half(n, words); });
    const auto quantile = [](double shape, double stretch) {
      return [=](double p) { return stretch * gamma_quantile(shape, p); };
    };
    EXPECT_GT(quantile_fit_p(sample, quantile(n / 2.0, 1)), kAlpha) << n;
    EXPECT_LT(quantile_fit_p(sample, quantile(n / 2.0, kStretch)), kAlpha) << n;
    EXPECT_LT(quantile_fit_p(sample, quantile((n + 1) / 2.0, 1)), kAlpha) << n;
  }
}

// Integers of a small scale, where the law is far from continuous.
double discrete_p(Shape shape, double scale, double claimed, bool magnitude) {
  const IntegerZiggurat law(shape, scale);
  constexpr int reach = 250;
  std::vector<double> observed(2 * reach + 1), probability(2 * reach + 1);
  double total = 0;
  for (int k = magnitude ? 0 : -reach; k <= reach; ++k) {
    const double x = std::abs(k) / claimed;
    total += probability[k + reach] = std::exp(shape == Shape::gaussian ? -x * x / 2 : -x);
  }
  for (double& p : probability) p /= total;
  const auto sample = draws_of([&](WordSource& words) {
    return double(magnitude ? law.draw_magnitude(words) : law.draw(words));
  });
  for (double k : sample) ++observed[std::clamp(int(k), -reach, reach) + reach];
  return chi_square_p(observed, probability);
}

TEST(SamplersSlow, discrete_gaussian_and_discrete_laplace) {
  for (Shape shape : {Shape::gaussian, Shape::exponential}) {
    for (bool magnitude : {false, true}) {
      for (double scale : {0.7, 4.2}) {
        EXPECT_GT(discrete_p(shape, scale, scale, magnitude), kAlpha) << scale;
        EXPECT_LT(discrete_p(shape, scale, kStretch * scale, magnitude), kAlpha) << scale;
      }
    }
  }
}

// Counts of |k| above t scales for each t, in a thousand million draws.
std::vector<double> tail_counts(Shape shape, const std::vector<double>& thresholds,
                                double stretch) {
  const IntegerZiggurat law(shape, 0x1.4cp32);
  std::vector<std::atomic<std::int64_t>> counts(thresholds.size());
  NoiseKey key = test_key();
  constexpr std::size_t n = 1000000000;
  for_each_chunk(key.open_stream(), n, [&](WordSource& words, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const double x = stretch * std::abs(double(law.draw(words))) / law.scale();
      for (std::size_t t = 0; t < thresholds.size() && x > thresholds[t]; ++t) {
        counts[t].fetch_add(1, std::memory_order_relaxed);
      }
    }
  });
  return {counts.begin(), counts.end()};
}

TEST(SamplersSlow, tails_are_right_to_six_standard_deviations) {
  const std::vector<double> thresholds = {4, 5, 5.5, 6};
  const auto counts = tail_counts(Shape::gaussian, thresholds, 1);
  const auto stretched = tail_counts(Shape::gaussian, thresholds, kStretch);
  for (std::size_t t = 0; t < thresholds.size(); ++t) {
    const double expected = 1e9 * std::erfc(thresholds[t] / std::sqrt(2.0));
    EXPECT_GT(poisson_p(counts[t], expected), kAlpha) << thresholds[t];
    if (thresholds[t] <= 5) {
      EXPECT_LT(poisson_p(stretched[t], expected), kAlpha) << thresholds[t];
    }
  }
  EXPECT_GT(counts[3], 0);
}

TEST(SamplersSlow, laplace_tails_are_right_to_twenty_scales) {
  const std::vector<double> thresholds = {8, 10, 15, 20};
  const auto counts = tail_counts(Shape::exponential, thresholds, 1);
  const auto stretched = tail_counts(Shape::exponential, thresholds, kStretch);
  for (std::size_t t = 0; t < thresholds.size(); ++t) {
    const double expected = 1e9 * std::exp(-thresholds[t]);
    EXPECT_GT(poisson_p(counts[t], expected), kAlpha) << thresholds[t];
    if (thresholds[t] <= 10) {
      EXPECT_LT(poisson_p(stretched[t], expected), kAlpha) << thresholds[t];
    }
  }
}

// Successive draws; the same place in successive chunks; chunks that different threads drew; the
// same place in successive streams. A dependence of one hundredth is seen.
TEST(SamplersSlow, draws_are_independent_across_places_chunks_threads_and_streams) {
  NoiseKey key = test_key();
  std::vector<double> a(kMany), b(kMany);
  fill_gaussian(key.open_stream(), 1, a);
  fill_gaussian(key.open_stream(), 1, b);
  const auto p_value = [&](const std::vector<double>& y, std::size_t lag, double dependence) {
    const double rest = std::sqrt(1 - dependence * dependence);
    const auto first = [&](std::size_t i) { return normal_cdf(a[i]); };
    const auto second = [&](std::size_t i) {
      return normal_cdf(dependence * a[i] + rest * y[i + lag]);
    };
    return independence_p(kMany - lag, first, second);
  };
  const std::size_t half = kMany / kChunk / 2 * kChunk;  // another thread's share
  for (std::size_t lag : {std::size_t{1}, std::size_t{2}, kChunk, half}) {
    EXPECT_GT(p_value(a, lag, 0), kAlpha) << lag;
    EXPECT_LT(p_value(a, lag, 0.01), kAlpha) << lag;
  }
  EXPECT_GT(p_value(b, 0, 0), kAlpha);
  EXPECT_LT(p_value(b, 0, 0.01), kAlpha);
}

TEST(SamplersSlow, direction_in_three_dimensions) {
  NoiseKey key = test_key();
  std::vector<double> plain(kMany), stretched(kMany);
  for (std::size_t i = 0; i < kMany; ++i) {
    std::array<double, 3> u;
    fill_direction(key.open_stream(), u);
    plain[i] = (u[0] + 1) / 2;  // Archimedes: uniform
    const double s = kStretch * u[0];
    stretched[i] = (s / std::sqrt(s * s + u[1] * u[1] + u[2] * u[2]) + 1) / 2;
  }
  EXPECT_GT(fit_p(plain, uniform_cdf), kAlpha);
  EXPECT_LT(fit_p(stretched, uniform_cdf), kAlpha);
}

// Gaps between chosen records are geometric, whatever the rate.
TEST(SamplersSlow, poisson_sample) {
  NoiseKey key = test_key();
  for (double rate : {0.003, 0.2, 0.8}) {
    const auto chosen =
        PoissonSampler(rate).sample(key.open_stream(), std::size_t(double(kMany) / rate));
    const auto p_value = [&](double claimed) {
      std::vector<double> observed(3001), probability(3001);
      for (int g = 0; g < 3000; ++g) probability[g] = claimed * std::pow(1 - claimed, g);
      probability[3000] = std::pow(1 - claimed, 3000);
      for (std::size_t i = 1; i < chosen.size(); ++i) {
        ++observed[std::min<std::size_t>(chosen[i] - chosen[i - 1] - 1, 3000)];
      }
      return chi_square_p(observed, probability);
    };
    EXPECT_GT(p_value(rate), kAlpha) << rate;
    EXPECT_LT(p_value(rate * kStretch), kAlpha) << rate;
    EXPECT_NEAR(double(chosen.size()), double(kMany), 5 * std::sqrt(double(kMany))) << rate;
  }
}

TEST(SamplersSlow, exponential_mechanism) {
  const std::vector<double> scores = {0, 1, 2, 3, -5};
  const auto p_value = [&](double epsilon) {
    NoiseKey key = test_key();
    const ExponentialMechanism mechanism("x", epsilon, 0.5, 10);
    std::vector<double> observed(5), probability(5);
    double total = 0;
    for (int i = 0; i < 5; ++i) total += probability[i] = std::exp(scores[i]);
    for (double& p : probability) p /= total;
    for (std::size_t i = 0; i < kMany; ++i)
      ++observed[mechanism.release(scores, key.open_stream())];
    return chi_square_p(observed, probability);
  };
  EXPECT_GT(p_value(1), kAlpha);
  EXPECT_LT(p_value(kStretch), kAlpha);
}

// Records at 1/4, 1/2 and 1/2 on [0, 1]: ranks 0, 1 and 3 on a quarter, a quarter and a half.
TEST(SamplersSlow, private_quantile) {
  const std::vector<double> records = {0.5, 0.25, 0.5};
  const auto p_value = [&](double epsilon) {
    NoiseKey key = test_key();
    const PrivateQuantile quantile("x", epsilon, 0.5, 0, 1, 3);
    std::vector<double> observed(3);
    std::vector<double> probability = {0.25 * std::exp(-3.0), 0.25 * std::exp(-1.0),
                                       0.5 * std::exp(-3.0)};
    const double total = probability[0] + probability[1] + probability[2];
    for (double& p : probability) p /= total;
    for (std::size_t i = 0; i < kMany; ++i) {
      const double y = quantile.release(records, key.open_stream());
      ++observed[y < 0.25 ? 0 : y < 0.5 ? 1 : 2];
    }
    return chi_square_p(observed, probability);
  };
  EXPECT_GT(p_value(4), kAlpha);
  EXPECT_LT(p_value(4 * kStretch), kAlpha);
}

// In isometric coordinates all entries are alike; multiplicities by nested loops.
TEST(SamplersSlow, symmetric_gaussian) {
  constexpr int d = 60;
  std::vector<double> root;
  for (int i = 0; i < d; ++i) {
    for (int j = i; j < d; ++j) {
      for (int k = j; k < d; ++k) {
        root.push_back(std::sqrt(i == k ? 1.0 : (i == j || j == k) ? 3.0 : 6.0));
      }
    }
  }
  NoiseKey key = test_key();
  const SymmetricGaussianMechanism mechanism("x", 1, 1, d, 3);
  const std::vector<double> zero(root.size());
  std::vector<double> all, diagonal;
  while (all.size() < kMany) {
    const auto noise = mechanism.release(zero, key.open_stream());
    for (std::size_t e = 0; e < root.size(); ++e) {
      (root[e] == 1 ? diagonal : all).push_back(noise[e] * root[e]);
    }
  }
  expect_fit(all, normal_cdf);
  EXPECT_GT(fit_p(diagonal, normal_cdf, 20), kAlpha);
}

// beta |b| for many releases.
std::vector<double> radii(std::int64_t d, int releases) {
  NoiseKey key = test_key();
  const VectorMechanism mechanism("x", 1, 0.7, d);
  const std::vector<double> zero(d);
  std::vector<double> out;
  std::vector<double> b(d);
  for (int i = 0; i < releases; ++i) {
    mechanism.release(zero, key.open_stream(), b);
    double sum = 0;
    for (double x : b) sum += x * x;
    out.push_back(0.7 * std::sqrt(sum));
  }
  return out;
}

TEST(SamplersSlow, vector_mechanism_in_dimension_1_2_100_and_100000) {
  struct Case {
    std::int64_t dimension;
    int releases;
    int bins;
    bool shape_is_seen;  // dimension - 1 for dimension
  };
  for (const Case& c : {Case{1, 10000000, 500, true}, Case{2, 1500000, 100, true},
                        Case{100, 100000, 100, true}, Case{100000, 400, 10, false}}) {
    const auto sample = radii(c.dimension, c.releases);
    const auto p_value = [&](double shape, double stretch) {
      return quantile_fit_p(
          sample, [&](double p) { return stretch * gamma_quantile(shape, p); }, c.bins);
    };
    const auto shape = double(c.dimension);
    EXPECT_GT(p_value(shape, 1), kAlpha) << c.dimension;
    EXPECT_LT(p_value(shape, kStretch), kAlpha) << c.dimension;
    EXPECT_LT(p_value(shape, 1 / kStretch), kAlpha) << c.dimension;
    if (c.shape_is_seen) {
      EXPECT_LT(p_value(shape + 1, 1), kAlpha) << c.dimension;
    }
  }
}

}  // namespace
}  // namespace sotto
