#include "sotto/release/private_vocabulary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "sotto/base/error.h"
#include "sotto/moments/document_sums.h"
#include "sotto/release/access.h"
#include "sotto/release/calibration.h"
#include "sotto/release/private_documents.h"

namespace sotto {
namespace {

constexpr PrivacyTarget kVocabularyTarget{1.0, 1e-6};

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
  return {
      affordable_mu({kVocabularyTarget.epsilon, kVocabularyTarget.delta / 2}, 1, 1 << 17) * 0.999,
      kVocabularyTarget.delta / 4};
}

PrivacyStatement vocabulary_statement() {
  PrivacyStatement words;
  words.unit = "one document";
  words.neighbours = "one document replaced";
  words.delta = kVocabularyTarget.delta;
  return words;
}

Sensitive<Documents> documents_of(Corpus corpus) {
  return sensitive_documents(Sensitive<Corpus>(std::move(corpus)));
}

TEST(PrivateVocabulary, common_words_are_released_and_words_of_one_document_are_not) {
  PrivateRun run(vocabulary_statement(), NoiseKey::from_system(), kVocabularyTarget.budget());
  const Sensitive<Documents> chosen =
      select_vocabulary(documents_of(corpus_with_rare_words(2000, 4)), plan(), run);
  const auto words = public_words(chosen);
  EXPECT_EQ(std::set<std::string>(words.begin(), words.end()),
            (std::set<std::string>{"common0", "common1", "common2", "common3"}));
  DocumentSource& documents = *ReleaseAccess::view(chosen);
  EXPECT_TRUE(documents.vocabulary().is_declared);
  EXPECT_EQ(documents.documents(), 2000);
  EXPECT_EQ(document_totals(documents, {}).entries, 8000);
  const Certificate certificate = run.certify();
  EXPECT_LE(certificate.epsilon, kVocabularyTarget.epsilon);
  EXPECT_TRUE(certificate.proved);
  EXPECT_EQ(certificate.releases[0].record.values, 1 << 17);  // not the number of words
}

struct Chosen {
  std::vector<std::string> words;
  Certificate certificate;
};

Chosen choose(Corpus corpus, const VocabularyPlan& how, std::uint64_t seed = 1) {
  PrivateRun run(vocabulary_statement(), NoiseKey::insecure_from_seed(seed),
                 kVocabularyTarget.budget());
  const Sensitive<Documents> chosen = select_vocabulary(documents_of(std::move(corpus)), how, run);
  return {public_words(chosen), run.certify()};
}

void add_document(Corpus& corpus, Index new_words) {
  for (Index w = 0; w < new_words; ++w) {
    corpus.word.push_back(static_cast<std::int32_t>(corpus.vocabulary_size++));
    corpus.vocabulary.push_back("new" + std::to_string(w));
  }
  corpus.count.assign(corpus.word.size(), 1);
  corpus.begin.push_back(std::ssize(corpus.word));
}

// One document with more words than all others together, and more than the cap.
TEST(PrivateVocabulary, a_document_of_very_many_words_is_neither_refused_nor_charged) {
  VocabularyPlan how = plan();
  how.own_words = 100;
  const Corpus usual = corpus_with_rare_words(2000, 4);
  Corpus with_one = usual, with_many = usual;
  add_document(with_one, 1);
  add_document(with_many, 300'000);
  const Chosen one = choose(with_one, how), many = choose(with_many, how);
  EXPECT_EQ(std::set<std::string>(many.words.begin(), many.words.end()),
            std::set<std::string>(one.words.begin(), one.words.end()));
  const ReleaseRecord &here = one.certificate.releases[0].record,
                      &there = many.certificate.releases[0].record;
  EXPECT_EQ(here.values, 200);
  EXPECT_EQ(there.values, 200);
  EXPECT_EQ(here.sensitivity, there.sensitivity);
  EXPECT_EQ(here.noise, there.noise);
  EXPECT_EQ(here.precision.delta, there.precision.delta);
}

// Which words of a document count depends on the document, not on how its words are numbered.
TEST(PrivateVocabulary, a_document_gives_weight_to_at_most_the_words_that_may_count) {
  // Hardly any noise: every word that has weight is released.
  const VocabularyPlan how{100, 1e-9, 50};
  const auto words_of = [&](Index own, bool backwards) {
    Corpus corpus;
    corpus.vocabulary_size = own;
    for (Index w = 0; w < own; ++w) {
      corpus.word.push_back(static_cast<std::int32_t>(w));
      corpus.vocabulary.push_back("w" + std::to_string(backwards ? own - 1 - w : w));
    }
    // Enough of them that the weight passes the threshold of a document alone, 1.
    std::vector<std::int32_t> all;
    for (int n = 0; n < 60; ++n) {
      all.insert(all.end(), corpus.word.begin(), corpus.word.end());
      corpus.begin.push_back(std::ssize(all));
    }
    corpus.word = all;
    corpus.count.assign(all.size(), 1);
    PrivateRun run(vocabulary_statement(), NoiseKey::insecure_from_seed(1),
                   Budget::gaussian(1e5, 1e-6));
    const auto names = public_words(select_vocabulary(documents_of(corpus), how, run));
    return std::set<std::string>(names.begin(), names.end());
  };
  EXPECT_EQ(words_of(50, false).size(), 50u);
  EXPECT_EQ(words_of(5000, false).size(), 50u);
  EXPECT_EQ(words_of(5000, false), words_of(5000, true));
}

TEST(PrivateVocabulary, a_word_of_one_document_stays_below_the_threshold_by_the_promised_margin) {
  const VocabularyNoise noise = vocabulary_noise(plan(), 1000);
  const double reach = (noise.threshold - 1) / noise.deviation;
  EXPECT_LE((1 << 16) * 0.5 * std::erfc(reach / std::sqrt(2.0)), plan().threshold_delta);
  // and is not needlessly high
  EXPECT_GE((1 << 16) * 0.5 * std::erfc((reach - 1e-3) / std::sqrt(2.0)), plan().threshold_delta);
}

TEST(PrivateVocabulary, refuses_when_nothing_can_be_released) {
  PrivateRun run(vocabulary_statement(), NoiseKey::insecure_from_seed(2),
                 kVocabularyTarget.budget());
  EXPECT_THROW(select_vocabulary(documents_of(corpus_with_rare_words(10, 3)), plan(), run), Error);
}

TEST(PrivateVocabulary, words_that_were_read_off_the_documents_are_not_public) {
  EXPECT_THROW(public_words(documents_of(corpus_with_rare_words(3, 1))), Error);
}

}  // namespace
}  // namespace sotto
