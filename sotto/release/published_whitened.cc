#include "sotto/release/published_whitened.h"

#include <fmt/format.h>

#include <cmath>

#include "sotto/base/error.h"
#include "sotto/linalg/spectral.h"
#include "sotto/privacy/gaussian.h"
#include "sotto/release/access.h"
#include "sotto/release/private_power.h"
#include "sotto/tensor/contraction.h"

namespace sotto {
namespace {

// What the releases are called in plans and certificates.
constexpr const char* kTensorRelease = "whitened third moment, each unique entry";
constexpr const char* kVectorsRelease = "eigenvectors of the whitened third moment";
constexpr const char* kValuesRelease = "eigenvalues of the whitened third moment";
constexpr const char* kTopicsRelease = "topics";
constexpr const char* kWeightsRelease = "weights of the topics";
constexpr const char* kWhiteningRelease = "whitening matrix and its inverse";

// The exact values and the public numbers that all configurations share.
struct Whitened {
  Index documents;
  double alpha0;
  Matrix second;
  SingularWhitening whitening;
  SymmetricTensor tensor;  // T

  Whitened(const Corpus& corpus, double a0, Index k)
      : Whitened(corpus.documents(), a0, k, dense_topic_moments(corpus, a0)) {}
  Whitened(Index n, double a0, Index k, DenseMoments moments)
      : documents(n),
        alpha0(a0),
        second(std::move(moments.second)),
        whitening(singular_whitening(second, k)),
        tensor(transform(moments.third, whitening.whiten)) {}

  Index k() const { return tensor.dim(); }
  PublicCorpusShape shape() const { return {documents, second.rows()}; }
  double second_sensitivity() const { return esmaeili_second_sensitivity(documents, alpha0); }
  double tensor_sensitivity() const {
    return esmaeili_tensor_sensitivity(documents, alpha0, whitening.singular);
  }
};

// The eigenpairs of T with what the theorems say of them.
struct Components {
  Vector lambda;
  Matrix vectors;
  double gap;          // gamma_s
  double sensitivity;  // of every v_i and lambda_i

  Components(const Whitened& data, const Decomposition& found)
      : lambda(found.weights), vectors(found.vectors()) {
    Vector next = Vector::Zero(lambda.size());
    next.head(lambda.size() - 1) = lambda.tail(lambda.size() - 1);
    gap = (lambda - next).minCoeff() / 4;
    SOTTO_REQUIRE(gap > 0,
                  "two eigenvalues of the whitened tensor are equal: the published noise "
                  "would be infinite");
    sensitivity = 2 * std::sqrt(double(lambda.size())) * data.tensor_sensitivity() / gap;
  }
};

// Adds Gaussian noise of the claimed sensitivity times `multiplier`; every column is a release.
void release_columns(const std::string& what, double sensitivity, double multiplier, Matrix& block,
                     PrivateRun& run) {
  const GaussianMechanism mechanism(what, sensitivity, sensitivity * multiplier, block.rows());
  ReleaseRecord record = mechanism.record();
  record.count = block.cols();
  record.note = "sensitivity as published, not proved";
  PlannedReleases columns(run, record);
  for (auto column : block.colwise()) {
    column = columns.publish(mechanism, Vector(column)).value().value;
  }
}

// M2 with noise, edge e8.
GaussianMechanism noise_on_second(const PublicCorpusShape& shape, double alpha0,
                                  double multiplier) {
  const double sensitivity = esmaeili_second_sensitivity(shape.documents, alpha0);
  return published_second(shape, sensitivity, sensitivity * multiplier);
}

// (W^T)^+ from it.
Matrix noisy_unwhitening(const Whitened& data, double multiplier, PrivateRun& run) {
  const Released<Matrix> second = release_published_second(
      Sensitive<Matrix>(data.second), noise_on_second(data.shape(), data.alpha0, multiplier), run);
  return singular_whitening(second.value(), data.k()).unwhiten;
}

Decomposition simultaneous(const SymmetricTensor& tensor, const PowerOptions& power) {
  TensorOracle oracle(tensor);
  return simultaneous_power_method(oracle, power);
}

PublishedCondition gap_of_second(const Whitened& data) {
  const Vector& s = data.whitening.singular;
  const Index k = data.k();
  return {"Delta_2 <= (sigma_k(M2) - sigma_k+1(M2)) / 2", data.second_sensitivity(),
          (s[k - 1] - s[k]) / 2};
}

PublishedCondition gap_of_tensor(const Whitened& data, const Components& parts) {
  return {"Delta_T <= gamma_s lambda_k(T) / (2 sqrt k)", data.tensor_sensitivity(),
          parts.gap * parts.lambda[data.k() - 1] / (2 * std::sqrt(double(data.k())))};
}

WhitenedRelease noise_on_tensor(const Whitened& data, const PowerOptions& power, double multiplier,
                                PrivateRun& run) {
  SymmetricTensor noisy = data.tensor;
  Matrix entries = Eigen::Map<const Vector>(noisy.packed().data(), Index(noisy.packed().size()));
  release_columns(kTensorRelease, data.tensor_sensitivity(), multiplier, entries, run);
  std::copy_n(entries.data(), entries.size(), noisy.packed().begin());
  const Decomposition found = simultaneous(noisy, power);
  const Matrix unwhiten = noisy_unwhitening(data, multiplier, run);
  return {unwhiten_topics(found.weights, found.vectors(), unwhiten, data.alpha0),
          {gap_of_second(data)}};
}

WhitenedRelease noise_on_components(const Whitened& data, const PowerOptions& power,
                                    double multiplier, PrivateRun& run) {
  const Components exact(data, simultaneous(data.tensor, power));
  Matrix vectors = exact.vectors;
  Matrix lambda = exact.lambda.transpose();
  release_columns(kVectorsRelease, exact.sensitivity, multiplier, vectors, run);
  release_columns(kValuesRelease, exact.sensitivity, multiplier, lambda, run);
  const Matrix unwhiten = noisy_unwhitening(data, multiplier, run);
  return {unwhiten_topics(lambda.transpose(), vectors, unwhiten, data.alpha0),
          {gap_of_second(data), gap_of_tensor(data, exact)}};
}

// Theorem G.8, up to the factor that the header leaves out.
double topic_sensitivity(const Whitened& data, const Components& parts) {
  const Vector& s = data.whitening.singular;
  const double largest = std::sqrt(s[0]), second = data.second_sensitivity();
  return (data.alpha0 + 2) / 2 *
         (parts.lambda[0] * largest * (parts.sensitivity + second / s[data.k() - 1]) +
          std::sqrt(s[0] + second) * parts.sensitivity);
}

WhitenedRelease noise_on_topics(const Whitened& data, const PowerOptions& power, double multiplier,
                                PrivateRun& run) {
  const Components exact(data, simultaneous(data.tensor, power));
  RawTopics topics =
      unwhiten_topics(exact.lambda, exact.vectors, data.whitening.unwhiten, data.alpha0);
  const double sensitivity = topic_sensitivity(data, exact);
  Matrix alpha = topics.alpha.transpose();
  release_columns(kTopicsRelease, sensitivity, multiplier, topics.columns, run);
  release_columns(kWeightsRelease, sensitivity, multiplier, alpha, run);
  topics.alpha = alpha.transpose();
  return {topics, {gap_of_second(data), gap_of_tensor(data, exact)}};
}

// The lines of the certificate for the private power method as Imtiaz & Sarwate use it.
ReleaseRecord power_record(const PowerNoise& noise, bool products) {
  const PowerShape& s = noise.shape;
  const GaussianMechanism unit(
      products ? "T(I,u,u), each start and iteration" : "T(u,u,u), each start", 2, noise.scale,
      products ? s.dim : 1);
  ReleaseRecord record = unit.record();
  record.count = s.components * s.starts * (products ? s.iterations : 1);
  record.note =
      fmt::format("in units of |u|_inf^{}; sensitivity as published, not proved", products ? 2 : 3);
  return record;
}

PowerNoise power_noise(const PowerOptions& power, const PrivacyTarget& target) {
  const PowerShape shape{power.components, 3, power.components, power.starts, power.iterations};
  return plan_power_noise(shape, target, Published::imtiaz, {});
}

WhitenedRelease noise_on_power(const Whitened& data, const PowerOptions& power,
                               const PrivacyTarget& target, PrivateRun& run) {
  const PowerNoise noise = power_noise(power, target);
  const PowerShape& shape = noise.shape;
  run.leave_without_noise(kWhiteningRelease, data.second.rows() * shape.dim);
  PrivatePowerOracle oracle(
      Sensitive<SymmetricTensor>(data.tensor), noise, run,
      PublishedPowerRecords{power_record(noise, true), power_record(noise, false)});
  PowerOptions fixed = power;
  fixed.tolerance = 0;
  fixed.polish = 0;
  fixed.residuals = false;
  const Decomposition found = robust_power_method(oracle, fixed);
  return {unwhiten_topics(found.weights, found.vectors(), data.whitening.unwhiten, data.alpha0),
          {}};
}

// The target of each edge of the configuration that has noise.
double multiplier_of(WhitenedNoise noise, const PrivacyTarget& target) {
  const double edges = noise == WhitenedNoise::topics ? 1 : 2;
  return classical_multiplier({target.epsilon / edges, target.delta / edges});
}

// A release whose scale is read off the data.
PlannedRelease planned_columns(const char* what, std::int64_t values, std::int64_t count,
                               double share) {
  PlannedRelease release;
  release.what = what;
  release.mechanism = "gaussian";
  release.values = values;
  release.count = count;
  release.share = share;
  release.noise_unit = "read off the documents";
  return release;
}

void deny(WhitenedNoise noise, PrivateRun& run) {
  if (noise == WhitenedNoise::power) {
    run.deny("the whitening matrix of the documents is used without noise");
    run.deny("the noise is for a change of one entry of the tensor, not of one document in it");
    return;
  }
  run.deny(noise == WhitenedNoise::tensor
               ? "the scale of the noise is read off the documents: sigma_k of M2"
               : "the scale of the noise is read off the documents: sigma_k of M2 and the gaps "
                 "of the eigenvalues of T");
  run.deny(
      "the bound compares W with a W' aligned to it, but the singular vectors of M2' may be "
      "rotated or flipped");
  run.deny("the epsilon shown assumes that the published sensitivities hold");
  if (noise == WhitenedNoise::topics) return;
  run.deny("T and the inverse of W are written in different bases");
}

}  // namespace

SingularWhitening singular_whitening(const Matrix& second, Index k) {
  SOTTO_REQUIRE_AT(k <= second.rows(), "`topics`",
                   "cannot exceed the {} words of the vocabulary, got {}", second.rows(), k);
  const Eigenpairs pairs = leading_eigenpairs(second, std::min(k + 1, Index(second.rows())));
  SingularWhitening result{Vector::Zero(k + 1), pairs.vectors.leftCols(k),
                           pairs.vectors.leftCols(k)};
  result.singular.head(pairs.values.size()) = pairs.values.cwiseAbs();
  SOTTO_REQUIRE_AT(result.singular[k - 1] > 0, "`topics`",
                   "{} topics need a second moment of that rank, this one has less", k);
  for (Index j = 0; j < k; ++j) {
    const double root = std::sqrt(result.singular[j]);
    const double sign = pairs.vectors.col(j).sum() < 0 ? -1 : 1;
    result.whiten.col(j) *= sign / root;
    result.unwhiten.col(j) *= sign * root;
  }
  return result;
}

RawTopics unwhiten_topics(const Vector& lambda, const Matrix& vectors, const Matrix& unwhiten,
                          double alpha0) {
  const Vector share = 4 * (alpha0 + 1) / ((alpha0 + 2) * lambda.array()).square().max(1e-300);
  return {unwhiten * vectors * (lambda * (alpha0 + 2) / 2).asDiagonal(),
          share * ((alpha0 > 0 ? alpha0 : 1) / share.sum())};
}

double esmaeili_tensor_sensitivity(Index documents, double alpha0, const Vector& singular) {
  const auto n = static_cast<double>(documents);
  const Index k = singular.size() - 1;
  const double kth = singular[k - 1], middle = (kth + singular[k]) / 2;
  const double mass =
      1 + 6 * alpha0 / (alpha0 + 2) * n / (n - 1) +
      6 * alpha0 * alpha0 / ((alpha0 + 1) * (alpha0 + 2)) * n * n / ((n - 1) * (n - 2));
  const double move = std::sqrt(2.0 * double(k)) * esmaeili_second_sensitivity(documents, alpha0) /
                      (kth * std::sqrt(middle));
  return mass * std::pow(move, 3) +
         esmaeili_third_sensitivity(documents, alpha0) * std::pow(double(k) / middle, 1.5);
}

std::vector<PlannedRelease> plan_whitened(const PublicCorpusShape& shape, WhitenedNoise noise,
                                          const PublishedSetting& setting,
                                          const PowerOptions& power) {
  require_dense_moments(shape.documents, shape.words);
  const auto& [alpha0, target] = setting;
  const Index k = power.components, words = shape.words;
  if (noise == WhitenedNoise::power) {
    const PowerNoise of_power = power_noise(power, target);
    // One of R + 1 releases of a start is a value.
    const double values = 1 / (static_cast<double>(power.iterations) + 1);
    std::vector<PlannedRelease> list = {
        planned(record_without_noise(kWhiteningRelease, words * k), 0),
        planned(power_record(of_power, true), 1 - values),
        planned(power_record(of_power, false), values)};
    list[1].noise_unit = "|u|_inf^2";
    list[2].noise_unit = "|u|_inf^3";
    return list;
  }
  if (noise == WhitenedNoise::topics) {
    return {planned_columns(kTopicsRelease, words, k, 0.5),
            planned_columns(kWeightsRelease, 1, k, 0.5)};
  }
  const PlannedRelease second =
      planned(noise_on_second(shape, alpha0, multiplier_of(noise, target)).record(), 0.5);
  if (noise == WhitenedNoise::tensor) {
    return {planned_columns(kTensorRelease, k * (k + 1) * (k + 2) / 6, 1, 0.5), second};
  }
  return {planned_columns(kVectorsRelease, k, k, 0.25), planned_columns(kValuesRelease, 1, k, 0.25),
          second};
}

Released<WhitenedRelease> release_whitened(const Sensitive<Corpus>& corpus, WhitenedNoise noise,
                                           const PublishedSetting& setting,
                                           const PowerOptions& power, PrivateRun& run) {
  const auto& [alpha0, target] = setting;
  deny(noise, run);
  const Whitened data(ReleaseAccess::view(corpus), alpha0, power.components);
  if (noise == WhitenedNoise::power) {
    return ReleaseAccess::released(noise_on_power(data, power, target, run));
  }
  const double multiplier = multiplier_of(noise, target);
  const auto release = noise == WhitenedNoise::tensor       ? noise_on_tensor
                       : noise == WhitenedNoise::components ? noise_on_components
                                                            : noise_on_topics;
  return ReleaseAccess::released(release(data, power, multiplier, run));
}

}  // namespace sotto
