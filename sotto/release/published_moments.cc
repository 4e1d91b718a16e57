#include "sotto/release/published_moments.h"

#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/privacy/checks.h"
#include "sotto/privacy/vector.h"
#include "sotto/release/access.h"
#include "sotto/release/packed_matrix.h"
#include "sotto/release/rounding.h"

namespace sotto {
namespace {

Matrix noisy_second(const Matrix& second, const GaussianMechanism& mechanism, PrivateRun& run) {
  PackedMatrix unique(second.rows(), [&](Index i, Index j) { return second(j, i); });
  return run.publish(mechanism, std::move(unique)).value().value.full();
}

// Both releases, from public numbers. `third` is one of the two kinds.
struct MomentMechanisms {
  GaussianMechanism second;
  std::optional<GaussianMechanism> third;
  std::optional<VectorMechanism> vector_third;

  const BlockMechanism& third_mechanism() const {
    if (third) return *third;
    return *vector_third;
  }
};

MomentMechanisms mechanisms_of(const PublicCorpusShape& shape, MomentNoise noise,
                               const PublishedSetting& setting) {
  require_dense_moments(shape.documents, shape.words);
  const auto& [alpha0, target] = setting;
  const bool lda = noise == MomentNoise::esmaeili;
  SOTTO_REQUIRE(lda || alpha0 == 0, "AGN and AVN are methods for the single-topic model");
  const Index n = shape.documents;
  const double plain = std::numbers::sqrt2 / static_cast<double>(n);
  const double second = lda ? esmaeili_second_sensitivity(n, alpha0) : plain;
  const double third = (lda ? esmaeili_third_sensitivity(n, alpha0) : plain) * kSafe;
  const bool vector = noise == MomentNoise::avn;
  const PrivacyTarget half{target.epsilon / 2, vector ? target.delta : target.delta / 2};
  const double multiplier = classical_multiplier(half);
  const std::int64_t count = shape.words * (shape.words + 1) * (shape.words + 2) / 6;
  const char* what = "third moment, each unique entry";
  const double error = dense_moments_error(n);

  MomentMechanisms both{published_second(shape, second, second * multiplier), {}, {}};
  if (vector) {
    both.vector_third.emplace(what, third, half.epsilon / plain, count, error);
  } else {
    both.third.emplace(what, third, third / kSafe * multiplier, count, error);
  }
  return both;
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

GaussianMechanism published_second(const PublicCorpusShape& shape, double sensitivity,
                                   double deviation) {
  return GaussianMechanism("second moment, each unique entry", sensitivity * kSafe, deviation,
                           shape.words * (shape.words + 1) / 2,
                           dense_moments_error(shape.documents));
}

Released<Matrix> release_published_second(const Sensitive<Matrix>& second,
                                          const GaussianMechanism& mechanism, PrivateRun& run) {
  return ReleaseAccess::released(noisy_second(ReleaseAccess::view(second), mechanism, run));
}

std::vector<PlannedRelease> plan_published_moments(const PublicCorpusShape& shape,
                                                   MomentNoise noise,
                                                   const PublishedSetting& setting) {
  const MomentMechanisms both = mechanisms_of(shape, noise, setting);
  return {planned(both.second.record(), 0.5), planned(both.third_mechanism().record(), 0.5)};
}

Released<DenseMoments> release_published_moments(const Sensitive<Corpus>& corpus, MomentNoise noise,
                                                 const PublishedSetting& setting, PrivateRun& run) {
  const Corpus& view = ReleaseAccess::view(corpus);
  const MomentMechanisms both =
      mechanisms_of({view.documents(), view.vocabulary_size}, noise, setting);
  DenseMoments moments = dense_topic_moments(view, setting.alpha0);
  moments.second = noisy_second(moments.second, both.second, run);
  moments.third = run.publish(both.third_mechanism(), std::move(moments.third)).value().value;
  return ReleaseAccess::released(std::move(moments));
}

}  // namespace sotto
