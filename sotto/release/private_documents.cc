#include "sotto/release/private_documents.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "sotto/base/error.h"
#include "sotto/moments/document_moments.h"
#include "sotto/moments/topic_expectation.h"
#include "sotto/privacy/exponential.h"
#include "sotto/privacy/gaussian.h"
#include "sotto/release/access.h"

namespace sotto {
namespace {

// Covers the relative errors of clip weights and of orthonormal blocks (private_documents.md, 5).
constexpr double kSafe = 1 + 0x1p-30;

double gamma(double m) { return m * 0x1p-53 / (1 - m * 0x1p-53); }

template <class Dense>
std::span<const double> flat(const Dense& m) {
  return {m.data(), static_cast<std::size_t>(m.size())};
}

// Two non-negative contributions of norm at most `clip`.
double sensitivity_of(double clip) { return std::numbers::sqrt2 * clip * kSafe; }

void require_orthonormal(const Matrix& q) {
  const Matrix gram = q.transpose() * q;
  SOTTO_REQUIRE((gram - Matrix::Identity(q.cols(), q.cols())).norm() <= 0x1p-34,
                "the block must have orthonormal columns");
}

}  // namespace

PublicCorpusShape public_shape(const Sensitive<Corpus>& corpus, const std::string& place) {
  const Corpus& view = ReleaseAccess::view(corpus);
  SOTTO_REQUIRE_AT(view.vocabulary_is_declared, "--vocab",
                   "is needed: the words of {} would otherwise be read off its documents", place);
  return {view.documents(), view.vocabulary_size};
}

PrivacyStatement document_statement(const PublicCorpusShape& shape, double delta) {
  PrivacyStatement statement;
  statement.unit = "one document";
  statement.neighbours = "one document replaced by another; the number of documents stays the same";
  statement.public_facts = {fmt::format("the number of documents, {}", shape.documents),
                            fmt::format("the vocabulary, {} words", shape.words), "all options"};
  statement.delta = delta;
  return statement;
}

struct PrivateDocuments::Held {
  Corpus corpus;
  CountMatrix by_word;
  explicit Held(Corpus documents)
      : corpus(std::move(documents)), by_word(transposed(corpus.view())) {}

  // The clip of one moment; the others are left as they are.
  DocumentMoments moments(int order, double clip) const {
    MomentClips clips;
    (order == 1 ? clips.first : order == 2 ? clips.second : clips.third) = clip;
    return DocumentMoments(corpus, clips);
  }
  double depth() const {
    return static_cast<double>(sum_depth(corpus.documents()) + sum_depth(corpus.vocabulary_size));
  }
};

PrivateDocuments::PrivateDocuments(Sensitive<Corpus> corpus, Budget budget, NoiseKey key,
                                   Ledger& ledger)
    : shape_{ReleaseAccess::view(corpus).documents(), ReleaseAccess::view(corpus).vocabulary_size},
      budget_(std::move(budget)),
      key_(std::move(key)),
      ledger_(ledger),
      whole_(std::move(corpus)) {
  SOTTO_REQUIRE(shape_.documents > 0, "a corpus without documents has no moments");
  if (!key_.secure()) {
    ledger.deny("the noise was drawn from an insecure seed: who knows it can subtract it");
  }
  keep_words({});
}

PrivateDocuments::~PrivateDocuments() = default;

void PrivateDocuments::keep_words(std::vector<std::int32_t> kept) {
  const Corpus& all = ReleaseAccess::view(whole_);
  held_ = std::make_unique<Held>(kept.empty() ? all : restrict_vocabulary(all, kept));
}

void PrivateDocuments::pay(const ReleaseRecord& record) {
  budget_.charge(Spend{record.cost, record.count});
  ledger_.add(record);
}

Released<Vector> PrivateDocuments::first_moment(double clip, double mu) {
  const Vector mean = held_->moments(1, clip).first_sum() * scale();
  const double sensitivity = sensitivity_of(clip) * scale();
  const double error = gamma(held_->depth() + 32) * clip;
  const auto count = static_cast<std::int64_t>(mean.size());
  const HiddenBlock hidden{sensitivity + 2 * error, std::sqrt(double(count))};
  const GaussianMechanism mechanism("mean of the documents' word shares", sensitivity,
                                    deviation_for(hidden, mu), count, error);
  pay(mechanism.record());
  const std::vector<double> noisy = mechanism.release(flat(mean), key_.open_stream());
  return ReleaseAccess::released(Vector(Eigen::Map<const Vector>(noisy.data(), mean.size())));
}

Released<Matrix> PrivateDocuments::second_moment(double clip, double mu) {
  const Matrix sum = held_->moments(2, clip).second_sum();
  const Index v = sum.rows();
  std::vector<double> packed;
  packed.reserve(static_cast<std::size_t>(v * (v + 1) / 2));
  for (Index i = 0; i < v; ++i) {
    for (Index j = i; j < v; ++j) packed.push_back(sum(j, i) * scale());
  }
  const double sensitivity = sensitivity_of(clip) * scale();
  const double error = gamma(held_->depth() + 32) * clip;
  // The grid is set by the off-diagonal noise, smaller by sqrt(2).
  const HiddenBlock hidden{sensitivity + 2 * error, static_cast<double>(v), std::numbers::sqrt2};
  const SymmetricGaussianMechanism mechanism("second moment of the documents", sensitivity,
                                             deviation_for(hidden, mu), v, 2, error);
  pay(mechanism.record());
  mechanism.release(packed, key_.open_stream(), packed);
  Matrix noisy(v, v);
  auto next = packed.begin();
  for (Index i = 0; i < v; ++i) {
    for (Index j = i; j < v; ++j) noisy(i, j) = noisy(j, i) = *next++;
  }
  return ReleaseAccess::released(std::move(noisy));
}

Released<Matrix> PrivateDocuments::second_moment_times(const Matrix& orthonormal, double clip,
                                                       double mu) {
  require_orthonormal(orthonormal);
  const Matrix product = held_->moments(2, clip).second_sum_times(orthonormal) * scale();
  const double sensitivity = sensitivity_of(clip) * scale();
  const double error =
      gamma(2 * held_->depth() + 32) * 4 * std::sqrt(double(orthonormal.cols())) * clip;
  const auto count = static_cast<std::int64_t>(product.size());
  const HiddenBlock hidden{sensitivity + 2 * error, std::sqrt(double(count))};
  const GaussianMechanism mechanism("second moment of the documents times a block", sensitivity,
                                    deviation_for(hidden, mu), count, error);
  pay(mechanism.record());
  Matrix noisy(product.rows(), product.cols());
  mechanism.release(flat(product), key_.open_stream(), {noisy.data(), std::size_t(noisy.size())});
  return ReleaseAccess::released(std::move(noisy));
}

Released<SymmetricTensor> PrivateDocuments::third_moment(const Matrix& orthonormal, double clip,
                                                         double mu) {
  require_orthonormal(orthonormal);
  const Index k = orthonormal.cols();
  SymmetricTensor mean(k, 3);
  mean.add_scaled(scale(), held_->moments(3, clip).third_sum(orthonormal));
  const double sensitivity = sensitivity_of(clip) * scale();
  const double error = gamma(3 * held_->depth() + 64) * 36 * clip;
  const HiddenBlock hidden{sensitivity + 2 * error, std::pow(double(k), 1.5), std::sqrt(6.0)};
  const SymmetricGaussianMechanism mechanism(
      fmt::format("third moment of the documents in {} dimensions", k), sensitivity,
      deviation_for(hidden, mu), k, 3, error);
  pay(mechanism.record());
  mechanism.release(mean.packed(), key_.open_stream(), mean.packed());
  return ReleaseAccess::released(std::move(mean));
}

Released<RowMatrix> PrivateDocuments::expected_counts(const RowMatrix& topics, const Vector& alpha,
                                                      int rounds, double clip, double mu) {
  const CountView view = held_->corpus.view();
  RowMatrix parameters = start_parameters(view, alpha);
  improve_parameters(view, topics, alpha, rounds, parameters);
  const RowMatrix weights = expected_log_weights(parameters);
  const Vector norms = contribution_norms(view, topics, weights);
  const Vector shrink = norms.unaryExpr([clip](double n) { return n > clip ? clip / n : 1.0; });
  RowMatrix counts = sotto::expected_counts(held_->by_word.view(), topics, weights, shrink);
  const double sensitivity = sensitivity_of(clip);
  const double depth = held_->depth() + static_cast<double>(topics.cols()) + 32;
  const double error = gamma(depth) * clip * static_cast<double>(documents());
  const auto count = static_cast<std::int64_t>(counts.size());
  const HiddenBlock hidden{sensitivity + 2 * error, std::sqrt(double(count))};
  const GaussianMechanism mechanism("expected counts of words in topics", sensitivity,
                                    deviation_for(hidden, mu), count, error);
  pay(mechanism.record());
  mechanism.release(flat(counts), key_.open_stream(), {counts.data(), std::size_t(counts.size())});
  return ReleaseAccess::released(std::move(counts));
}

Released<double> PrivateDocuments::norm_quantile(int order, double quantile, double low,
                                                 double high, double epsilon) {
  std::vector<double> norms;
  norms.reserve(static_cast<std::size_t>(documents()));
  for (Index n = 0; n < documents(); ++n) {
    const DocumentNorms all = document_norms(held_->corpus.counts_of(n));
    norms.push_back(order == 1 ? all.first : order == 2 ? all.second : all.third);
  }
  const PrivateQuantile mechanism(fmt::format("quantile {} of the norms of P{}", quantile, order),
                                  epsilon, quantile, low, high, documents());
  pay(mechanism.record());
  return ReleaseAccess::released(mechanism.release(norms, key_.open_stream()));
}

}  // namespace sotto
