#include "sotto/study/private_topics.h"

#include <cmath>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/models/topic_evaluation.h"
#include "sotto/moments/document_moments.h"
#include "sotto/release/private_documents.h"
#include "sotto/synthetic/corpus.h"

namespace sotto {

TopicsTask TopicProblem::task(std::uint64_t seed) const {
  TopicsTask task;
  task.topics.topics = truth.cols();
  task.topics.model = model;
  task.topics.alpha0 = 1;
  task.topics.seed = static_cast<std::int64_t>(seed);
  return task;
}

TopicsTask TopicProblem::private_task(const PrivacyTarget& target, std::uint64_t seed) const {
  TopicsTask private_one = task(seed);
  private_one.privacy.epsilon = target.epsilon;
  private_one.privacy.delta = target.delta;
  private_one.privacy.accept_large_delta = true;
  private_one.privacy.insecure_seed = static_cast<std::int64_t>(seed);
  return private_one;
}

TopicProblem three_word_problem(Index words, Index topics, Index documents, std::uint64_t seed) {
  CorpusModel model;
  model.documents = documents;
  model.vocabulary = words;
  model.topics = topics;
  model.model = DocumentModel::single;
  model.beta = 0.3;
  model.length = 3;
  model.seed = static_cast<std::int64_t>(seed);
  SyntheticCorpus made = generate_corpus(model);
  made.corpus.vocabulary_is_declared = true;
  return {std::move(made.corpus), std::move(made.topics)};
}

double published_topic_error(const TopicProblem& problem, PublishedTopics method,
                             const PrivacyTarget& target, std::uint64_t seed) {
  TopicsTask task = problem.private_task(target, seed);
  task.as_published = method;
  return component_error(problem.truth, run(problem.documents(), task).model.topics);
}

double strict_topic_error(const TopicProblem& problem, const PrivacyTarget& target,
                          std::uint64_t seed) {
  return strict_topic_error_by(problem, TopicMechanism::automatic, target, seed);
}

double strict_topic_error_by(const TopicProblem& problem, TopicMechanism mechanism,
                             const PrivacyTarget& target, std::uint64_t seed) {
  TopicsTask task = problem.private_task(target, seed);
  task.privacy.mechanism = mechanism;
  // A task that cannot even be planned is an error, not a result of noise.
  plan(task, {problem.corpus.documents(), problem.corpus.vocabulary_size});
  try {
    return component_error(problem.truth, run(problem.documents(), task).model.topics);
  } catch (const Error&) {
    return random_topic_error(problem, seed);  // refused: noise alone
  }
}

double exact_topic_error(const TopicProblem& problem, std::uint64_t seed) {
  TopicsTask task = problem.task(seed);
  task.topics.clip = DocumentClip::none;
  task.topics.refine = 0;
  Input<Corpus> documents(problem.documents(), PublicDeclaration("made up"));
  return component_error(problem.truth, run(std::move(documents), task).model.topics);
}

double random_topic_error(const TopicProblem& problem, std::uint64_t seed) {
  SeededRandom random(seed, 1);
  Matrix topics(problem.truth.rows(), problem.truth.cols());
  for (double& x : topics.reshaped()) x = -std::log(1 - random.uniform());
  topics.array().rowwise() /= topics.array().colwise().sum();
  return component_error(problem.truth, topics);
}

double frequency_topic_error(const TopicProblem& problem, const PrivacyTarget& target,
                             std::uint64_t seed) {
  const Index words = problem.truth.rows();
  PrivateRun run(document_statement({problem.corpus.documents(), words}, target),
                 NoiseKey::insecure_from_seed(seed), target.budget());
  PrivateDocuments documents(sensitive_documents(problem.documents()), run);
  const Vector released =
      documents.first_moment(kUnitNorm, affordable_mu(target, 1, words)).value().value;
  const Vector weights = released.cwiseMax(1e-12);
  return component_error(problem.truth,
                         (weights / weights.sum()).replicate(1, problem.truth.cols()));
}

}  // namespace sotto
