#include "sotto/moments/document_questions.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/moments/document_sums.h"
#include "sotto/moments/expectation_sums.h"
#include "sotto/moments/testing/enumerated_moments.h"
#include "sotto/moments/topic_expectation.h"
#include "sotto/tensor/shard_answer.h"
#include "sotto/tensor/shards.h"

namespace sotto {
namespace {

using testing::random_corpus;

constexpr Index kAskedDocuments = 3 * kPieceDocuments + 77, kAskedVocabulary = 23, kAskedTopics = 3;

Corpus asked_corpus() {
  Corpus corpus = random_corpus(kAskedDocuments, kAskedVocabulary, 11, 1);
  for (Index w = 0; w < kAskedVocabulary; ++w) {
    corpus.vocabulary.push_back("word" + std::to_string(w));
  }
  return corpus;
}

Corpus some_documents(const Corpus& corpus, Index first, Index last) {
  Corpus part = corpus;
  part.begin.assign(corpus.begin.begin() + first, corpus.begin.begin() + last + 1);
  const auto from = part.begin.front(), to = part.begin.back();
  for (auto& place : part.begin) place -= from;
  part.word.assign(corpus.word.begin() + from, corpus.word.begin() + to);
  part.count.assign(corpus.count.begin() + from, corpus.count.begin() + to);
  return part;
}

// Holders of documents that are cut at these places. A holder has what it needs of its last piece
// from those behind it.
std::vector<std::shared_ptr<HeldDocuments>> holders(const Corpus& corpus,
                                                    const std::vector<Index>& cuts) {
  std::vector<std::shared_ptr<HeldDocuments>> held;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    const Index reach = std::min(document_pieces(cuts[i + 1]) * kPieceDocuments, kAskedDocuments);
    held.push_back(std::make_shared<HeldDocuments>(
        std::make_shared<const Corpus>(some_documents(corpus, cuts[i], reach)), cuts[i],
        cuts[i + 1]));
  }
  return held;
}

// Joins the answers in a random order. `lost`: holders forget everything between two questions.
AskedDocuments asked_of(std::vector<std::shared_ptr<HeldDocuments>> held, const Corpus& corpus,
                        bool lost = false) {
  const auto random = std::make_shared<SeededRandom>(5);
  const auto ask = [held, random, lost](const std::string& question) {
    std::vector<std::string> answers;
    for (const auto& holder : held) {
      HeldDocuments fresh(std::make_shared<const Corpus>(holder->corpus()), holder->first(),
                          holder->end());
      answers.push_back(answer_document_question(lost ? fresh : *holder, question));
    }
    while (answers.size() > 1) {
      std::swap(answers[random->below(answers.size())], answers.back());
      const std::string last = answers.back();
      answers.pop_back();
      std::swap(answers[random->below(answers.size())], answers.back());
      answers.back() = joined_answers(answers.back(), last);
    }
    return answers.front();
  };
  return {ask, kAskedDocuments, {kAskedVocabulary, corpus.vocabulary, true}};
}

RowMatrix some_topics(std::uint64_t seed) {
  SeededRandom random(seed);
  RowMatrix topics(kAskedVocabulary, kAskedTopics);
  for (double& value : topics.reshaped()) value = 0.01 + random.uniform();
  topics.array().rowwise() /= topics.array().colwise().sum();
  return topics;
}

// One question of each kind.
std::vector<std::function<RowMatrix(DocumentSource&)>> all_questions() {
  const MomentClips clips{0.6, kUnitNorm, kByLength};
  const Vector alpha = Vector::Constant(kAskedTopics, 0.3);
  const RowMatrix block = some_topics(3);
  const DocumentWeighting weighting{clips, {1, 2, 3, 4, 5, 6}};
  return {
      [=](DocumentSource& d) -> RowMatrix {
        const DocumentTotals t = document_totals(d, clips);
        return Vector{{t.first, t.second, t.third, t.first_squared, t.first_and_second,
                       t.first_cubed, t.with_words, t.entries, t.tokens, t.too_short}};
      },
      [=](DocumentSource& d) -> RowMatrix { return weighted_words(d, weighting); },
      [=](DocumentSource& d) { return weighted_products(d, weighting, block); },
      [=](DocumentSource& d) -> RowMatrix { return weighted_cubes(d, weighting, block).numbers(); },
      [=](DocumentSource& d) -> RowMatrix { return second_sum(d, clips); },
      [=](DocumentSource& d) -> RowMatrix {
        return Eigen::Map<const Vector>(third_sum(d, clips, block).packed().data(), 10);
      },
      [=](DocumentSource& d) -> RowMatrix {
        const MomentClips found = median_norms(d);
        return Vector{{found.first, found.second, found.third}};
      },
      [=](DocumentSource& d) { return word_frequencies(d); },
      [=](DocumentSource& d) {
        return meeting_counts(d, {0, 5, 2});
      },
      [=](DocumentSource& d) {
        return expected_counts(d, std::vector<TopicStep>{{some_topics(4), alpha, 5}});
      },
      [=](DocumentSource& d) {
        return expected_counts(d, {{some_topics(4), alpha, 5}, {some_topics(5), alpha, 2}});
      },
      [=](DocumentSource& d) { return single_topic_counts(d, some_topics(4), alpha); },
      [=](DocumentSource& d) {
        return normed_counts(
            d,
            {{some_topics(4), alpha, 3}, Vector::LinSpaced(kAskedVocabulary, 1, 2), 0.1, 1e-100});
      },
      [=](DocumentSource& d) {
        return topic_shares(d, {some_topics(4), alpha, DocumentModel::lda, 10});
      },
  };
}

TEST(DocumentQuestions, holders_of_any_partitions_give_the_bits_of_one_process) {
  const Corpus corpus = asked_corpus();
  LocalDocuments local(&corpus);
  std::vector<RowMatrix> alone;
  for (const auto& question : all_questions()) alone.push_back(question(local));
  const auto compare = [&](const std::vector<Index>& cuts, bool lost) {
    AskedDocuments asked = asked_of(holders(corpus, cuts), corpus, lost);
    std::size_t kind = 0;
    for (const auto& question : all_questions()) {
      EXPECT_EQ(question(asked), alone[kind]) << kind << " of " << cuts.size();
      ++kind;
    }
  };
  compare({0, 2 * kPieceDocuments, 3 * kPieceDocuments, kAskedDocuments}, false);
  compare({0, 1, 4095, 4097, 9000, 9001, kAskedDocuments - 1, kAskedDocuments}, false);
  compare({0, 5000, kAskedDocuments}, true);
}

TEST(DocumentQuestions, words_are_found_by_name_and_kept_by_number) {
  const Corpus corpus = asked_corpus();
  // Each holder numbers its words in its own way.
  std::vector<std::shared_ptr<HeldDocuments>> held;
  const Index cut = 2 * kPieceDocuments;
  std::vector<std::int32_t> backwards;
  for (Index w = kAskedVocabulary; w-- > 0;) backwards.push_back(static_cast<std::int32_t>(w));
  held.push_back(std::make_shared<HeldDocuments>(
      std::make_shared<const Corpus>(some_documents(corpus, 0, cut)), 0, cut));
  held.push_back(
      std::make_shared<HeldDocuments>(std::make_shared<const Corpus>(restrict_vocabulary(
                                          some_documents(corpus, cut, kAskedDocuments), backwards)),
                                      cut, kAskedDocuments));
  AskedDocuments asked = asked_of(held, corpus);
  LocalDocuments local(&corpus);
  const auto counted = asked.count_words(2), alone = local.count_words(2);
  ASSERT_EQ(counted.words().size(), alone.words().size());
  for (const auto& [word, count] : alone.words()) {
    const WordCount& other = counted.words().at(word);
    EXPECT_EQ(other.tokens, count.tokens);
    EXPECT_EQ(other.documents, count.documents);
    EXPECT_EQ(other.weight, count.weight);
  }
  for (DocumentSource* documents :
       {static_cast<DocumentSource*>(&asked), static_cast<DocumentSource*>(&local)}) {
    documents->set_vocabulary({"word7", "nowhere", "word0", "word3"}, true);
    documents->keep_words({2, 1, 0});
    EXPECT_EQ(documents->words(), 3);
  }
  const RowMatrix counts = word_frequencies(asked);
  EXPECT_EQ(counts, word_frequencies(local));
  EXPECT_EQ(counts(0, 0), static_cast<double>(word_frequency(corpus)[0]));
  EXPECT_EQ(counts(1, 1), 0);
}

// The weights of a document never have a norm above one, and are close to it.
TEST(DocumentQuestions, weights_of_words_are_rounded_down) {
  for (const Index m : {1, 2, 3, 5, 7, 10, 4096, 4097, 65536}) {
    Corpus corpus;
    corpus.vocabulary_size = m;
    for (Index w = 0; w < m; ++w) {
      corpus.word.push_back(static_cast<std::int32_t>(w));
      corpus.vocabulary.push_back(std::to_string(w));
    }
    corpus.count.assign(corpus.word.size(), 1);
    corpus.begin.push_back(m);
    const auto counted = count_words(corpus, 1, 65536);
    const auto weight = static_cast<long double>(counted.words().at("0").weight) * 0x1p-32L;
    EXPECT_LE(weight * weight * static_cast<long double>(m), 1);
    EXPECT_GT(weight * weight * static_cast<long double>(m), 1 - 0x1p-22L);
  }
}

TEST(DocumentQuestions, medians_are_those_of_the_sorted_norms) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Corpus corpus = random_corpus(1000 + static_cast<Index>(seed), 9, seed, 1);
    LocalDocuments local(&corpus);
    const MomentClips found = median_norms(local), sorted = median_norms(corpus);
    EXPECT_EQ(found.first, sorted.first);
    EXPECT_EQ(found.second, sorted.second);
    EXPECT_EQ(found.third, sorted.third);
  }
}

// Against the sums over the whole corpus at once.
TEST(DocumentQuestions, sums_are_those_of_the_moments) {
  const Corpus corpus = asked_corpus();
  const CountMatrix by_word = transposed(corpus.view());
  const MomentClips clips{kUnitNorm, kUnitNorm, kByLength};
  const DocumentMoments moments(corpus, by_word, clips);
  LocalDocuments local(&corpus);
  const RowMatrix w = some_topics(8);
  EXPECT_LT((weighted_words(local, {clips, {.first = 1}}) - moments.first_sum()).norm(),
            1e-11 * moments.first_sum().norm());
  EXPECT_LT((second_sum(local, clips) - moments.second_sum()).norm(),
            1e-11 * moments.second_sum().norm());
  SymmetricTensor third = third_sum(local, clips, w);
  third.add_scaled(-1, moments.third_sum(w));
  for (const double entry : third.packed()) EXPECT_LT(std::abs(entry), 1e-7);
}

TEST(DocumentQuestions, altered_bytes_and_missing_holders_are_found) {
  const Corpus corpus = asked_corpus();
  const auto held = holders(corpus, {0, 2 * kPieceDocuments, kAskedDocuments});
  std::string last;
  AskedDocuments asked(
      [&](const std::string& question) {
        last = question;
        return answer_document_question(*held[0], question);
      },
      kAskedDocuments, {kAskedVocabulary, corpus.vocabulary, true});
  EXPECT_THROW(word_frequencies(asked), Error);
  SeededRandom random(3);
  for (int i = 0; i < 200; ++i) {
    std::string altered = last;
    altered[random.below(altered.size())] ^= static_cast<char>(1 + random.below(255));
    EXPECT_THROW(answer_document_question(*held[0], altered), Error);
  }
  const std::string answer = answer_document_question(*held[0], last);
  EXPECT_TRUE(ShardAnswer::read(joined_answers(answer, answer)).error);  // twice
}

}  // namespace
}  // namespace sotto
