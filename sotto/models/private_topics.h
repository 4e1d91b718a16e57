// Private topics: the releases of release/private_documents, in this order.
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
// What each may cost is decided in private_topics_plan.h, what is made of them in
// private_topics_estimate.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sotto/base/progress.h"
#include "sotto/base/sensitive.h"
#include "sotto/models/private_topics_plan.h"
#include "sotto/release/private_run.h"

namespace sotto {

struct PrivateTopicFit {
  TopicModel model;
  std::vector<std::string> vocabulary;  // names of the words; empty when they have none
  Vector frequencies;                   // released, V, sum to one
  Index core = 0;                       // words of the second moment
  std::int64_t steps = 0;
};

// `run` is made from run_plan(plan).
PrivateTopicFit fit_private_topics(Sensitive<Corpus> corpus, const PrivateTopicPlan& plan,
                                   const TopicOptions& options, PrivateRun& run,
                                   const ProgressCallback& progress = {});

}  // namespace sotto
