// Private topics: the releases of release/private_documents, in this order.
//
//   0. where no vocabulary is given: the words themselves (release/private_vocabulary.h).
//   1. first moment: word frequencies. They decide the core: the most frequent words, as many as
//      can stand out of the noise of the next release. Every further word would add noise to the
//      eigenvectors and hardly any signal. All words stay in the model.
//   2. second moment on the core. pairs: its non-negative factors are the topics (pair_topics.h).
//      triples: it whitens, and a third moment in k + 1 dimensions is decomposed (the tensor
//      method). Rare words are spread by their frequency.
//   3. pairs, where the first moment shows that it pays: expectation steps over all words, released
//      as counts with noise. Each estimate of a topic's words is linear with known noise; the
//      estimates are averaged by precision and shrunk (shrinkage.h).
// private_topics_plan.h decides what each may cost, private_topics_estimate.h what is made of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sotto/base/progress.h"
#include "sotto/base/sensitive.h"
#include "sotto/models/private_topics_plan.h"
#include "sotto/release/private_run.h"
#include "sotto/tensor/corpus.h"

namespace sotto {

struct PrivateTopicFit {
  TopicModel model;
  std::vector<std::string> vocabulary;  // names of the words; empty when they have none
  Vector frequencies;                   // released, V, sum to one
  Index core = 0;                       // words of the second moment
  std::int64_t steps = 0;
};

// `run` must be made from run_plan(plan). `background`: counts of words in some public corpus,
// which say what a word that does not stand out of its noise is like; null: none are known.
PrivateTopicFit fit_private_topics(Sensitive<Documents> documents, const PrivateTopicPlan& plan,
                                   const TopicOptions& options, const WordCounts* background,
                                   PrivateRun& run, const ProgressCallback& progress = {});

}  // namespace sotto
