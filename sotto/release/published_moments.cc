#include "sotto/release/published_moments.h"

#include <cmath>
#include <numbers>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/privacy/checks.h"
#include "sotto/privacy/gaussian.h"
#include "sotto/privacy/vector.h"
#include "sotto/release/access.h"
#include "sotto/release/rounding.h"

namespace sotto {
namespace {

std::vector<double> unique_pairs(const Matrix& symmetric) {
  std::vector<double> packed;
  for (Index i = 0; i < symmetric.rows(); ++i) {
    for (Index j = i; j < symmetric.rows(); ++j) packed.push_back(symmetric(j, i));
  }
  return packed;
}

Matrix from_unique_pairs(std::span<const double> packed, Index v) {
  Matrix symmetric(v, v);
  auto next = packed.begin();
  for (Index i = 0; i < v; ++i) {
    for (Index j = i; j < v; ++j) symmetric(i, j) = symmetric(j, i) = *next++;
  }
  return symmetric;
}

Matrix noisy_second(const Matrix& second, Index documents, double sensitivity, double deviation,
                    PrivateRun& run) {
  std::vector<double> packed = unique_pairs(second);
  const GaussianMechanism mechanism("second moment, each unique entry", sensitivity * kSafe,
                                    deviation, static_cast<std::int64_t>(packed.size()),
                                    dense_moments_error(documents));
  run.publish(mechanism, packed, packed);
  return from_unique_pairs(packed, second.rows());
}

}  // namespace

double classical_multiplier(const PrivacyTarget& target) {
  require_epsilon(target.epsilon);
  require_delta(target.delta);
  return std::sqrt(2 * std::log(1.25 / target.delta)) / target.epsilon;
}

double esmaeili_second_sensitivity(Index documents, double alpha0) {
  const auto n = static_cast<double>(documents);
  return 2 / n + 4 * alpha0 / (alpha0 + 1) * (1 / n + 1 / (n * (n - 1)));
}

double esmaeili_third_sensitivity(Index documents, double alpha0) {
  const auto n = static_cast<double>(documents);
  const double cross = 12 * alpha0 / (alpha0 + 2) * (1 / n + 1 / (n * (n - 1)));
  const double cube = 6 * (n + 1) / (n * (n - 2)) + 18 / (n * (n - 1) * (n - 2)) + 6 / (n - 2);
  return 2 / n + cross + alpha0 * alpha0 / ((alpha0 + 1) * (alpha0 + 2)) * cube;
}

Released<Matrix> release_published_second(const Sensitive<Matrix>& second, Index documents,
                                          double sensitivity, double deviation, PrivateRun& run) {
  return ReleaseAccess::released(
      noisy_second(ReleaseAccess::view(second), documents, sensitivity, deviation, run));
}

Released<DenseMoments> release_published_moments(const Sensitive<Corpus>& corpus, MomentNoise noise,
                                                 const PublishedSetting& setting, PrivateRun& run) {
  const auto& [alpha0, target] = setting;
  const bool lda = noise == MomentNoise::esmaeili;
  SOTTO_REQUIRE(lda || alpha0 == 0, "AGN and AVN are methods for the single-topic model");
  DenseMoments moments = dense_topic_moments(ReleaseAccess::view(corpus), alpha0);
  const Index n = ReleaseAccess::view(corpus).documents();
  const double plain = std::numbers::sqrt2 / static_cast<double>(n);
  const double second = lda ? esmaeili_second_sensitivity(n, alpha0) : plain;
  const double third = (lda ? esmaeili_third_sensitivity(n, alpha0) : plain) * kSafe;
  const bool vector = noise == MomentNoise::avn;
  const PrivacyTarget half{target.epsilon / 2, vector ? target.delta : target.delta / 2};
  const double multiplier = classical_multiplier(half);

  const auto noise_second = [&] {
    moments.second = noisy_second(moments.second, n, second, second * multiplier, run);
  };
  const std::span<double> entries = moments.third.packed();
  const auto count = static_cast<std::int64_t>(entries.size());
  const char* what = "third moment, each unique entry";
  const double error = dense_moments_error(n);
  if (vector) {
    const VectorMechanism mechanism(what, third, half.epsilon / plain, count, error);
    noise_second();  // once the other release is known to be possible
    run.publish(mechanism, entries, entries);
  } else {
    const GaussianMechanism mechanism(what, third, third / kSafe * multiplier, count, error);
    noise_second();
    run.publish(mechanism, entries, entries);
  }
  return ReleaseAccess::released(std::move(moments));
}

}  // namespace sotto
