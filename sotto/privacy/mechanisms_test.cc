// Laplace, vector, exponential, quantile and subsampled Gaussian: what they add, what they charge,
// what they refuse.
#include <gtest/gtest.h>

#include <cmath>

#include "sotto/base/error.h"
#include "sotto/privacy/exponential.h"
#include "sotto/privacy/laplace.h"
#include "sotto/privacy/numbers.h"
#include "sotto/privacy/subsampled_gaussian.h"
#include "sotto/privacy/testing/goodness.h"
#include "sotto/privacy/vector.h"

namespace sotto {
namespace {

using namespace sotto::testing;

double norm(std::span<const double> x) {
  double sum = 0;
  for (double v : x) sum += v * v;
  return std::sqrt(sum);
}

template <class Mechanism>
void expect_refuses_bad_values(const Mechanism& mechanism) {
  NoiseKey key = NoiseKey::insecure_from_seed(40);
  for (double bad : {kNaN, kInfinity, -kInfinity}) {
    EXPECT_THROW(mechanism.release(std::vector<double>{0, bad, 0}, key.open_stream()), Error);
  }
  EXPECT_THROW(mechanism.release(std::vector<double>{0, 0}, key.open_stream()), Error);
}

TEST(LaplaceMechanism, noise_fits_and_a_tenth_too_much_does_not) {
  NoiseKey key = NoiseKey::insecure_from_seed(41);
  const LaplaceMechanism mechanism("x", 1, 1.7, 200000);
  const auto noise = mechanism.release(std::vector<double>(200000), key.open_stream());
  EXPECT_GT(fit_p(noise, [](double x) { return laplace_cdf(x / 1.7); }), kAlpha);
  EXPECT_LT(fit_p(noise, [](double x) { return laplace_cdf(x / 1.87); }), kAlpha);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(std::fmod(noise[i], mechanism.grid_step()), 0);
}

TEST(LaplaceMechanism, one_value_is_laplace_and_a_block_is_pure) {
  const LaplaceMechanism one("x", 1, 4, 1), block("x", 1, 4, 1000, 0.5);
  EXPECT_GE(std::get<LaplaceCost>(one.cost()).epsilon, (1 + one.grid_step()) / 4);
  EXPECT_NEAR(std::get<LaplaceCost>(one.cost()).epsilon, 0.25, 1e-9);
  EXPECT_GE(std::get<PureCost>(block.cost()).epsilon, (2 + 1000 * block.grid_step()) / 4);
  EXPECT_NEAR(std::get<PureCost>(block.cost()).epsilon, 0.5, 1e-6);
  EXPECT_LT(one.record().precision.epsilon, 1e-9);
  EXPECT_LT(block.record().precision.delta, 1e-290);
}

TEST(LaplaceMechanism, refuses_bad_values_and_parameters) {
  expect_refuses_bad_values(LaplaceMechanism("x", 1, 1, 3));
  for (double bad : {0.0, -1.0, kNaN, kInfinity}) {
    EXPECT_THROW(LaplaceMechanism("x", bad, 1, 1), Error);
    EXPECT_THROW(LaplaceMechanism("x", 1, bad, 1), Error);
  }
}

std::vector<double> radii(std::int64_t d, double beta, int releases) {
  NoiseKey key = NoiseKey::insecure_from_seed(42);
  const VectorMechanism mechanism("x", 1, beta, d);
  const std::vector<double> zero(d);
  std::vector<double> out;
  for (int i = 0; i < releases; ++i) {
    out.push_back(beta * norm(mechanism.release(zero, key.open_stream())));
  }
  return out;
}

TEST(VectorMechanism, radius_is_gamma_of_the_dimension) {
  for (std::int64_t d : {1, 2, 5, 30}) {
    const auto sample = radii(d, 0.4, 10000);
    const auto claim = [](double shape, double stretch) {
      return [=](double r) { return gamma_cdf(shape, r * stretch); };
    };
    const double shape = double(d);
    EXPECT_GT(fit_p(sample, claim(shape, 1), 50), kAlpha) << d;
    EXPECT_LT(fit_p(sample, claim(shape, 1.1), 50), kAlpha) << d;
    EXPECT_LT(fit_p(sample, claim(shape + 1, 1), 50), kAlpha) << d;
  }
}

TEST(VectorMechanism, direction_is_uniform_and_independent_of_the_radius) {
  NoiseKey key = NoiseKey::insecure_from_seed(43);
  const VectorMechanism mechanism("x", 1, 1, 3);
  std::vector<double> height, size;
  for (int i = 0; i < 20000; ++i) {
    const auto b = mechanism.release(std::vector<double>(3), key.open_stream());
    height.push_back((b[i % 3] / norm(b) + 1) / 2);
    size.push_back(gamma_cdf(3, norm(b)));
  }
  EXPECT_GT(fit_p(height, uniform_cdf, 50), kAlpha);
  const auto at = [](const auto& v) { return [&](std::size_t i) { return v[i]; }; };
  EXPECT_GT(independence_p(height.size(), at(height), at(size), 8), kAlpha);
}

TEST(VectorMechanism, charges_beta_times_the_sensitivity) {
  for (std::int64_t d : {1, 2, 100, 100000, 2000000}) {
    const VectorMechanism mechanism("x", 2, 0.3, d);
    const double epsilon = std::get<PureCost>(mechanism.cost()).epsilon;
    EXPECT_GE(epsilon, 0.3 * (2 + mechanism.grid_step() * std::sqrt(double(d))));
    EXPECT_NEAR(epsilon, 0.6, 1e-6);
    EXPECT_LT(mechanism.record().precision.epsilon, 1e-7);
    EXPECT_LT(mechanism.record().precision.delta, 1e-290);
  }
}

// The third moment over 186 words: b sqrt(2 G) steps would leave the sampler's range on a grid that
// becomes finer with the dimension. The radius is Gamma(d), so |b| beta / d is 1 up to 1/sqrt(d).
TEST(VectorMechanism, draws_a_million_numbers_and_more) {
  const std::int64_t d = 186 * 187 * 188 / 6;
  EXPECT_NEAR(radii(d, 0.4, 1)[0] / double(d), 1, 5 / std::sqrt(double(d)));
  const VectorMechanism mechanism("x", 2, 0.3, d);
  EXPECT_GE(mechanism.grid_step() * 0x1p36 * 0.3, 1);  // coarser than for few numbers
  EXPECT_LT(mechanism.grid_step() * 0x1p36 * 0.3, std::sqrt(double(d)) / 0x1p9);
}

TEST(VectorMechanism, lands_on_the_grid) {
  NoiseKey key = NoiseKey::insecure_from_seed(44);
  const VectorMechanism mechanism("x", 1, 3, 300);
  for (double y : mechanism.release(std::vector<double>(300, 0.1), key.open_stream())) {
    EXPECT_EQ(std::fmod(y, mechanism.grid_step()), 0);
  }
}

TEST(VectorMechanism, refuses_bad_values_and_parameters) {
  expect_refuses_bad_values(VectorMechanism("x", 1, 1, 3));
  for (double bad : {0.0, -1.0, kNaN, kInfinity}) {
    EXPECT_THROW(VectorMechanism("x", bad, 1, 1), Error);
    EXPECT_THROW(VectorMechanism("x", 1, bad, 1), Error);
  }
  EXPECT_THROW(VectorMechanism("x", 1, 1, 0), Error);
}

TEST(ExponentialMechanism, selects_with_the_stated_probabilities) {
  const std::vector<double> scores = {0, 1, 2, 3, -5};
  const auto p_value = [&](double epsilon) {
    NoiseKey key = NoiseKey::insecure_from_seed(45);
    const ExponentialMechanism mechanism("x", epsilon, 0.5, 10);
    std::vector<double> observed(5), probability(5);
    double total = 0;
    for (int i = 0; i < 5; ++i) total += probability[i] = std::exp(scores[i]);  // epsilon 1
    for (double& p : probability) p /= total;
    for (int i = 0; i < 100000; ++i) ++observed[mechanism.release(scores, key.open_stream())];
    return chi_square_p(observed, probability);
  };
  EXPECT_GT(p_value(1), kAlpha);
  EXPECT_LT(p_value(1.1), kAlpha);
}

TEST(ExponentialMechanism, holds_scores_within_their_public_bound) {
  NoiseKey key = NoiseKey::insecure_from_seed(46);
  const ExponentialMechanism mechanism("x", 1, 1, 1);
  int second = 0;
  for (int i = 0; i < 1000; ++i) {
    second += mechanism.release(std::vector<double>{1e9, -1e9}, key.open_stream()) == 1;
  }
  EXPECT_GT(second, 200);  // 1 / (1 + e) = 27%
}

TEST(ExponentialMechanism, refuses_bad_scores_and_parameters) {
  NoiseKey key = NoiseKey::insecure_from_seed(47);
  const ExponentialMechanism mechanism("x", 1, 1, 1);
  EXPECT_THROW(mechanism.release(std::vector<double>{}, key.open_stream()), Error);
  EXPECT_THROW(mechanism.release(std::vector<double>{0, kNaN}, key.open_stream()), Error);
  EXPECT_THROW(ExponentialMechanism("x", 0, 1, 1), Error);
  EXPECT_THROW(ExponentialMechanism("x", 1, kNaN, 1), Error);
  EXPECT_THROW(ExponentialMechanism("x", 1, 1, kInfinity), Error);
}

TEST(PrivateQuantile, comes_close_when_there_are_many_records) {
  NoiseKey key = NoiseKey::insecure_from_seed(48);
  std::vector<double> values(10001);
  for (int i = 0; i <= 10000; ++i) values[i] = (i * 7919 % 10001) / 1000.0;
  for (double q : {0.1, 0.5, 0.9}) {
    const PrivateQuantile quantile("x", 1, q, -100, 100, 10001);
    EXPECT_NEAR(quantile.release(values, key.open_stream()), 10 * q, 0.06) << q;
  }
  EXPECT_EQ(std::get<PureCost>(PrivateQuantile("x", 1, 0.5, 0, 1, 5).cost()).epsilon, kRoundUp);
}

// Three records at 1/4, 1/2, 1/2 on [0, 1]: ranks 0, 1, 3 on quarters, quarter and half.
TEST(PrivateQuantile, has_the_law_of_the_exponential_mechanism) {
  NoiseKey key = NoiseKey::insecure_from_seed(49);
  const PrivateQuantile quantile("x", 2, 0.5, 0, 1, 3);
  std::vector<double> observed(3),
      probability = {0.25 * std::exp(-1.5), 0.25 * std::exp(-0.5), 0.5 * std::exp(-1.5)};
  double total = 0;
  for (double p : probability) total += p;
  for (double& p : probability) p /= total;
  std::vector<double> inside;
  for (int i = 0; i < 50000; ++i) {
    const double y = quantile.release(std::vector<double>{0.5, 0.25, 0.5}, key.open_stream());
    ++observed[y < 0.25 ? 0 : y < 0.5 ? 1 : 2];
    if (y >= 0.25 && y < 0.5) inside.push_back(4 * y - 1);
  }
  EXPECT_GT(chi_square_p(observed, probability), kAlpha);
  EXPECT_GT(fit_p(inside, uniform_cdf, 50), kAlpha);
}

TEST(PrivateQuantile, stays_within_the_public_bounds_and_refuses_bad_input) {
  NoiseKey key = NoiseKey::insecure_from_seed(50);
  const PrivateQuantile quantile("x", 1, 1, -1, 2, 2);
  for (int i = 0; i < 1000; ++i) {
    const double y = quantile.release(std::vector<double>{1e300, -1e300}, key.open_stream());
    ASSERT_GE(y, -1);
    ASSERT_LE(y, 2);
  }
  EXPECT_THROW(quantile.release(std::vector<double>{0, kNaN}, key.open_stream()), Error);
  EXPECT_THROW(quantile.release(std::vector<double>{0}, key.open_stream()), Error);
  EXPECT_THROW(PrivateQuantile("x", 1, 1.1, 0, 1, 2), Error);
  EXPECT_THROW(PrivateQuantile("x", 1, 0.5, 1, 1, 2), Error);
  EXPECT_THROW(PrivateQuantile("x", 1, 0.5, -1e308, 1e308, 2), Error);
}

// What a certificate checks: sensitivity over noise is what was charged.
TEST(PureMechanisms, records_show_what_they_charge) {
  for (const ReleaseRecord& record :
       {VectorMechanism("x", 2, 0.3, 50).record(), LaplaceMechanism("x", 2, 0.3, 50).record(),
        ExponentialMechanism("x", 0.7, 3, 10).record(),
        PrivateQuantile("x", 0.7, 0.5, 0, 1, 100).record()}) {
    const double epsilon = std::get<PureCost>(record.cost).epsilon;
    EXPECT_NEAR(record.sensitivity / record.noise / epsilon, 1, 1e-13) << record.mechanism;
  }
}

TEST(PureMechanisms, refuse_an_epsilon_beyond_600_before_anything_is_drawn) {
  EXPECT_NO_THROW(LaplaceMechanism("x", 1, 1 / 599.0, 1));
  EXPECT_NO_THROW(VectorMechanism("x", 1, 599, 3));
  EXPECT_NO_THROW(ExponentialMechanism("x", 600, 1, 1));
  EXPECT_NO_THROW(PrivateQuantile("x", 600, 0.5, 0, 1, 2));
  EXPECT_THROW(LaplaceMechanism("x", 1, 1 / 601.0, 1), Error);
  EXPECT_THROW(VectorMechanism("x", 1, 601, 3), Error);
  EXPECT_THROW(ExponentialMechanism("x", 601, 1, 1), Error);
  EXPECT_THROW(PrivateQuantile("x", 601, 0.5, 0, 1, 2), Error);
}

// A scale may be drawn, or come from data: what is refused is not quoted.
TEST(Mechanisms, messages_show_no_scale) {
  const auto message = [](auto make) -> std::string {
    try {
      make();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  for (const std::string& text :
       {message([] { IntegerZiggurat(IntegerZiggurat::Shape::gaussian, 0x1.2345p50); }),
        message([] { Grid::under(1.2345e300); }),
        message([] { GaussianMechanism("x", -1.2345, 1, 1); }),
        message([] { GaussianMechanism("x", 1, 1, 1, -1.2345); })}) {
    EXPECT_NE(text, "no error");
    EXPECT_EQ(text.find("2345"), std::string::npos) << text;
    EXPECT_EQ(text.find("1281"), std::string::npos) << text;  // 0x1.2345p50 in decimal
  }
}

TEST(SubsampledGaussianMechanism, states_multiplier_and_rate_on_the_safe_side) {
  const SubsampledGaussianMechanism mechanism(GaussianMechanism("gradient", 0.5, 1, 100), 0.01,
                                              1000);
  const auto cost = std::get<SubsampledGaussianCost>(mechanism.cost());
  EXPECT_LE(cost.noise_multiplier, 2);
  EXPECT_NEAR(cost.noise_multiplier, 2, 1e-7);
  EXPECT_GE(cost.sampling_rate, 0.01);
  EXPECT_NEAR(cost.sampling_rate, 0.01, 1e-12);
  EXPECT_GT(mechanism.record().precision.epsilon,
            GaussianMechanism("gradient", 0.5, 1, 100).record().precision.epsilon);
  NoiseKey key = NoiseKey::insecure_from_seed(51);
  const auto chosen = mechanism.sample(1000, key.open_stream());
  EXPECT_NEAR(double(chosen.size()), 10, 15);
  EXPECT_THROW(mechanism.sample(1001, key.open_stream()), Error);
  std::vector<double> sum(100);
  sum = mechanism.release(std::move(sum), key.open_stream());
  EXPECT_NE(norm(sum), 0);
}

TEST(SubsampledGaussianMechanism, refuses_absurd_rates) {
  for (double rate : {0.0, -0.5, 1.01, kNaN}) {
    EXPECT_THROW(SubsampledGaussianMechanism(GaussianMechanism("g", 1, 1, 1), rate, 10), Error);
  }
}

}  // namespace
}  // namespace sotto
