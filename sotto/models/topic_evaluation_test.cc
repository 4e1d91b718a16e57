#include "sotto/models/topic_evaluation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sotto/base/error.h"

namespace sotto {
namespace {

Corpus corpus_of(Index v, const std::vector<std::vector<std::int32_t>>& documents) {
  Corpus corpus;
  corpus.vocabulary_size = v;
  for (const auto& counts : documents) {
    for (std::size_t w = 0; w < counts.size(); ++w) {
      if (counts[w] == 0) continue;
      corpus.word.push_back(static_cast<std::int32_t>(w));
      corpus.count.push_back(counts[w]);
    }
    corpus.begin.push_back(static_cast<std::int64_t>(corpus.word.size()));
  }
  return corpus;
}

TEST(TopicEvaluation, one_topic_has_the_perplexity_of_its_words) {
  // Tokens 0 0 0 1 are dealt alternately: the first half has 0 0, the second 0 1.
  const Corpus heldout = corpus_of(2, {{3, 1}});
  TopicModel model;
  model.topics = (Matrix(2, 1) << 0.8, 0.2).finished();
  model.alpha = Vector::Ones(1);
  const Perplexity found =
      completion_perplexity(heldout, model, (Vector(2) << 1, 1).finished(), DocumentModel::lda);
  EXPECT_EQ(found.tokens, 2);
  EXPECT_NEAR(found.model, 1 / std::sqrt(0.8 * 0.2), 1e-4);
  EXPECT_NEAR(found.unigram, 2, 1e-5);
}

TEST(TopicEvaluation, the_right_topics_predict_better_than_frequencies) {
  std::vector<std::vector<std::int32_t>> documents;
  for (int n = 0; n < 20; ++n) {
    documents.push_back(n % 2 == 0 ? std::vector<std::int32_t>{5, 5, 0, 0}
                                   : std::vector<std::int32_t>{0, 0, 5, 5});
  }
  const Corpus heldout = corpus_of(4, documents);
  TopicModel model;
  model.topics = (Matrix(4, 2) << 0.5, 0, 0.5, 0, 0, 0.5, 0, 0.5).finished();
  model.alpha = Vector::Constant(2, 0.1);
  for (const DocumentModel kind : {DocumentModel::lda, DocumentModel::single}) {
    const Perplexity found = completion_perplexity(heldout, model, Vector::Ones(4), kind);
    EXPECT_NEAR(found.unigram, 4, 1e-5);
    EXPECT_NEAR(found.model, 2, kind == DocumentModel::single ? 1e-3 : 0.1);
  }
}

TEST(TopicEvaluation, refuses_documents_with_nothing_to_predict) {
  TopicModel model;
  model.topics = Matrix::Constant(2, 1, 0.5);
  model.alpha = Vector::Ones(1);
  EXPECT_THROW(
      completion_perplexity(corpus_of(2, {{1, 0}}), model, Vector::Ones(2), DocumentModel::lda),
      Error);
}

TEST(TopicEvaluation, coherence_follows_its_definition) {
  const Corpus reference = corpus_of(4, {{1, 2, 0, 0}, {1, 1, 0, 0}, {1, 0, 1, 0}, {0, 0, 3, 0}});
  const std::vector<std::vector<Index>> tops = {{0, 1}, {1, 2}, {0, 3}};
  const Coherence found = coherence(reference, tops);
  EXPECT_NEAR(found.npmi[0], std::log(0.5 / (0.75 * 0.5)) / -std::log(0.5), 1e-14);
  EXPECT_NEAR(found.umass[0], std::log(3.0 / 3.0), 1e-14);
  EXPECT_EQ(found.npmi[1], -1);
  EXPECT_NEAR(found.umass[1], std::log(1.0 / 2.0), 1e-14);
  EXPECT_EQ(found.npmi[2], -1);  // a word that is never used
}

TEST(TopicEvaluation, top_words_and_diversity) {
  const Matrix topics = (Matrix(3, 2) << 0.2, 0.5, 0.5, 0.1, 0.3, 0.4).finished();
  const auto tops = top_words(topics, 2);
  EXPECT_EQ(tops[0], (std::vector<Index>{1, 2}));
  EXPECT_EQ(tops[1], (std::vector<Index>{0, 2}));
  EXPECT_DOUBLE_EQ(diversity(tops), 0.75);
}

TEST(TopicEvaluation, total_variation_takes_the_best_matching) {
  constexpr Index k = 5;
  const Matrix truth = (Matrix::Random(8, k).array() + 1.01).matrix();
  Matrix found = truth + 0.3 * Matrix::Random(8, k);
  found.col(0).swap(found.col(3));
  std::vector<Index> order(k);
  std::iota(order.begin(), order.end(), Index{0});
  double best = 1e9;
  do {
    double sum = 0;
    for (Index i = 0; i < k; ++i) sum += 0.5 * (truth.col(i) - found.col(order[i])).lpNorm<1>();
    best = std::min(best, sum / double(k));
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_NEAR(mean_total_variation(truth, found), best, 1e-13);
}

TEST(TopicEvaluation, component_error_is_the_distance_to_the_nearest) {
  const Matrix truth = Matrix::Identity(3, 2);
  Matrix found = Matrix::Identity(3, 2);
  found(2, 1) = 0.5;
  EXPECT_NEAR(component_error(truth, found), 0.25, 1e-14);
}

}  // namespace
}  // namespace sotto
