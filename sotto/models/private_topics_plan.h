// Which releases a private topic model is made of, and what each costs. Public numbers decide this
// before a document is read. private_topics.h makes the releases; docs/topics.md has the
// measurements behind the shares.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sotto/models/topic_model.h"
#include "sotto/moments/document_moments.h"
#include "sotto/release/plan.h"
#include "sotto/release/private_documents.h"
#include "sotto/release/private_vocabulary.h"

namespace sotto {

// Shares of mu^2.
struct TopicBudget {
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
  TopicBudget shares;
  std::int64_t steps = 0;            // expectation steps that are paid for
  bool may_skip_steps = false;       // whether the first moment may decide against them
  std::optional<std::int64_t> core;  // words of the core; empty: the first moment decides
  // The rules by which documents are weighted (moments/document_moments.h).
  bool flat = false;  // few words and much data: moments without bias
  double first_rule = kUnitNorm;
  double moment_rule = kUnitNorm;

  // The cost of a release with this share of the budget: slightly less than the share, to allow for
  // rounding.
  double mu_of(double share) const;
  // How words are chosen where the vocabulary is not public.
  VocabularyPlan vocabulary() const;
  // The size of the core, from the strength of the signal that the first moment shows.
  Index core_for(double strength) const;
  // Whether the topics, and not the frequencies alone, are expected to stand out of the noise of
  // the second moment. Expectation steps start from them; where they do not stand out, steps learn
  // nothing, and the second moment gets their share.
  bool topics_stand_out(double strength) const;
};

// Words of the second moment for each unit of signal over noise.
constexpr double kWordsForStrength = 4;

// The third moment of a core is released on this many leading directions of the second moment and
// on the vector of ones: third_dimensions in total.
Index third_directions(Index topics, Index core);
Index third_dimensions(Index topics, Index core);

PrivateTopicPlan plan_private_topics(const PublicCorpusShape& shape, const TopicOptions& options,
                                     const DocumentPrivacyOptions& privacy);

// Refuses more topics than the vocabulary has words.
void require_words(Index topics, Index words);

// The plan of the run, without forecasts.
Plan run_plan(const PrivateTopicPlan& plan);

// What a run can expect, from public numbers and a guess at the documents.
struct TopicForecast {
  double first_noise;   // of a word's share, in documents of the guessed length
  double second_noise;  // of a pair's share
  double core;          // words that are expected to stand out in the second moment
  double threshold;     // documents a word must be in, when the words are chosen; else 0
  double chosen;        // words that are expected to be chosen; else 0
};
// Assumes documents of `length` different words, and the r-th word as frequent as 1/(r + V/100),
// which fits text without its stop words. A vocabulary that is to be chosen counts as 10,000 words,
// of which the r-th is as frequent as 1/(r + 15).
TopicForecast forecast_topics(const PrivateTopicPlan& plan, double alpha0, double length);

// The epsilon from which on a run tells topics apart half as well as a run without privacy does,
// for topics that share as many words as is guessed; `least` and `most` are for topics that share
// fewer or more than was measured on real corpora. Infinite where no epsilon up to 100 reaches it.
// docs/planning.md has the measurements.
struct TopicEpsilon {
  double expected, least, most;
};
TopicEpsilon expected_topic_epsilon(const PublicCorpusShape& shape, const TopicOptions& options,
                                    const DocumentPrivacyOptions& privacy, double length,
                                    SharedWords shared = SharedWords::some);

}  // namespace sotto
