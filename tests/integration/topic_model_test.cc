// Topic models on synthetic corpora with known topics.
#include <gtest/gtest.h>
#include <omp.h>

#include "sotto/models/topic_evaluation.h"
#include "sotto/models/topic_model.h"
#include "sotto/synthetic/corpus.h"

namespace sotto {
namespace {

CorpusModel small_model(const std::string& model, std::int64_t documents) {
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

TEST(TopicRecovery, moments_come_near_and_refinement_nearer) {
  // Measured: 0.034 and 0.014 (lda), 0.010 and 0.008 (single).
  for (const auto& [model, spectral, refined] :
       {std::tuple("lda", 0.06, 0.025), std::tuple("single", 0.03, 0.02)}) {
    const SyntheticCorpus made = generate_corpus(small_model(model, 20000));
    const TopicFit fit = fit_topics(made.corpus, options_for(small_model(model, 20000)));
    const double before = mean_total_variation(made.topics, fit.spectral.topics);
    const double after = mean_total_variation(made.topics, fit.model.topics);
    RecordProperty(std::string(model) + "_spectral", std::to_string(before));
    RecordProperty(std::string(model) + "_refined", std::to_string(after));
    EXPECT_LT(before, spectral) << model;
    EXPECT_LT(after, refined) << model;
    Vector alpha = fit.model.alpha / fit.model.alpha.sum(), truth = made.weights;
    std::sort(alpha.begin(), alpha.end());
    std::sort(truth.begin(), truth.end());
    EXPECT_LT((alpha - truth).norm(), 0.03) << model;
    EXPECT_EQ(fit.second_spectrum.size(), 4);
    EXPECT_GT(fit.second_spectrum.minCoeff(), 0);
  }
}

TEST(TopicRecovery, every_form_and_clip_finds_the_topics) {
  const SyntheticCorpus made = generate_corpus(small_model("lda", 10000));
  for (const std::string form : {"unbiased", "plug-in"}) {
    for (const std::string clip : {"median", "none"}) {
      TopicOptions options = options_for(small_model("lda", 10000));
      options.form = form;
      options.clip = clip;
      const TopicFit fit = fit_topics(made.corpus, options);
      EXPECT_LT(mean_total_variation(made.topics, fit.model.topics), 0.03) << form << clip;
    }
  }
}

TEST(TopicRecovery, refinement_predicts_new_documents_better) {
  for (const std::string model : {"lda", "single"}) {
    const CorpusModel made_by = small_model(model, 1500);
    const CorpusGenerator generator(made_by);
    const Corpus corpus = generator.make(0, 1500), heldout = generator.make(1500, 500);
    double last = std::numeric_limits<double>::infinity();
    for (const std::int64_t steps : {0, 1, 3, 10}) {
      TopicOptions options = options_for(made_by);
      options.refine = steps;
      const Vector uniform = Vector::Ones(100);
      const double perplexity = completion_perplexity(heldout, fit_topics(corpus, options).model,
                                                      uniform, model == "single")
                                    .model;
      EXPECT_LT(perplexity, last) << model << " " << steps;
      last = perplexity;
    }
  }
}

TEST(TopicRecovery, any_number_of_threads_gives_the_same_bits) {
  const int before = omp_get_max_threads();
  for (const std::string model : {"lda", "single"}) {
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

}  // namespace
}  // namespace sotto
