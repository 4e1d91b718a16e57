// Tries to prove the mechanisms wrong: on worst-case neighbours, is some event more likely than the
// claim allows? Probabilities are bounded by Clopper and Pearson at 1e-6. A mechanism with a fifth
// too little noise for its claim must be caught, or not having caught the others means nothing.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "sotto/privacy/gaussian.h"
#include "sotto/privacy/laplace.h"
#include "sotto/privacy/testing/goodness.h"
#include "sotto/privacy/vector.h"

namespace sotto {
namespace {

using namespace sotto::testing;

constexpr double kMuch = 1e7;

struct Claim {
  double epsilon;
  double delta;
};

// Outcomes of a release, reduced to a number that grows with the likelihood of `there` against
// `here`, so that the worst events are "above a threshold".
struct Outcomes {
  std::vector<double> here;
  std::vector<double> there;

  // A threshold at which P(there) > e^epsilon P(here) + delta, or the same of its complement, for
  // certain.
  bool refute(const Claim& claim, double threshold) const {
    const auto share = [&](const std::vector<double>& sample) {
      double hits = 0;
      for (double x : sample) hits += x > threshold;
      return hits;
    };
    const double n = double(here.size()), h = share(here), t = share(there);
    const double factor = std::exp(claim.epsilon);
    return lower_limit(t, n) > factor * upper_limit(h, n) + claim.delta ||
           lower_limit(n - h, n) > factor * upper_limit(n - t, n) + claim.delta;
  }
};

template <class Mechanism>
Outcomes one_value(const Mechanism& mechanism, double shift, std::uint64_t seed) {
  NoiseKey key = NoiseKey::insecure_from_seed(seed);
  const std::vector<double> here(std::size_t(kMuch), 0.0), there(std::size_t(kMuch), shift);
  return {mechanism.release(here, key.open_stream()), mechanism.release(there, key.open_stream())};
}

// delta(epsilon) of a mu-GDP mechanism, exactly.
double gaussian_delta(double mu, double epsilon) {
  return normal_cdf(mu / 2 - epsilon / mu) - std::exp(epsilon) * normal_cdf(-mu / 2 - epsilon / mu);
}

int gaussian_refutations(double noise, double mu) {
  const Outcomes outcomes = one_value(GaussianMechanism("x", 1, noise, std::int64_t(kMuch)), 1, 71);
  int refuted = 0;
  for (double epsilon : {0.0, 0.25, 0.5, 1.0, 2.0, 3.0}) {
    // P(there) / P(here) = exp(epsilon) at this outcome, if the noise is what is claimed.
    const double worst = epsilon / (mu * mu) + 0.5;
    for (double threshold : {worst, worst - 0.1, worst + 0.1, worst + 0.5}) {
      refuted += outcomes.refute({epsilon, gaussian_delta(mu, epsilon)}, threshold);
    }
  }
  return refuted;
}

TEST(Falsification, gaussian_claim_stands_and_a_fifth_less_noise_is_caught) {
  for (double mu : {0.5, 1.0, 2.0}) {
    // The cost of one such value; the block only draws many of them at once.
    const auto claimed = std::get<GaussianCost>(GaussianMechanism("x", 1, 1 / mu, 1).cost()).mu;
    EXPECT_NEAR(claimed, mu, 1e-8);
    EXPECT_EQ(gaussian_refutations(1 / mu, claimed), 0) << mu;
    EXPECT_GT(gaussian_refutations(0.8 / mu, claimed), 0) << mu;
  }
}

int laplace_refutations(double scale, double epsilon) {
  const Outcomes outcomes = one_value(LaplaceMechanism("x", 1, scale, std::int64_t(kMuch)), 1, 72);
  int refuted = 0;
  for (double threshold : {-2.0, -1.0, -0.1, 0.0, 0.5, 1.0, 1.1, 2.0}) {
    refuted += outcomes.refute({epsilon, 0}, threshold);
  }
  return refuted;
}

TEST(Falsification, laplace_claim_stands_and_a_fifth_less_noise_is_caught) {
  for (double epsilon : {0.3, 1.0, 2.0}) {
    const LaplaceMechanism one("x", 1, 1 / epsilon, 1);
    const double claimed = std::get<LaplaceCost>(one.cost()).epsilon;
    EXPECT_NEAR(claimed, epsilon, 1e-8);
    EXPECT_EQ(laplace_refutations(1 / epsilon, claimed), 0) << epsilon;
    EXPECT_GT(laplace_refutations(0.8 / epsilon, claimed), 0) << epsilon;
  }
}

// |y| - |y - shift|, which times beta is the privacy loss, for neighbours one apart.
std::vector<double> vector_losses(const VectorMechanism& mechanism, std::int64_t d, double shift,
                                  int releases, NoiseKey& key) {
  std::vector<double> value(d), y(d), out;
  value[0] = shift;
  for (int i = 0; i < releases; ++i) {
    mechanism.release(value, key.open_stream(), y);
    double rest = 0;
    for (std::int64_t c = 1; c < d; ++c) rest += y[c] * y[c];
    out.push_back(std::sqrt(y[0] * y[0] + rest) - std::sqrt((y[0] - 1) * (y[0] - 1) + rest));
  }
  return out;
}

int vector_refutations(std::int64_t d, double beta, double epsilon) {
  NoiseKey key = NoiseKey::insecure_from_seed(73);
  const VectorMechanism mechanism("x", 1, beta, d);
  const int releases = d == 1 ? 2000000 : 300000;
  const Outcomes outcomes = {vector_losses(mechanism, d, 0, releases, key),
                             vector_losses(mechanism, d, 1, releases, key)};
  int refuted = 0;
  for (double threshold : {-0.95, -0.5, 0.0, 0.5, 0.8, 0.9, 0.95}) {
    refuted += outcomes.refute({epsilon, 0}, threshold);
  }
  return refuted;
}

TEST(Falsification, vector_claim_stands_and_a_fifth_less_noise_is_caught) {
  for (std::int64_t d : {1, 2, 3}) {
    const double claimed = std::get<PureCost>(VectorMechanism("x", 1, 1.5, d).cost()).epsilon;
    EXPECT_NEAR(claimed, 1.5, 1e-8);
    EXPECT_EQ(vector_refutations(d, 1.5, claimed), 0) << d;
    EXPECT_GT(vector_refutations(d, 1.5 / 0.8, claimed), 0) << d;
  }
}

}  // namespace
}  // namespace sotto
