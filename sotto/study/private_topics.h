// Single-topic models from documents of three words, privately: the experiment of Imtiaz & Sarwate
// 2018 (their Figure 1), with the strict releases of release/private_documents.h beside the
// published ones.
//
// Topics are drawn from Dirichlet(0.3) and equally likely; the error is e_comp
// (models/topic_evaluation.h). Documents and truth are synthetic and public, and the noise comes
// from a seed, so that every figure can be reproduced.
#pragma once

#include <cstdint>

#include "sotto/release/calibration.h"
#include "sotto/tasks/topics.h"

namespace sotto {

struct TopicProblem {
  Corpus corpus;
  Matrix truth;                                 // V x k
  DocumentModel model = DocumentModel::single;  // lda: with alpha0 1

  TopicsTask task(std::uint64_t seed) const;
  // Treats the documents as if they belonged to persons. Papers take a delta of one over the number
  // of documents and more; it is accepted here, where nobody can be exposed.
  TopicsTask private_task(const PrivacyTarget& target, std::uint64_t seed) const;
  Sensitive<Corpus> documents() const { return Sensitive<Corpus>(corpus); }
};

TopicProblem three_word_problem(Index words, Index topics, Index documents, std::uint64_t seed);

// One private run: e_comp of a published method, and of the strict releases.
double published_topic_error(const TopicProblem& problem, PublishedTopics method,
                             const PrivacyTarget& target, std::uint64_t seed);
double strict_topic_error(const TopicProblem& problem, const PrivacyTarget& target,
                          std::uint64_t seed);
// The strict releases with this mechanism instead of their own choice.
double strict_topic_error_by(const TopicProblem& problem, TopicMechanism mechanism,
                             const PrivacyTarget& target, std::uint64_t seed);

// Where the strict form refuses, because its noise is larger than the moments, the error is that of
// random topics.

// The two ends of the scale: the same recovery without noise, and topics drawn uniformly from the
// simplex without looking at the documents.
double exact_topic_error(const TopicProblem& problem, std::uint64_t seed);
double random_topic_error(const TopicProblem& problem, std::uint64_t seed);

// The other trivial answer: all of epsilon buys the frequencies of the words, and every topic is
// these.
double frequency_topic_error(const TopicProblem& problem, const PrivacyTarget& target,
                             std::uint64_t seed);

}  // namespace sotto
