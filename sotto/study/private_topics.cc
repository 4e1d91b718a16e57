#include "sotto/study/private_topics.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/random.h"
#include "sotto/linalg/spectral.h"
#include "sotto/models/moment_fit.h"
#include "sotto/models/published_topics.h"
#include "sotto/models/topic_evaluation.h"
#include "sotto/release/private_documents.h"
#include "sotto/synthetic/corpus.h"
#include "sotto/tensor/contraction.h"

namespace sotto {
namespace {

// The share of mu^2 that the second moment gets; the rest is the third's.
constexpr double kSecondShare = 0.5;
// Of P2 and P3: no document of three words has a longer one.
constexpr double kClip = 1;
// The third moment is released in this many times k dimensions: the leading eigenvectors of the
// noisy second moment miss a part of the topics, and more dimensions cost no more noise.
constexpr Index kWide = 2;
constexpr int kFitSteps = 100;

}  // namespace

TopicOptions TopicProblem::options(std::uint64_t seed) const {
  TopicOptions result;
  result.topics = truth.cols();
  result.model = "single";
  result.clip = "none";
  result.refine = 0;
  result.seed = static_cast<std::int64_t>(seed);
  return result;
}

TopicProblem three_word_problem(Index words, Index topics, Index documents, std::uint64_t seed) {
  CorpusModel model;
  model.documents = documents;
  model.vocabulary = words;
  model.topics = topics;
  model.model = "single";
  model.beta = 0.3;
  model.length = 3;
  model.seed = static_cast<std::int64_t>(seed);
  SyntheticCorpus made = generate_corpus(model);
  made.corpus.vocabulary_is_declared = true;
  return {std::move(made.corpus), std::move(made.topics)};
}

double published_topic_error(const TopicProblem& problem, const std::string& method,
                             const PrivacyTarget& target, std::uint64_t seed) {
  const Sensitive<Corpus> data(problem.corpus);
  const PublishedTopicFit fit = fit_published_topics(data, problem.options(seed), method, target,
                                                     NoiseKey::insecure_from_seed(seed));
  return component_error(problem.truth, fit.model.topics);
}

double strict_topic_error(const TopicProblem& problem, const PrivacyTarget& target,
                          std::uint64_t seed) {
  const Index v = problem.truth.rows(), k = problem.truth.cols();
  const Index wide = std::min(v, kWide * k);
  Sensitive<Corpus> data(problem.corpus);
  Ledger ledger(document_statement(public_shape(data, "the corpus"), target.delta));
  PrivateDocuments documents(std::move(data), Budget::gaussian(target.epsilon, target.delta),
                             NoiseKey::insecure_from_seed(seed), ledger);
  const double mu = affordable_mu(target, 1, v * (v + 1) / 2 + unique_entries(wide, 3));
  const double mu2 = mu * std::sqrt(kSecondShare), mu3 = mu * std::sqrt(1 - kSecondShare);

  const Matrix second = documents.second_moment(kClip, mu2).value();
  const Eigenpairs pairs = leading_eigenpairs(second, wide);
  const SymmetricTensor third = documents.third_moment(pairs.vectors, kClip, mu3).value();

  // Whitened: the first k columns of Q over the square roots of their singular values.
  const Vector root = pairs.values.head(k).cwiseAbs().cwiseSqrt();
  const Matrix whiten = Matrix::Identity(wide, k) * root.cwiseInverse().asDiagonal();
  const Decomposition whitened =
      decompose_whitened(transform(third, whiten), problem.options(seed));
  const TopicModel spectral =
      recover_topics(whitened, pairs.vectors.leftCols(k) * root.asDiagonal(), 0);
  const TopicModel model =
      fit_moments({0, second, 1 / mu2, pairs.vectors, third, 1 / mu3}, spectral, kFitSteps);
  return component_error(problem.truth, model.topics);
}

double exact_topic_error(const TopicProblem& problem, std::uint64_t seed) {
  const TopicFit fit = fit_topics(problem.corpus, problem.options(seed));
  return component_error(problem.truth, fit.model.topics);
}

double random_topic_error(const TopicProblem& problem, std::uint64_t seed) {
  SeededRandom random(seed, 1);
  Matrix topics(problem.truth.rows(), problem.truth.cols());
  for (double& x : topics.reshaped()) x = -std::log(1 - random.uniform());
  topics.array().rowwise() /= topics.array().colwise().sum();
  return component_error(problem.truth, topics);
}

}  // namespace sotto
