// How near private topics come at a size that people have: docs/topics.md has more.
#include <gtest/gtest.h>

#include "sotto/models/private_topics.h"
#include "sotto/models/topic_evaluation.h"
#include "sotto/synthetic/corpus.h"

namespace sotto {
namespace {

// V = 1000, k = 10, 100000 documents of 80 words, alpha0 = 1, beta = 0.05.
class PrivateTopicRecovery : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    CorpusModel model;
    model.documents = 100000;
    made_ = std::make_unique<SyntheticCorpus>(generate_corpus(model));
  }
  static void TearDownTestSuite() { made_.reset(); }

  static TopicOptions options() {
    TopicOptions topics;
    topics.topics = 10;
    return topics;
  }
  static double private_distance(double epsilon, const std::string& mechanism) {
    DocumentPrivacyOptions privacy;
    privacy.epsilon = epsilon;
    privacy.delta = 1e-6;
    privacy.mechanism = mechanism;
    const PublicCorpusShape shape{made_->corpus.documents(), made_->corpus.vocabulary_size};
    const PrivateTopicPlan plan = plan_private_topics(shape, options(), {}, privacy);
    PrivateRun run(document_statement(shape, privacy.target()), NoiseKey::from_system(),
                   privacy.target().budget());
    const PrivateTopicFit fit =
        fit_private_topics(Sensitive<Corpus>(Corpus(made_->corpus)), plan, options(), run);
    const Certificate certificate = run.certify();
    EXPECT_TRUE(certificate.proved) << certificate.why;
    EXPECT_LE(certificate.epsilon, epsilon);
    return mean_total_variation(made_->topics, fit.model.topics);
  }
  static inline std::unique_ptr<SyntheticCorpus> made_;
};

TEST_F(PrivateTopicRecovery, total_variation_falls_with_epsilon) {
  // Measured: 0.0385, 0.0235, 0.0165.
  for (const auto& [epsilon, bound] :
       {std::pair(0.5, 0.06), std::pair(1.0, 0.04), std::pair(2.0, 0.03)}) {
    const double distance = private_distance(epsilon, "auto");
    RecordProperty("epsilon_" + std::to_string(epsilon), std::to_string(distance));
    EXPECT_LE(distance, bound) << epsilon;
  }
}

TEST_F(PrivateTopicRecovery, without_privacy) {
  const TopicFit fit = fit_topics(made_->corpus, options());
  const double distance = mean_total_variation(made_->topics, fit.model.topics);
  RecordProperty("not_private", std::to_string(distance));
  EXPECT_LE(distance, 0.015);
}

}  // namespace
}  // namespace sotto
