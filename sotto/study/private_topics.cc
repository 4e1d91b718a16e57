#include "sotto/study/private_topics.h"

#include <cmath>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/models/private_topics.h"
#include "sotto/models/published_topics.h"
#include "sotto/models/topic_evaluation.h"
#include "sotto/release/private_documents.h"
#include "sotto/synthetic/corpus.h"

namespace sotto {

TopicOptions TopicProblem::options(std::uint64_t seed) const {
  TopicOptions result;
  result.topics = truth.cols();
  result.model = model;
  result.alpha0 = 1;
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
  return strict_topic_error_by(problem, "auto", target, seed);
}

double strict_topic_error_by(const TopicProblem& problem, const std::string& mechanism,
                             const PrivacyTarget& target, std::uint64_t seed) {
  DocumentPrivacyOptions privacy;
  privacy.mechanism = mechanism;
  privacy.epsilon = target.epsilon;
  privacy.delta = target.delta;
  const TopicOptions options = problem.options(seed);
  Sensitive<Corpus> data(problem.corpus);
  const PublicCorpusShape shape = public_shape(data);
  PrivateRun run(document_statement(shape, target), NoiseKey::insecure_from_seed(seed),
                 target.budget());
  const PrivateTopicPlan plan = plan_private_topics(shape, options, {}, privacy);
  try {
    const PrivateTopicFit fit = fit_private_topics(std::move(data), plan, options, run);
    return component_error(problem.truth, fit.model.topics);
  } catch (const Error&) {
    return random_topic_error(problem, seed);  // refused: noise alone
  }
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
