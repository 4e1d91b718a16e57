// Which releases a private topic model is made of, and what each costs: decided from public numbers
// before a document is read. private_topics.h makes them; docs/topics.md has the measurements
// behind the shares.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sotto/models/topic_model.h"
#include "sotto/release/plan.h"
#include "sotto/release/private_documents.h"
#include "sotto/release/private_vocabulary.h"

namespace sotto {

// Shares of mu^2.
struct TopicShares {
  double vocabulary = 0;
  double first = 0.1;
  double second = 0.5;
  double third = 0;
  double steps = 0.4;  // all expectation steps together

  double of_step(std::int64_t step, std::int64_t steps_in_all) const;
};

struct PrivateTopicPlan {
  TopicMechanism mechanism = TopicMechanism::pairs;  // not automatic
  PublicCorpusShape shape{};
  PrivacyTarget target{};
  Index topics = 0;
  double mu = 0;                // of the whole run
  double vocabulary_delta = 0;  // part of delta for choosing the words
  TopicShares shares;
  std::int64_t steps = 0;            // expectation steps that are paid for
  bool may_skip_steps = false;       // whether the first moment may decide against them
  std::optional<std::int64_t> core;  // words of the core, when not left to the first moment

  // What a release with this share of the budget costs: a hair less, for the rounding of shares.
  double mu_of(double share) const;
  // How words are chosen where the vocabulary is not public.
  VocabularyPlan vocabulary() const;
  // The core follows from the strength of the signal that the first moment shows.
  Index core_for(double strength) const;
};

// Words of the second moment for each unit of signal over noise.
constexpr double kWordsForStrength = 4;

// The third moment of a core is released on so many leading directions of the second, and on the
// vector of ones: that many dimensions in all.
Index third_directions(Index topics, Index core);
Index third_dimensions(Index topics, Index core);

PrivateTopicPlan plan_private_topics(const PublicCorpusShape& shape, const TopicOptions& options,
                                     const DocumentPrivacyOptions& privacy);

// Refuses more topics than the vocabulary has words.
void require_words(Index topics, Index words);

// The plan that the run is made from, without forecasts.
Plan run_plan(const PrivateTopicPlan& plan);

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
// Infinite where no epsilon up to 100 reaches it.
double expected_topic_epsilon(const PublicCorpusShape& shape, const TopicOptions& options,
                              const DocumentPrivacyOptions& privacy, double length);

}  // namespace sotto
