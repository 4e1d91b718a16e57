#include "sotto/release/private_documents.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "sotto/base/error.h"
#include "sotto/linalg/gemm.h"
#include "sotto/moments/document_sums.h"
#include "sotto/moments/expectation_sums.h"
#include "sotto/privacy/gaussian.h"
#include "sotto/release/access.h"
#include "sotto/release/packed_matrix.h"
#include "sotto/release/rounding.h"

namespace sotto {
namespace {

// How far from orthonormal a block may be (private_documents.md, 2).
constexpr double kOrthonormal = 0x1p-34;

// Limits of the public numbers in a contribution: their squares and products stay well within the
// range of doubles. Shorter contributions count as zero.
constexpr double kSmallest = 1e-60, kLargest = 1e60, kShortestDocument = 1e-100;
constexpr Index kMostTopics = 1 << 16;

// The longest contribution: the rules of document_moments.h keep norms at one.
double longest(double clip) {
  if (clip == kUnitNorm || (clip >= kByLength && clip <= -kSmallest)) return 1;
  SOTTO_REQUIRE(clip >= kSmallest && clip <= kLargest,
                "a clip must lie between 1e-60 and 1e60, got {}", clip);
  return clip;
}

// Two non-negative contributions of norm at most `norm`.
double sensitivity_of(double norm) { return std::numbers::sqrt2 * norm * kSafeSpectral; }

void require_orthonormal(const Matrix& q) {
  const Matrix gram = multiply_transposed(q, q);
  SOTTO_REQUIRE((gram - Matrix::Identity(q.cols(), q.cols())).norm() <= kOrthonormal,
                "the block must have orthonormal columns");
}

// private_documents.md, 2: what the rounding of that check may hide.
double growth_of(const Matrix& q) {
  return 1 + 2 * static_cast<double>(q.cols()) * gamma(static_cast<double>(q.rows()) + 8);
}

// Shares are non-negative, and so are contributions: the sensitivity rests on this.
void require_topics(const RowMatrix& topics, const Vector& alpha, const Vector& word_scale,
                    Index words) {
  const auto within = [](const auto& m, double least) {
    return m.size() > 0 && m.allFinite() && m.minCoeff() >= least && m.maxCoeff() <= kLargest;
  };
  SOTTO_REQUIRE(topics.rows() == words && word_scale.size() == words &&
                    alpha.size() == topics.cols() && topics.cols() <= kMostTopics &&
                    within(topics, 0) && within(alpha, kSmallest) && within(word_scale, kSmallest),
                "topics, their parameters and the scales of {} words must be positive and moderate",
                words);
}

}  // namespace

PublicCorpusShape public_shape(const Sensitive<Corpus>& corpus) {
  const Corpus& view = ReleaseAccess::view(corpus);
  return {view.documents(), view.vocabulary_is_declared ? view.vocabulary_size : 0};
}

PublicCorpusShape public_shape(const Sensitive<Documents>& documents) {
  const DocumentSource& view = *ReleaseAccess::view(documents);
  return {view.documents(), view.vocabulary().is_declared ? view.vocabulary().size : 0};
}

Sensitive<Documents> sensitive_documents(Sensitive<Corpus> corpus) {
  return std::move(corpus).transform(
      [](Corpus&& all) -> Documents { return std::make_unique<LocalDocuments>(std::move(all)); });
}

PrivacyStatement document_statement(const PublicCorpusShape& shape, const PrivacyTarget& target) {
  PrivacyStatement statement;
  statement.unit = "one document";
  statement.neighbours = "one document replaced by another; the number of documents stays the same";
  statement.public_facts = {fmt::format("the number of documents, {}", shape.documents)};
  if (shape.words > 0) {
    statement.public_facts.push_back(fmt::format("the vocabulary, {} words", shape.words));
  }
  statement.public_facts.emplace_back("all options");
  statement.delta = target.delta;
  statement.units = {shape.documents, "documents"};
  // Later releases depend on earlier ones; the budget was fixed before.
  statement.budget = {target.epsilon, target.delta};
  return statement;
}

double document_noise(Index documents, double mu) {
  return sensitivity_of(1) / static_cast<double>(documents) / mu;
}

double PrivateDocuments::depth() const {
  return static_cast<double>(document_depth(shape_.documents) + sum_depth(documents_->words()));
}

// private_documents.md, 5: of a third moment in q dimensions, whose contributions have norm 1.
double PrivateDocuments::third_error(double q) const {
  const auto words = static_cast<double>(sum_depth(documents_->words()));
  return 36 * (gamma(depth() + 64) + std::sqrt(q) * gamma(words + 4)) * kSafeSpectral;
}

PrivateDocuments::PrivateDocuments(Sensitive<Documents> documents, PrivateRun& run)
    : shape_(public_shape(documents)),
      run_(run),
      documents_(ReleaseAccess::take(std::move(documents))) {
  SOTTO_REQUIRE(documents_->vocabulary().is_declared, "the words of the documents are not public");
  SOTTO_REQUIRE(shape_.documents > 0, "a corpus without documents has no moments");
  run.require_budget();
  documents_->keep_words({});
}

// Those who hold the documents would refuse such a list only when they are asked.
void PrivateDocuments::keep_words(std::vector<std::int32_t> kept) {
  std::vector<bool> taken(static_cast<std::size_t>(shape_.words), false);
  for (const std::int32_t word : kept) {
    SOTTO_REQUIRE(word >= 0 && word < shape_.words, "word {} is not one of the {} words", word,
                  shape_.words);
    SOTTO_REQUIRE(!taken[static_cast<std::size_t>(word)], "word {} is kept twice", word);
    taken[static_cast<std::size_t>(word)] = true;
  }
  documents_->keep_words(std::move(kept));
}

Released<Noisy<Vector>> PrivateDocuments::first_moment(double clip, double mu) {
  Vector mean = weighted_words(*documents_, {{clip, clip, clip}, {.first = 1}}) * scale();
  const double sensitivity = sensitivity_of(longest(clip)) * scale();
  const double error = gamma(depth() + 32) * longest(clip);
  const auto count = static_cast<std::int64_t>(mean.size());
  const HiddenBlock hidden{sensitivity + 2 * error, std::sqrt(double(count))};
  const GaussianMechanism mechanism(kFirstMomentRelease, sensitivity, deviation_for(hidden, mu),
                                    count, error);
  return run_.publish(mechanism, std::move(mean));
}

Released<Noisy<Matrix>> PrivateDocuments::second_moment(double clip, double mu) {
  const Matrix sum = second_sum(*documents_, {clip, clip, clip});
  const Index v = sum.rows();
  PackedMatrix mean(v, [&](Index i, Index j) { return sum(j, i) * scale(); });
  const double sensitivity = sensitivity_of(longest(clip)) * scale();
  const double error = gamma(depth() + 32) * longest(clip);
  // The grid is set by the off-diagonal noise, which is smaller by sqrt(2).
  const HiddenBlock hidden{sensitivity + 2 * error, static_cast<double>(v), std::numbers::sqrt2};
  const SymmetricGaussianMechanism mechanism(kSecondMomentRelease, sensitivity,
                                             deviation_for(hidden, mu), v, 2, error);
  return ReleaseAccess::released(unpacked(run_.publish(mechanism, std::move(mean)).value()));
}

Released<Noisy<SymmetricTensor>> PrivateDocuments::third_moment(const Matrix& orthonormal,
                                                                double clip, double mu) {
  require_orthonormal(orthonormal);
  const Index k = orthonormal.cols();
  SymmetricTensor mean(k, 3);
  mean.add_scaled(scale(), third_sum(*documents_, {clip, clip, clip}, orthonormal));
  const double sensitivity = sensitivity_of(longest(clip)) * scale() * growth_of(orthonormal);
  const double error = third_error(double(k)) * longest(clip);
  const HiddenBlock hidden{sensitivity + 2 * error, std::pow(double(k), 1.5), std::sqrt(6.0)};
  const SymmetricGaussianMechanism mechanism(kThirdMomentRelease, sensitivity,
                                             deviation_for(hidden, mu), k, 3, error);
  return run_.publish(mechanism, std::move(mean));
}

Released<Noisy<RowMatrix>> PrivateDocuments::expected_counts(const RowMatrix& topics,
                                                             const Vector& alpha, int rounds,
                                                             const Vector& word_scale, double mu) {
  require_topics(topics, alpha, word_scale, documents_->words());
  RowMatrix mean =
      normed_counts(*documents_, {{topics, alpha, rounds}, word_scale, scale(), kShortestDocument});
  mean.array().colwise() *= word_scale.array();
  const double sensitivity = sensitivity_of(1) * scale();
  const double error = gamma(depth() + static_cast<double>(topics.cols()) + 32);
  const auto count = static_cast<std::int64_t>(mean.size());
  const HiddenBlock hidden{sensitivity + 2 * error, std::sqrt(double(count))};
  const GaussianMechanism mechanism(kExpectedCountsRelease, sensitivity, deviation_for(hidden, mu),
                                    count, error);
  return run_.publish(mechanism, std::move(mean));
}

}  // namespace sotto
