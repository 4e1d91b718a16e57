#include "sotto/models/published_topics.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sotto/base/error.h"
#include "sotto/models/topic_evaluation.h"
#include "sotto/moments/testing/enumerated_moments.h"
#include "sotto/release/private_documents.h"
#include "sotto/synthetic/corpus.h"

namespace sotto {
namespace {

SyntheticCorpus problem(DocumentModel model) {
  CorpusModel corpus;
  corpus.documents = 4000;
  corpus.vocabulary = 12;
  corpus.topics = 3;
  corpus.model = model;
  corpus.weights = {5, 3, 2};
  corpus.alpha0 = 0.5;
  corpus.beta = 0.3;
  corpus.length = 20;
  corpus.seed = 4;
  SyntheticCorpus made = generate_corpus(corpus);
  made.corpus.vocabulary_is_declared = true;
  return made;
}

TopicOptions options(DocumentModel model) {
  TopicOptions result;
  result.topics = 3;
  result.model = model;
  result.alpha0 = 0.5;
  result.starts = 8;
  return result;
}

struct Published {
  PublishedTopicFit fit;
  Certificate certificate;
};

Published fit(const SyntheticCorpus& made, DocumentModel model, PublishedTopics method,
              double epsilon) {
  const PrivacyTarget target{epsilon, 1e-5};
  const Sensitive<Corpus> data(made.corpus);
  const Plan plan = plan_published_topics(public_shape(data), options(model), method, target);
  PrivateRun run(plan, NoiseKey::from_system());
  PublishedTopicFit found = fit_published_topics(data, options(model), method, target, run);
  return {std::move(found), run.certify()};
}

bool is_for_single_topics(PublishedTopics method) {
  return method == PublishedTopics::agn || method == PublishedTopics::avn ||
         method == PublishedTopics::dp_tpm;
}

TEST(PublishedTopics, recover_the_topics_when_the_noise_is_small) {
  for (const DocumentModel model : {DocumentModel::single, DocumentModel::lda}) {
    const SyntheticCorpus made = problem(model);
    for (const auto& [method, name] : enum_names(PublishedTopics{})) {
      if (method == PublishedTopics::off) continue;
      if (model == DocumentModel::lda && is_for_single_topics(method)) continue;
      // The noise of later configurations is larger; avn is refused where its pure part hides
      // nothing.
      const double epsilon = method == PublishedTopics::dp_tpm ? 1e8
                             : method == PublishedTopics::avn  ? 1100
                                                               : 1e6;
      const TopicModel found = fit(made, model, method, epsilon).fit.model;
      EXPECT_LT(mean_total_variation(made.topics, found.topics), 0.1)
          << name_of(model) << " " << name;
    }
  }
}

TEST(PublishedTopics, are_distributions_whatever_the_noise) {
  const SyntheticCorpus made = problem(DocumentModel::single);
  for (const PublishedTopics method :
       {PublishedTopics::agn, PublishedTopics::avn, PublishedTopics::dp_tpm,
        PublishedTopics::esmaeili_1, PublishedTopics::esmaeili_4}) {
    const TopicModel found = fit(made, DocumentModel::single, method, 0.01).fit.model;
    EXPECT_GE(found.topics.minCoeff(), 0) << name_of(method);
    EXPECT_LT((found.topics.colwise().sum().array() - 1).abs().maxCoeff(), 1e-12)
        << name_of(method);
    EXPECT_GT(found.alpha.minCoeff(), 0) << name_of(method);
  }
}

TEST(PublishedTopics, certificates_are_proved_for_noise_on_the_moments_alone) {
  const SyntheticCorpus made = problem(DocumentModel::single);
  for (const PublishedTopics method :
       {PublishedTopics::agn, PublishedTopics::avn, PublishedTopics::esmaeili_1}) {
    const Published found = fit(made, DocumentModel::single, method, 1);
    EXPECT_TRUE(found.certificate.proved) << name_of(method) << found.certificate.why;
    EXPECT_TRUE(found.fit.conditions.empty()) << name_of(method);
    EXPECT_EQ(found.certificate.statement.claimed->epsilon, 1);
  }
  for (const PublishedTopics method : {PublishedTopics::dp_tpm, PublishedTopics::esmaeili_2,
                                       PublishedTopics::esmaeili_3, PublishedTopics::esmaeili_4}) {
    const Published found = fit(made, DocumentModel::single, method, 1);
    EXPECT_FALSE(found.certificate.proved) << name_of(method);
    EXPECT_EQ(found.fit.conditions.empty(), method == PublishedTopics::dp_tpm);
    EXPECT_NO_THROW(found.certificate.to_json().dump());
  }
}

// Compares the plan with the certificate, release by release.
TEST(PublishedTopics, release_what_was_planned) {
  const SyntheticCorpus made = problem(DocumentModel::single);
  const PublicCorpusShape shape{made.corpus.documents(), made.corpus.vocabulary_size};
  for (const auto& [method, name] : enum_names(PublishedTopics{})) {
    if (method == PublishedTopics::off) continue;
    const Plan plan =
        plan_published_topics(shape, options(DocumentModel::single), method, {1, 1e-5});
    const Certificate certificate = fit(made, DocumentModel::single, method, 1).certificate;
    ASSERT_EQ(plan.releases.size(), certificate.releases.size()) << name;
    double share = 0;
    for (std::size_t i = 0; i < plan.releases.size(); ++i) {
      const PlannedRelease& planned = plan.releases[i];
      const ReleaseRecord& record = certificate.releases[i].record;
      EXPECT_EQ(planned.what, record.what) << name;
      EXPECT_EQ(planned.mechanism, record.mechanism) << name << " " << planned.what;
      EXPECT_EQ(planned.values, record.values) << name << " " << planned.what;
      EXPECT_EQ(planned.count, record.count) << name << " " << planned.what;
      if (planned.noise) {
        EXPECT_EQ(*planned.noise, record.noise) << name << " " << planned.what;
      }
      share += planned.share;
    }
    EXPECT_LE(share, 1) << name;
  }
}

TEST(PublishedTopics, refuse_what_they_cannot_do) {
  const auto lda = DocumentModel::lda;
  SyntheticCorpus made = problem(lda);
  EXPECT_THROW(fit(made, lda, PublishedTopics::agn, 1), Error);
  EXPECT_THROW(fit(made, lda, PublishedTopics::dp_tpm, 1), Error);
  EXPECT_THROW(fit(made, lda, PublishedTopics::off, 1), Error);
  made.corpus.vocabulary_size = kMostDenseWords + 1;
  EXPECT_THROW(fit(made, lda, PublishedTopics::esmaeili_1, 1), Error);
  EXPECT_THROW(fit(made, lda, PublishedTopics::esmaeili_4, 1), Error);
  made = problem(lda);
  made.corpus.vocabulary_is_declared = false;
  EXPECT_THROW(fit(made, lda, PublishedTopics::esmaeili_1, 1), Error);
}

}  // namespace
}  // namespace sotto
