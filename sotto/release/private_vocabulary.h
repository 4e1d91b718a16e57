// A vocabulary chosen privately from the documents themselves: selection from an unknown domain
// (Gopi et al. 2020, Gaussian form).
//
// Every document spreads a weight of norm one over its words, up to a public number of them. A word
// is released when its noisy weight passes a threshold, which is so high that a word of a single
// document hardly ever does. Neighbours replace one document. The number of different words is
// neither public nor bounded. Proof: private_vocabulary.md.
#pragma once

#include <string>
#include <vector>

#include "sotto/base/sensitive.h"
#include "sotto/moments/documents.h"
#include "sotto/release/private_run.h"

namespace sotto {

// What the release is called in plans and certificates.
inline constexpr const char* kVocabularyRelease = "words with a large weight";

struct VocabularyPlan {
  double mu = 0;               // what the weights cost
  double threshold_delta = 0;  // chance that a word of one document alone passes
  // Cap on the different words of a document that count. Those that come first in a fixed order are
  // kept.
  Index own_words = Index{1} << 16;
};

// The standard deviation of the noise, and the weight a word must reach: about the number of
// documents it is in, over the square root of their different words.
struct VocabularyNoise {
  double deviation;
  double threshold;
};
VocabularyNoise vocabulary_noise(const VocabularyPlan& plan, Index documents);

// The documents over the words that were released, most weight first; they count as declared.
// Refuses when no word passes. The run has a budget.
Sensitive<Documents> select_vocabulary(Sensitive<Documents> documents, const VocabularyPlan& plan,
                                       PrivateRun& run);

// The words of documents whose vocabulary is declared: they are public.
std::vector<std::string> public_words(const Sensitive<Documents>& documents);
std::vector<std::string> public_words(const Sensitive<Corpus>& corpus);

}  // namespace sotto
