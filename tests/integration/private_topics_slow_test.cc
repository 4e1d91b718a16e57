// How near private topics come at a realistic size: docs/topics.md has more.
#include <gtest/gtest.h>

#include "sotto/models/topic_evaluation.h"
#include "sotto/synthetic/corpus.h"
#include "sotto/tasks/topics.h"

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

  static TopicsTask task() {
    TopicsTask task;
    task.topics.topics = 10;
    return task;
  }
  static double private_distance(double epsilon) {
    TopicsTask asked = task();
    asked.privacy.epsilon = epsilon;
    asked.privacy.delta = 1e-6;
    const TopicsResult result = run(Sensitive<Corpus>(made_->corpus), asked);
    const Certificate& certificate = result.released->certificate;
    EXPECT_TRUE(certificate.proved) << certificate.why;
    EXPECT_LE(certificate.epsilon, epsilon);
    return mean_total_variation(made_->topics, result.model.topics);
  }
  static inline std::unique_ptr<SyntheticCorpus> made_;
};

TEST_F(PrivateTopicRecovery, total_variation_falls_with_epsilon) {
  // Measured: 0.0385, 0.0235, 0.0165.
  for (const auto& [epsilon, bound] :
       {std::pair(0.5, 0.06), std::pair(1.0, 0.04), std::pair(2.0, 0.03)}) {
    const double distance = private_distance(epsilon);
    RecordProperty("epsilon_" + std::to_string(epsilon), std::to_string(distance));
    EXPECT_LE(distance, bound) << epsilon;
  }
}

TEST_F(PrivateTopicRecovery, without_privacy) {
  const TopicsResult result =
      run(Input<Corpus>(Sensitive<Corpus>(made_->corpus), PublicDeclaration("made up")), task());
  const double distance = mean_total_variation(made_->topics, result.model.topics);
  RecordProperty("not_private", std::to_string(distance));
  EXPECT_LE(distance, 0.015);
}

}  // namespace
}  // namespace sotto
