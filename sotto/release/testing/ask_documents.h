// Shared by the tests of private_documents.h: the same call for its four releases, and their values
// as vectors.
#pragma once

#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "sotto/base/random.h"
#include "sotto/linalg/spectral.h"
#include "sotto/moments/document_moments.h"
#include "sotto/moments/topic_expectation.h"
#include "sotto/release/private_documents.h"

namespace sotto::testing {

// Documents here are few and short: several threads would only wait for each other.
class PrivateDocumentsTest : public ::testing::Test {
 protected:
  void SetUp() override { omp_set_num_threads(1); }
  void TearDown() override { omp_set_num_threads(threads_); }

 private:
  int threads_ = omp_get_max_threads();
};

inline constexpr double kRoot2 = std::numbers::sqrt2;
using Counts = std::vector<std::int32_t>;  // of one document, one a word

inline Corpus corpus_of(const std::vector<Counts>& documents) {
  Corpus corpus;
  corpus.vocabulary_size = std::ssize(documents[0]);
  corpus.vocabulary_is_declared = true;
  for (const Counts& counts : documents) {
    for (std::size_t w = 0; w < counts.size(); ++w) {
      if (counts[w] == 0) continue;
      corpus.word.push_back(static_cast<std::int32_t>(w));
      corpus.count.push_back(counts[w]);
    }
    corpus.begin.push_back(std::ssize(corpus.word));
  }
  return corpus;
}

// A generous budget for tests of the values.
inline constexpr PrivacyTarget kWide{1000, 1e-6};

struct DocumentRun {
  PrivateRun run;
  PrivateDocuments documents;

  explicit DocumentRun(Corpus corpus, std::uint64_t seed = 1, PrivacyTarget target = kWide)
      : run(document_statement({corpus.documents(), corpus.vocabulary_size}, target),
            NoiseKey::insecure_from_seed(seed), target.budget()),
        documents(sensitive_documents(Sensitive<Corpus>(std::move(corpus))), run) {}

  const ReleaseRecord& record(std::size_t i) {
    certificate = run.certify();
    return certificate.releases.at(i).record;
  }
  Certificate certificate = run.certify();
};

// The question of each kind, answered as one long vector in isometric coordinates.
enum class Kind { first, second, third, counts };
inline constexpr Kind kKinds[] = {Kind::first, Kind::second, Kind::third, Kind::counts};

struct Question {
  Matrix q;          // V x k, orthonormal
  RowMatrix topics;  // V x k
  Vector alpha, word_scale;
  double rule = kUnitNorm;  // of the moments
};

inline Vector isometric(const SymmetricTensor& tensor) {
  Vector all(static_cast<Index>(tensor.packed().size()));
  Index at = 0;
  for_unique_entries(tensor.dim(), tensor.order(), [&](const std::vector<Index>&, double m) {
    all[at] = std::sqrt(m) * tensor.packed()[at];
    ++at;
  });
  return all;
}

inline Vector isometric(const Matrix& symmetric) {
  const Index v = symmetric.rows();
  Vector all(v * (v + 1) / 2);
  Index at = 0;
  for (Index i = 0; i < v; ++i) {
    for (Index j = i; j < v; ++j) all[at++] = symmetric(i, j) * (i == j ? 1 : kRoot2);
  }
  return all;
}

inline Noisy<Vector> ask(PrivateDocuments& documents, Kind kind, const Question& question,
                         double mu) {
  if (kind == Kind::first) return documents.first_moment(question.rule, mu).value();
  if (kind == Kind::second) {
    const auto answer = documents.second_moment(question.rule, mu).value();
    return {isometric(answer.value), answer.deviation};
  }
  if (kind == Kind::third) {
    const auto answer = documents.third_moment(question.q, question.rule, mu).value();
    return {isometric(answer.value), answer.deviation};
  }
  const auto answer =
      documents.expected_counts(question.topics, question.alpha, 4, question.word_scale, mu)
          .value();
  return {answer.value.reshaped(), answer.deviation};
}

inline Matrix random_orthonormal(Index v, Index k, SeededRandom& random) {
  Matrix block(v, k);
  for (double& x : block.reshaped()) x = random.normal();
  return orthonormal_columns(block);
}

inline Question some_question(Index v, Index k, SeededRandom& random) {
  Question question;
  question.q = random_orthonormal(v, k, random);
  question.topics = RowMatrix(v, k);
  for (double& x : question.topics.reshaped()) x = std::pow(random.uniform(), 4);
  question.topics.array().rowwise() /= question.topics.array().colwise().sum();
  question.alpha = Vector::Constant(k, 1.0 / double(k));
  question.word_scale = Vector(v);
  for (double& x : question.word_scale) x = 1 + 3 * random.uniform();
  return question;
}

inline Vector exact_value(const Corpus& corpus, Kind kind, const Question& question) {
  const CountMatrix by_word = transposed(corpus.view());
  const DocumentMoments moments(corpus, by_word, {0, 0, 0});
  const double n = double(corpus.documents());
  if (kind == Kind::first) return moments.first_sum() / n;
  if (kind == Kind::second) return isometric(moments.second_sum()) / n;
  if (kind == Kind::third) return isometric(moments.third_sum(question.q)) / n;
  const CountView view = corpus.view();
  RowMatrix parameters = start_parameters(view, question.alpha);
  improve_parameters(view, question.topics, question.alpha, 4, parameters);
  const RowMatrix weights = expected_log_weights(parameters);
  RowMatrix mean = RowMatrix::Zero(question.topics.rows(), question.topics.cols());
  for (Index d = 0; d < corpus.documents(); ++d) {
    RowMatrix part = RowMatrix::Zero(mean.rows(), mean.cols());
    for (std::size_t e = 0; e < corpus.words_of(d).size(); ++e) {
      const Index w = corpus.words_of(d)[e];
      const Eigen::RowVectorXd phi = weights.row(d).cwiseProduct(question.topics.row(w));
      part.row(w) = question.word_scale[w] * corpus.counts_of(d)[e] * phi / phi.sum();
    }
    if (part.norm() > 0) mean += part / part.norm() / n;
  }
  return mean.reshaped();
}

}  // namespace sotto::testing
