// Private topics: the releases of release/private_documents, and what is made of them.
//
//   0. where no vocabulary is given: the words themselves (release/private_vocabulary.h).
//   1. first moment: word frequencies. From them the core, the most frequent words, as many as the
//      noise of the next release lets stand out: every further word brings noise into the
//      eigenvectors and hardly any signal. All words stay in the model.
//   2. second moment on the core. pairs: its non-negative factors are the topics (pair_topics.h).
//      triples: it whitens, and a third moment in k + 1 dimensions is decomposed (SPEC: tensor
//      method). Rare words are spread by their frequency.
//   3. pairs, where the first moment says it pays: expectation steps over all words, released as
//      counts with noise. Each estimate of a topic's words is linear with known noise; they are
//      averaged by precision and shrunk (shrinkage.h).
// The shares of the budget that each step gets are below; docs/topics.md has the measurements.
// Everything but the releases is post-processing of released values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sotto/base/progress.h"
#include "sotto/models/topic_model.h"
#include "sotto/privacy/certificate.h"
#include "sotto/release/private_documents.h"
#include "sotto/release/target_options.h"

namespace sotto {

struct DocumentPrivacyOptions : TargetOptions {
  std::string mechanism = "auto";  // pairs, triples
  std::optional<std::int64_t> core;

  OptionTable table();
  // Refuses what does not go together; without epsilon, every option that only privacy has.
  void check() const;
};

// Shares of mu^2.
struct TopicShares {
  double vocabulary = 0;
  double first = 0.1;
  double second = 0.5;
  double third = 0;
  double steps = 0.4;  // all expectation steps together
};

// The plan, from public numbers.
struct PrivateTopicPlan {
  std::string mechanism;
  PublicCorpusShape shape{};
  Index topics = 0;
  double mu = 0;                // of the whole run
  double vocabulary_delta = 0;  // part of delta for choosing the words
  TopicShares shares;
  std::int64_t steps = 0;            // expectation steps that are paid for
  bool may_skip_steps = false;       // whether the first moment may decide against them
  std::optional<std::int64_t> core;  // words of the core, when not left to the first moment
};

// `refine` empty: chosen here.
PrivateTopicPlan plan_private_topics(const PublicCorpusShape& shape, const TopicOptions& options,
                                     std::optional<std::int64_t> refine,
                                     const DocumentPrivacyOptions& privacy);

// What a run will meet, from public numbers and a guess at the documents.
struct TopicForecast {
  double first_noise;   // of a word's share, in documents of the guessed length
  double second_noise;  // of a pair's share
  double core;          // words that are expected to stand out in the second moment
  double threshold;     // documents a word must be in, when the words are chosen; else 0
};
// Documents of `length` different words; the r-th word as frequent as 1/(r + V/100), which is how
// text without its stop words goes. A vocabulary that is to be chosen counts as 10,000 words.
TopicForecast forecast_topics(const PrivateTopicPlan& plan, double alpha0, double length);

// The least epsilon at which the core is expected to have ten words a topic: below, topics are not.
double expected_topic_epsilon(const PublicCorpusShape& shape, const TopicOptions& options,
                              const DocumentPrivacyOptions& privacy, double length);

struct PrivateTopicFit {
  TopicModel model;
  std::vector<std::string> vocabulary;  // names of the words; empty when they have none
  Vector frequencies;                   // released, V, sum to one
  Index core = 0;                       // words of the second moment
  std::int64_t steps = 0;
};

// The budget of the run is what the plan was made for.
PrivateTopicFit fit_private_topics(Sensitive<Corpus> corpus, const PrivateTopicPlan& plan,
                                   const TopicOptions& options, PrivateRun& run,
                                   const ProgressCallback& progress = {});

}  // namespace sotto
