#include "sotto/models/private_topics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <variant>

#include "sotto/base/error.h"
#include "sotto/models/private_topics_estimate.h"
#include "sotto/moments/testing/enumerated_moments.h"
#include "sotto/release/testing/ask_documents.h"

namespace sotto {
namespace {

using namespace sotto::testing;

DocumentPrivacyOptions privacy(double epsilon,
                               TopicMechanism mechanism = TopicMechanism::automatic) {
  DocumentPrivacyOptions options;
  options.epsilon = epsilon;
  options.delta = 1e-6;
  options.mechanism = mechanism;
  return options;
}

TopicOptions topics(std::int64_t k, DocumentModel model = DocumentModel::lda,
                    std::optional<std::int64_t> refine = {}) {
  TopicOptions options;
  options.topics = k;
  options.model = model;
  options.refine = refine;
  options.starts = 4;
  options.iterations = 20;
  return options;
}

double sum(const TopicBudget& s) { return s.first + s.second + s.third + s.steps; }

TEST(PrivateTopicPlan, shares_sum_to_one_and_go_to_steps_that_are_taken) {
  for (const auto& [mechanism, mechanism_name] : enum_names(TopicMechanism{})) {
    for (const auto& [model, model_name] : enum_names(DocumentModel{})) {
      const bool lda = model == DocumentModel::lda;
      for (const std::optional<std::int64_t> refine :
           {std::optional<std::int64_t>(), std::optional<std::int64_t>(0),
            std::optional<std::int64_t>(1), std::optional<std::int64_t>(20)}) {
        if (!lda && refine.value_or(0) > 0) continue;
        const PrivateTopicPlan plan =
            plan_private_topics({1000, 50}, topics(3, model, refine), privacy(1, mechanism));
        EXPECT_LE(sum(plan.shares), 1 + 1e-15);
        EXPECT_GE(sum(plan.shares), 1 - 1e-15);
        for (const double share :
             {plan.shares.first, plan.shares.second, plan.shares.third, plan.shares.steps}) {
          EXPECT_GE(share, 0);
        }
        EXPECT_EQ(plan.shares.third > 0, plan.mechanism == TopicMechanism::triples);
        EXPECT_EQ(plan.mechanism, mechanism != TopicMechanism::automatic ? mechanism
                                  : lda                                  ? TopicMechanism::pairs
                                                                         : TopicMechanism::triples);
        EXPECT_EQ(plan.shares.steps > 0, plan.steps > 0);
        EXPECT_EQ(plan.steps, lda ? refine.value_or(3) : 0);
        EXPECT_EQ(plan.may_skip_steps, lda && !refine && plan.mechanism == TopicMechanism::pairs);
      }
    }
  }
}

TEST(PrivateTopicPlan, few_words_and_much_data_are_taken_without_bias) {
  const auto plan_of = [](Index documents, Index words, double epsilon) {
    return plan_private_topics({documents, words}, topics(2), privacy(epsilon));
  };
  for (const Index words : {10, 20, 50}) {
    const PrivateTopicPlan plan = plan_of(100000, words, 1);
    EXPECT_EQ(plan.mechanism, TopicMechanism::triples);
    EXPECT_EQ(plan.steps, 0);
    EXPECT_EQ(plan.core, words);
    EXPECT_LT(plan.moment_rule, 0);
    EXPECT_NEAR(sum(plan.shares), 1, 1e-15);
    EXPECT_EQ(plan_of(3000, words, 1).mechanism, TopicMechanism::pairs);
    EXPECT_EQ(plan_of(100000, words, 0.03).mechanism, TopicMechanism::pairs);
  }
  EXPECT_LT(plan_of(100000, 50, 1).moment_rule, plan_of(100000, 20, 1).moment_rule);
  EXPECT_EQ(plan_of(900000, 1000, 8).mechanism, TopicMechanism::pairs);
}

// In a core of 4 S words, topics of variance 2.5 exceed the noise from the strength S on where
// 2.5 S = k sqrt(4 S).
TEST(PrivateTopicPlan, topics_stand_out_where_they_exceed_the_noise_of_the_second_moment) {
  for (const std::int64_t k : {5, 10}) {
    const PrivateTopicPlan plan = plan_private_topics({5000, 10000}, topics(k), privacy(1));
    const double least = 0.64 * static_cast<double>(k * k);
    EXPECT_FALSE(plan.topics_stand_out(0.95 * least));
    EXPECT_TRUE(plan.topics_stand_out(1.05 * least));
    DocumentPrivacyOptions large = privacy(1);
    large.core = 4000;
    EXPECT_FALSE(
        plan_private_topics({5000, 10000}, topics(k), large).topics_stand_out(1.05 * least));
  }
}

TEST(PrivateTopicPlan, costs_no_more_than_the_budget_holds) {
  for (const double epsilon : {1e-3, 0.1, 1.0, 10.0}) {
    const PrivateTopicPlan plan = plan_private_topics({100000, 1000}, topics(10), privacy(epsilon));
    const double all = Budget::gaussian(epsilon, 1e-6).gaussian_left();
    EXPECT_LE(plan.mu, all);
    EXPECT_GT(plan.mu, all * (1 - 1e-5));
  }
}

TEST(PrivateTopicPlan, refuses_what_cannot_be) {
  const auto place = [](const TopicOptions& options, const DocumentPrivacyOptions& asked,
                        PublicCorpusShape shape = {100, 20}) {
    try {
      plan_private_topics(shape, options, asked);
      return std::string("none");
    } catch (const Error& error) {
      return error.place();
    }
  };
  EXPECT_EQ(place(topics(3), privacy(1)), "none");
  EXPECT_EQ(place(topics(21), privacy(1)), "`topics`");
  EXPECT_EQ(place(topics(3, DocumentModel::single, 2), privacy(1)), "`refine`");
  DocumentPrivacyOptions core = privacy(1);
  core.core = 2;
  EXPECT_EQ(place(topics(3), core), "`core`");
  core.core = 21;
  EXPECT_EQ(place(topics(3), core), "`core`");
  core.core = 3;
  EXPECT_EQ(place(topics(3), core), "none");
  // More topics than the largest core has words.
  EXPECT_EQ(place(topics(5000), privacy(1), {100, 10000}), "`topics`");
}

TEST(DocumentPrivacyOptions, go_together_or_are_refused) {
  DocumentPrivacyOptions options;
  EXPECT_NO_THROW(options.check());
  options.delta = 1e-6;
  EXPECT_THROW(options.check(), Error);
  options.epsilon = 1;
  EXPECT_NO_THROW(options.check());
  options.delta.reset();
  EXPECT_THROW(options.check(), Error);
  for (int which = 0; which < 3; ++which) {
    DocumentPrivacyOptions alone;
    if (which == 0) alone.mechanism = TopicMechanism::pairs;
    if (which == 1) alone.core = 10;
    if (which == 2) alone.insecure_seed = 1;
    EXPECT_THROW(alone.check(), Error) << which;
  }
}

struct Outcome {
  PrivateTopicFit fit;
  Certificate certificate;
  PrivateTopicPlan plan;
};

Outcome run(Corpus corpus, const TopicOptions& options, const DocumentPrivacyOptions& asked,
            bool secure = true, const WordCounts* background = nullptr) {
  const PublicCorpusShape shape{corpus.documents(), corpus.vocabulary_size};
  const PrivateTopicPlan plan = plan_private_topics(shape, options, asked);
  PrivateRun releases(run_plan(plan),
                      secure ? NoiseKey::from_system() : NoiseKey::insecure_from_seed(5));
  PrivateTopicFit fit =
      fit_private_topics(sensitive_documents(Sensitive<Corpus>(std::move(corpus))), plan, options,
                         background, releases);
  return {std::move(fit), releases.certify(), plan};
}

double spent(const Certificate& certificate) {
  double square = 0;
  for (const CertifiedRelease& release : certificate.releases) {
    square += std::pow(std::get<GaussianCost>(release.record.cost).mu, 2);
  }
  return std::sqrt(square);
}

void expect_distributions(const PrivateTopicFit& fit) {
  EXPECT_TRUE(fit.model.topics.allFinite());
  EXPECT_GE(fit.model.topics.minCoeff(), 0);
  EXPECT_LT((fit.model.topics.colwise().sum().array() - 1).abs().maxCoeff(), 1e-9);
  EXPECT_GE(fit.model.alpha.minCoeff(), 0);
  EXPECT_NEAR(fit.model.alpha.sum(), 1, 1e-9);
  EXPECT_NEAR(fit.frequencies.sum(), 1, 1e-9);
}

TEST(PrivateTopics, every_run_stays_within_its_target_and_spends_it) {
  for (const TopicMechanism mechanism : {TopicMechanism::pairs, TopicMechanism::triples}) {
    for (const double epsilon : {0.3, 2.0}) {
      for (const Index documents : {2500, 20000}) {
        const Outcome o =
            run(random_corpus(documents, 9, 1, 1), topics(2), privacy(epsilon, mechanism));
        expect_distributions(o.fit);
        EXPECT_TRUE(o.certificate.proved) << o.certificate.why;
        EXPECT_LE(o.certificate.epsilon, epsilon);
        EXPECT_LE(spent(o.certificate), o.plan.mu);
        EXPECT_GT(spent(o.certificate), o.plan.mu * (1 - 1e-6));
        const std::size_t moments = mechanism == TopicMechanism::triples ? 3 : 2;
        EXPECT_EQ(o.certificate.releases.size(), moments + std::size_t(o.fit.steps));
        EXPECT_LE(o.fit.core, 9);
      }
    }
  }
}

double epsilon_for(Index documents, Index words, std::int64_t k, double length) {
  return expected_topic_epsilon({documents, words}, topics(k), privacy(1), length).expected;
}

TEST(PrivateTopics, more_is_expected_of_more_documents_longer_ones_fewer_words_and_topics) {
  const double usual = epsilon_for(5000, 2000, 5, 50);
  EXPECT_LT(epsilon_for(50000, 2000, 5, 50), usual);
  EXPECT_LT(epsilon_for(5000, 2000, 5, 200), usual);
  EXPECT_GT(epsilon_for(5000, 8000, 5, 50), usual);
  EXPECT_GT(epsilon_for(5000, 2000, 20, 50), usual);
  EXPECT_TRUE(std::isinf(epsilon_for(40, 2000, 5, 50)));  // not ten documents a topic
  const TopicEpsilon range = expected_topic_epsilon({5000, 2000}, topics(5), privacy(1), 50);
  EXPECT_LT(range.least, range.expected);
  EXPECT_GT(range.most, range.expected);
  const auto shared = [](SharedWords words) {
    return expected_topic_epsilon({5000, 2000}, topics(5), privacy(1), 50, words).expected;
  };
  EXPECT_EQ(shared(SharedWords::some), range.expected);
  EXPECT_LT(shared(SharedWords::few), 0.5 * range.expected);
  EXPECT_GT(shared(SharedWords::many), 2 * range.expected);
  // Words that have to be chosen are a second condition.
  const PrivateTopicPlan few = plan_private_topics({1000, 0}, topics(5), privacy(1)),
                         many = plan_private_topics({50000, 0}, topics(5), privacy(1));
  EXPECT_LT(forecast_topics(few, 1, 6).chosen, 20);
  EXPECT_GT(forecast_topics(many, 1, 6).chosen, 100);
  EXPECT_EQ(forecast_topics(plan_private_topics({1000, 300}, topics(5), privacy(1)), 1, 6).chosen,
            0);
}

TEST(PrivateTopics, steps_are_left_out_where_they_would_not_pay_and_their_share_is_used) {
  // Nine topics stand out from a strength of 10.8 on. That of 80 documents is 2.5, and its noise
  // has a deviation of 0.7.
  const Outcome weak = run(random_corpus(80, 9, 2, 1), topics(9), privacy(1));
  EXPECT_EQ(weak.fit.steps, 0);
  ASSERT_EQ(weak.certificate.releases.size(), 2u);
  const double second = std::get<GaussianCost>(weak.certificate.releases[1].record.cost).mu;
  EXPECT_NEAR(second, weak.plan.mu * std::sqrt(0.9), 1e-6 * second);

  const Outcome strong =
      run(random_corpus(20000, 9, 2, 1), topics(2), privacy(1, TopicMechanism::pairs));
  EXPECT_EQ(strong.fit.steps, 3);
  EXPECT_EQ(strong.certificate.releases.size(), 5u);

  // Steps that the user asks for are taken.
  const Outcome asked =
      run(random_corpus(300, 9, 2, 1), topics(2, DocumentModel::lda, 2), privacy(1));
  EXPECT_EQ(asked.fit.steps, 2);
  EXPECT_EQ(asked.certificate.releases.size(), 4u);
  const Outcome none =
      run(random_corpus(20000, 9, 2, 1), topics(2, DocumentModel::lda, 0), privacy(1));
  EXPECT_EQ(none.certificate.releases.size(), 2u);
  for (const Outcome* o : {&weak, &strong, &asked, &none}) {
    EXPECT_LE(spent(o->certificate), o->plan.mu);
  }
}

// Documents of two words have no third moment: the released first moment says so.
TEST(PrivateTopics, short_documents_of_few_words_have_topics_without_a_third_moment) {
  std::vector<Counts> documents;
  for (int n = 0; n < 20000; ++n) {
    Counts counts(9, 0);
    const bool low = n % 2 == 0;
    counts[static_cast<std::size_t>(low ? n % 3 : 4 + n % 5)] += 1;
    counts[static_cast<std::size_t>(low ? n % 2 : 4 + n % 4)] += 1;
    documents.push_back(counts);
  }
  Corpus corpus = corpus_of(documents);
  const Outcome found = run(corpus, topics(2), privacy(1));
  EXPECT_TRUE(found.plan.flat);
  EXPECT_EQ(found.certificate.releases.size(), 2u);
  EXPECT_NEAR(spent(found.certificate), found.plan.mu, 1e-6 * found.plan.mu);
}

TEST(PrivateTopics, an_insecure_seed_repeats_and_proves_nothing) {
  const Corpus corpus = random_corpus(3000, 9, 3, 1);
  const Outcome a = run(corpus, topics(2), privacy(1), false);
  const Outcome b = run(corpus, topics(2), privacy(1), false);
  EXPECT_EQ(a.fit.model.topics, b.fit.model.topics);
  EXPECT_FALSE(a.certificate.proved);
  EXPECT_NE(run(corpus, topics(2), privacy(1)).fit.model.topics,
            run(corpus, topics(2), privacy(1)).fit.model.topics);
}

// As many topics as words, and a core with as many words as there are topics.
TEST(PrivateTopics, the_smallest_vocabularies_have_topics) {
  for (const TopicMechanism mechanism : {TopicMechanism::pairs, TopicMechanism::triples}) {
    const Outcome all = run(random_corpus(5000, 3, 4), topics(3), privacy(5, mechanism));
    expect_distributions(all.fit);
    DocumentPrivacyOptions narrow = privacy(5, mechanism);
    narrow.core = 3;
    const Outcome core = run(random_corpus(5000, 8, 5), topics(3), narrow);
    expect_distributions(core.fit);
    EXPECT_EQ(core.fit.core, 3);
    expect_distributions(run(random_corpus(5000, 8, 5), topics(1), privacy(5, mechanism)).fit);
  }
}

// Empty documents, or noise far above any signal: the run ends with a model or one clear refusal,
// and never with a number that is not finite.
TEST(PrivateTopics, noise_alone_gives_a_model_or_a_refusal) {
  Corpus empty;
  empty.vocabulary_size = 6;
  empty.vocabulary_is_declared = true;
  empty.begin.assign(21, 0);
  int refused = 0, done = 0;
  for (int trial = 0; trial < 40; ++trial) {
    try {
      expect_distributions(
          run(trial % 2 ? empty : random_corpus(20, 6, 6, 1), topics(2),
              privacy(0.01, trial % 4 < 2 ? TopicMechanism::pairs : TopicMechanism::triples))
              .fit);
      ++done;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("too few documents"), std::string::npos)
          << error.what();
      ++refused;
    }
  }
  EXPECT_GT(done, 0);
  EXPECT_GT(refused, 0);
}

// 600 words, of which a document has six, by a law like that of language.
Corpus rare_words(Index documents, WordCounts* counts) {
  SeededRandom random(11);
  std::vector<Counts> all;
  for (Index n = 0; n < documents; ++n) {
    Counts document(600, 0);
    for (int token = 0; token < 6; ++token) {
      ++document[static_cast<std::size_t>(600 * std::pow(random.uniform(), 3))];
    }
    all.push_back(std::move(document));
  }
  Corpus corpus = corpus_of(all);
  for (int w = 0; w < 600; ++w) {
    corpus.vocabulary.push_back("w" + std::to_string(w));
    (*counts)[corpus.vocabulary.back()] = 1 + 100 * (std::cbrt(w + 1.0) - std::cbrt(double(w)));
  }
  return corpus;
}

TEST(PrivateTopics, a_background_gives_the_frequencies_of_words_that_do_not_stand_out) {
  WordCounts counts;
  const Corpus corpus = rare_words(2000, &counts);
  const std::vector<std::int64_t> frequency = word_frequency(corpus);
  Vector truth(600);
  for (Index w = 0; w < 600; ++w) truth[w] = double(frequency[static_cast<std::size_t>(w)]);
  truth /= truth.sum();
  const auto distance = [&](const WordCounts* background) {
    const Outcome o = run(corpus, topics(2), privacy(0.5), false, background);
    expect_distributions(o.fit);
    return (o.fit.frequencies - truth).lpNorm<1>();
  };
  EXPECT_LT(distance(&counts), 0.5 * distance(nullptr));
  // One that says nothing makes little worse, and one that is wrong is found out where words stand
  // out.
  WordCounts flat, wrong;
  for (const auto& [word, count] : counts) flat[word] = 1, wrong[word] = 1 / count;
  EXPECT_LT(distance(&flat), 1.1 * distance(nullptr));
  EXPECT_LT(distance(&wrong), 1.1 * distance(nullptr));
}

TEST(PrivateTopics, words_that_a_background_does_not_count_get_half_of_its_least_count) {
  const Vector found = background_of({{"a", 6}, {"b", 2}, {"c", 0}}, {"b", "new", "a", "c"});
  EXPECT_LT((found - Vector{{0.2, 0.1, 0.6, 0.1}}).norm(), 1e-15);
}

}  // namespace
}  // namespace sotto
