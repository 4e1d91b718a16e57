// A vocabulary chosen from the documents themselves, paid for: private selection from an unknown
// domain (Gopi et al. 2020, Gaussian form).
//
// Every document spreads weight of norm one over its words, of which a public number counts; a word
// is released when its weight passes a threshold so high that a word of a single document hardly
// ever does. Neighbours replace one document. How many different words there are in all is neither
// public nor bounded. Proof: private_vocabulary.md.
#pragma once

#include <string>
#include <vector>

#include "sotto/base/sensitive.h"
#include "sotto/release/private_run.h"
#include "sotto/tensor/corpus.h"

namespace sotto {

// What the release is called in plans and certificates.
inline constexpr const char* kVocabularyRelease = "words with a large weight";

struct VocabularyPlan {
  double mu = 0;               // what the weights cost
  double threshold_delta = 0;  // chance that a word of one document alone passes
  // Different words of a document that count; of more, those that come first in a fixed order.
  Index own_words = Index{1} << 16;
};

// The standard deviation of the noise, and the weight a word must reach: about the number of
// documents it is in, over the square root of their different words.
struct VocabularyNoise {
  double deviation;
  double threshold;
};
VocabularyNoise vocabulary_noise(const VocabularyPlan& plan, Index documents);

// The corpus over the words that were released, most weight first; its vocabulary counts as
// declared. Refuses when no word passes. The run has a budget.
Sensitive<Corpus> select_vocabulary(Sensitive<Corpus> corpus, const VocabularyPlan& plan,
                                    PrivateRun& run);

// The words of a corpus whose vocabulary is declared: they are public.
std::vector<std::string> public_words(const Sensitive<Corpus>& corpus);

}  // namespace sotto
