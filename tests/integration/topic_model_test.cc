// Topic models on synthetic corpora with known topics.
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/models/topic_evaluation.h"
#include "sotto/models/topic_model.h"
#include "sotto/synthetic/corpus.h"

namespace sotto {
namespace {

CorpusModel small_model(DocumentModel model, std::int64_t documents) {
  CorpusModel m;
  m.documents = documents;
  m.vocabulary = 100;
  m.topics = 4;
  m.model = model;
  m.length = 60;
  m.weights = {4, 3, 2, 1};
  return m;
}

TopicOptions options_for(const CorpusModel& model) {
  TopicOptions options;
  options.topics = model.topics;
  options.model = model.model;
  options.alpha0 = model.alpha0;
  return options;
}

void expect_shares(const Vector& alpha, const Vector& weights, double tolerance) {
  Vector found = alpha / alpha.sum(), truth = weights;
  std::sort(found.begin(), found.end());
  std::sort(truth.begin(), truth.end());
  EXPECT_LT((found - truth).norm(), tolerance);
}

// Without a clip the moments are unbiased, and the distance falls like 1/sqrt(N). The median clip
// shrinks documents depending on their content; the refinement corrects this.
TEST(TopicRecovery, moments_alone_come_near_and_nearer_with_more_documents) {
  for (const DocumentModel model : {DocumentModel::lda, DocumentModel::single}) {
    double last = 0.05;
    for (const std::int64_t documents : {3000, 27000}) {
      const CorpusModel made_by = small_model(model, documents);
      const SyntheticCorpus made = generate_corpus(made_by);
      TopicOptions options = options_for(made_by);
      options.clip = DocumentClip::none;
      options.refine = 0;
      const TopicFit fit = fit_topics(made.corpus, options);
      const double distance = mean_total_variation(made.topics, fit.model.topics);
      RecordProperty(std::string(name_of(model)) + std::to_string(documents),
                     std::to_string(distance));
      EXPECT_LT(distance, last) << name_of(model) << documents;
      last = 0.5 * distance;
      expect_shares(fit.model.alpha, made.weights, 2.7 / std::sqrt(double(documents)));
      EXPECT_EQ(fit.second_spectrum.size(), 4);
      EXPECT_GT(fit.second_spectrum.minCoeff(), 0);
    }
    EXPECT_LT(last, 0.005) << name_of(model);
  }
}

TEST(TopicRecovery, the_default_finds_topics_and_their_shares) {
  for (const DocumentModel model : {DocumentModel::lda, DocumentModel::single}) {
    const CorpusModel made_by = small_model(model, 20000);
    const SyntheticCorpus made = generate_corpus(made_by);
    const TopicFit fit = fit_topics(made.corpus, options_for(made_by));
    const double distance = mean_total_variation(made.topics, fit.model.topics);
    RecordProperty(std::string(name_of(model)), std::to_string(distance));
    EXPECT_LT(distance, 0.02) << name_of(model);
    EXPECT_LT(distance, mean_total_variation(made.topics, fit.spectral.topics)) << name_of(model);
    expect_shares(fit.model.alpha, made.weights, 0.03);
  }
}

TEST(TopicRecovery, every_form_and_clip_finds_the_topics) {
  const SyntheticCorpus made = generate_corpus(small_model(DocumentModel::lda, 4000));
  for (const auto& [form, form_name] : enum_names(MomentForm{})) {
    for (const auto& [clip, clip_name] : enum_names(DocumentClip{})) {
      TopicOptions options = options_for(small_model(DocumentModel::lda, 4000));
      options.form = form;
      options.clip = clip;
      const TopicFit fit = fit_topics(made.corpus, options);
      EXPECT_LT(mean_total_variation(made.topics, fit.model.topics), 0.03)
          << form_name << clip_name;
    }
  }
}

TEST(TopicRecovery, refinement_predicts_new_documents_better) {
  for (const DocumentModel model : {DocumentModel::lda, DocumentModel::single}) {
    const CorpusModel made_by = small_model(model, 1500);
    const CorpusGenerator generator(made_by);
    const Corpus corpus = generator.make(0, 1500), heldout = generator.make(1500, 500);
    std::vector<double> perplexity;
    for (const std::int64_t steps : {0, 1, 3, 10}) {
      TopicOptions options = options_for(made_by);
      options.refine = steps;
      const TopicModel found = fit_topics(corpus, options).model;
      perplexity.push_back(completion_perplexity(heldout, found, Vector::Ones(100), model).model);
      // The single-topic model is there after one step, but for the last digits.
      if (steps == 0) continue;
      EXPECT_LT(perplexity.back(), (1 + 1e-5) * perplexity.end()[-2]) << name_of(model);
    }
    EXPECT_LT(perplexity.back(), 0.999 * perplexity.front()) << name_of(model);
  }
}

TEST(TopicRecovery, any_number_of_threads_gives_the_same_bits) {
  const int before = omp_get_max_threads();
  for (const DocumentModel model : {DocumentModel::lda, DocumentModel::single}) {
    const SyntheticCorpus made = generate_corpus(small_model(model, 3000));
    omp_set_num_threads(1);
    const TopicFit one = fit_topics(made.corpus, options_for(small_model(model, 3000)));
    omp_set_num_threads(3);
    const TopicFit three = fit_topics(made.corpus, options_for(small_model(model, 3000)));
    EXPECT_EQ(one.spectral.topics, three.spectral.topics);
    EXPECT_EQ(one.model.topics, three.model.topics);
    EXPECT_EQ(one.model.alpha, three.model.alpha);
  }
  omp_set_num_threads(before);
}

// Whatever stage the user stops in, the run ends with an error and not with an unfinished model.
TEST(TopicRecovery, can_be_stopped_at_every_stage) {
  const CorpusModel made_by = small_model(DocumentModel::lda, 500);
  const SyntheticCorpus made = generate_corpus(made_by);
  TopicOptions options = options_for(made_by);
  options.refine = 2;
  std::set<std::string> stages;
  fit_topics(made.corpus, options, [&](const ProgressReport& report) {
    stages.insert(report.stage);
    return true;
  });
  EXPECT_GE(stages.size(), 3U);
  for (const std::string& stage : stages) {
    bool stopped = false;
    const ProgressCallback stop = [&](const ProgressReport& report) {
      stopped = stopped || report.stage == stage;
      return !stopped;
    };
    EXPECT_THROW(fit_topics(made.corpus, options, stop), Error) << stage;
  }
}

}  // namespace
}  // namespace sotto
