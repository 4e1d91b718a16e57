#include "sotto/release/private_vocabulary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "sotto/base/error.h"
#include "sotto/release/access.h"
#include "sotto/release/calibration.h"

namespace sotto {
namespace {

constexpr PrivacyTarget kTarget{1.0, 1e-6};

// `common` words that are in every document, and one word of its own for each.
Corpus corpus_with_rare_words(Index documents, Index common) {
  Corpus corpus;
  corpus.vocabulary_size = common + documents;
  for (Index w = 0; w < corpus.vocabulary_size; ++w) {
    corpus.vocabulary.push_back((w < common ? "common" : "rare") + std::to_string(w));
  }
  for (Index n = 0; n < documents; ++n) {
    for (Index w = 0; w < common; ++w) corpus.word.push_back(static_cast<std::int32_t>(w));
    corpus.word.push_back(static_cast<std::int32_t>(common + n));
    corpus.begin.push_back(static_cast<std::int64_t>(corpus.word.size()));
  }
  corpus.count.assign(corpus.word.size(), 1);
  return corpus;
}

VocabularyPlan plan() {
  return {affordable_mu({kTarget.epsilon, kTarget.delta / 2}, 1, 1 << 22) * 0.999,
          kTarget.delta / 4};
}

PrivacyStatement statement() {
  PrivacyStatement words;
  words.unit = "one document";
  words.neighbours = "one document replaced";
  words.delta = kTarget.delta;
  return words;
}

TEST(PrivateVocabulary, common_words_are_released_and_words_of_one_document_are_not) {
  Ledger ledger(statement());
  Budget budget = Budget::gaussian(kTarget.epsilon, kTarget.delta);
  NoiseKey key = NoiseKey::insecure_from_seed(1);
  const Sensitive<Corpus> chosen = select_vocabulary(
      Sensitive<Corpus>(corpus_with_rare_words(2000, 4)), plan(), budget, key, ledger);
  const auto words = public_words(chosen);
  EXPECT_EQ(std::set<std::string>(words.begin(), words.end()),
            (std::set<std::string>{"common0", "common1", "common2", "common3"}));
  const Corpus& corpus = ReleaseAccess::view(chosen);
  EXPECT_TRUE(corpus.vocabulary_is_declared);
  EXPECT_EQ(corpus.documents(), 2000);
  EXPECT_EQ(corpus.entries(), 8000);
  const Certificate certificate = ledger.certify();
  EXPECT_LE(certificate.epsilon, kTarget.epsilon);
  EXPECT_TRUE(certificate.proved);
  EXPECT_EQ(certificate.releases[0].record.values, 1 << 22);  // not the number of words
}

TEST(PrivateVocabulary, a_word_of_one_document_stays_below_the_threshold_by_the_promised_margin) {
  const VocabularyNoise noise = vocabulary_noise(plan(), 1000);
  const double reach = (noise.threshold - 1) / noise.deviation;
  EXPECT_LE((1 << 22) * 0.5 * std::erfc(reach / std::sqrt(2.0)), plan().threshold_delta);
  // and is not needlessly high
  EXPECT_GE((1 << 22) * 0.5 * std::erfc((reach - 1e-3) / std::sqrt(2.0)), plan().threshold_delta);
}

TEST(PrivateVocabulary, refuses_when_nothing_can_be_released) {
  Ledger ledger(statement());
  Budget budget = Budget::gaussian(kTarget.epsilon, kTarget.delta);
  NoiseKey key = NoiseKey::insecure_from_seed(2);
  EXPECT_THROW(select_vocabulary(Sensitive<Corpus>(corpus_with_rare_words(10, 3)), plan(), budget,
                                 key, ledger),
               Error);
}

TEST(PrivateVocabulary, words_that_were_read_off_the_documents_are_not_public) {
  EXPECT_THROW(public_words(Sensitive<Corpus>(corpus_with_rare_words(3, 1))), Error);
}

}  // namespace
}  // namespace sotto
