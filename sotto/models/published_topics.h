// Topic models with the noise that papers give them, for comparison (`as-published`): AGN, AVN and
// the private power method of Imtiaz & Sarwate 2018, and the four configurations of Esmaeili &
// Huang 2018.
//
// The releases are those of release/published_moments.h and release/published_whitened.h. The rest
// is post-processing: singular pairs of M2, the power method (Esmaeili & Huang: all components at
// once), and columns whose negative entries become zero before they are scaled to sum to one.
// Privacy: the certificate states what the paper claims and what the noise amounts to. It is proved
// for agn, avn and esmaeili-1, and not for the rest. `conditions` of esmaeili-2 to 4 are numbers of
// the data.
#pragma once

#include <vector>

#include "sotto/base/sensitive.h"
#include "sotto/models/topic_model.h"
#include "sotto/release/published_whitened.h"

namespace sotto {

// What a published method releases. Reads from `options` the number of topics, the model with its
// alpha0, starts, iterations and seed. Refuses a vocabulary that is not declared or has more than
// 500 words, and the single-topic methods of Imtiaz & Sarwate under `lda`.
Plan plan_published_topics(const PublicCorpusShape& shape, const TopicOptions& options,
                           PublishedTopics method, const PrivacyTarget& target);

struct PublishedTopicFit {
  TopicModel model;
  std::vector<PublishedCondition> conditions;
};

// `run` must be made from that plan.
PublishedTopicFit fit_published_topics(const Sensitive<Corpus>& corpus, const TopicOptions& options,
                                       PublishedTopics method, const PrivacyTarget& target,
                                       PrivateRun& run);

}  // namespace sotto
