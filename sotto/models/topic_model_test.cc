#include "sotto/models/topic_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/models/topic_evaluation.h"

namespace sotto {
namespace {

struct Truth {
  Matrix topics;
  Vector alpha;  // shares of the topics when alpha0 = 0

  Truth(Index v, Index k, double alpha0, std::uint64_t seed) : topics(v, k), alpha(k) {
    SeededRandom random(seed);
    for (double& x : topics.reshaped()) x = std::pow(random.uniform(), 4);
    topics.array().rowwise() /= topics.array().colwise().sum();
    for (double& a : alpha) a = 0.5 + random.uniform();
    alpha *= (alpha0 > 0 ? alpha0 : 1) / alpha.sum();
  }
};

// M2 and M3 by the formulas of topic_moments.h.
TopicModel from_exact_moments(const Truth& truth, double a0) {
  const Index k = truth.alpha.size();
  const double total = truth.alpha.sum();
  const Vector share = truth.alpha / total;
  const Vector second = share / (a0 + 1), third = 2 * share / ((a0 + 1) * (a0 + 2));
  const Matrix m2 = truth.topics * second.asDiagonal() * truth.topics.transpose();
  const TopicWhitening whitening = topic_whitening(leading_eigenpairs(m2, k));
  SymmetricTensor m3(k, 3);
  for (Index t = 0; t < k; ++t) {
    m3.add_rank_one(third[t], whitening.whiten.transpose() * truth.topics.col(t));
  }
  TopicOptions options;
  options.topics = k;
  return recover_topics(decompose_whitened(m3, options), whitening.unwhiten, a0);
}

TEST(TopicModel, exact_moments_give_exact_topics_and_alpha) {
  for (const double a0 : {0.0, 0.3, 1.0, 10.0}) {
    const Truth truth(25, 5, a0, 1);
    const TopicModel found = from_exact_moments(truth, a0);
    EXPECT_LT(mean_total_variation(truth.topics, found.topics), 1e-9) << a0;
    Vector sorted = found.alpha, expected = truth.alpha;
    std::sort(sorted.begin(), sorted.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_LT((sorted - expected).norm(), 1e-9 * expected.norm()) << a0;
    EXPECT_NEAR(found.alpha.sum(), a0 > 0 ? a0 : 1, 1e-12);
  }
}

TEST(TopicModel, topics_are_distributions_whatever_the_components) {
  Decomposition noise;
  SeededRandom random(2);
  noise.factors = {Matrix(3, 3)};
  for (double& x : noise.factors[0].reshaped()) x = random.normal();
  noise.weights = (Vector(3) << 5, 1e-200, -2).finished();
  Matrix unwhiten(10, 3);
  for (double& x : unwhiten.reshaped()) x = random.normal();
  const TopicModel model = recover_topics(noise, unwhiten, 1);
  EXPECT_GE(model.topics.minCoeff(), 0);
  EXPECT_LT((model.topics.colwise().sum().array() - 1).abs().maxCoeff(), 1e-12);
  EXPECT_TRUE(model.alpha.allFinite());
  EXPECT_NEAR(model.alpha.sum(), 1, 1e-12);
}

Corpus repeated(const std::vector<std::vector<std::int32_t>>& kinds, int times) {
  Corpus corpus;
  corpus.vocabulary_size = std::ssize(kinds[0]);
  for (int n = 0; n < times * int(kinds.size()); ++n) {
    const auto& counts = kinds[std::size_t(n) % kinds.size()];
    for (std::size_t w = 0; w < counts.size(); ++w) {
      if (counts[w] == 0) continue;
      corpus.word.push_back(std::int32_t(w));
      corpus.count.push_back(counts[w]);
    }
    corpus.begin.push_back(std::ssize(corpus.word));
  }
  return corpus;
}

void expect_refusal(const Corpus& corpus, const TopicOptions& options, const std::string& place,
                    const std::string& message) {
  try {
    fit_topics(corpus, options);
    ADD_FAILURE() << "not refused: " << message;
  } catch (const Error& error) {
    EXPECT_EQ(error.place(), place) << error.what();
    EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
}

TEST(TopicModel, refuses_more_topics_than_the_second_moment_has_and_says_how_many_it_has) {
  // Two kinds of documents with one word each, and words that are never used.
  const Corpus corpus = repeated({{9, 0, 0, 0, 0, 0}, {0, 9, 0, 0, 0, 0}}, 10);
  TopicOptions options;
  options.model = DocumentModel::single;
  options.topics = 2;
  EXPECT_LT(
      mean_total_variation(Matrix::Identity(6, 2), fit_topics(corpus, options).spectral.topics),
      1e-9);
  for (const std::int64_t k : {3, 5, 6}) {
    options.topics = k;
    expect_refusal(corpus, options, "`topics`", "numerical rank 2");
  }
  options.topics = 7;
  expect_refusal(corpus, options, "`topics`", "the 6 words");
}

TEST(TopicModel, refuses_corpora_without_moments_in_one_line) {
  TopicOptions options;
  options.topics = 2;
  for (const DocumentClip clip : {DocumentClip::median, DocumentClip::none}) {
    options.clip = clip;
    expect_refusal(repeated({{1, 1, 0}, {0, 0, 0}}, 5), options, "", "3 tokens or more");
    // Products over different documents need two for the second moment, three for the third.
    for (const int documents : {1, 2}) {
      expect_refusal(repeated({{3, 2, 1}}, documents), options, "`form`", "documents");
    }
  }
}

TEST(TopicModel, proportions_are_distributions_and_find_the_topic) {
  const Corpus corpus = repeated({{9, 1, 0, 0}, {0, 0, 5, 5}, {0, 0, 0, 0}}, 1);
  TopicModel model;
  model.topics = (Matrix(4, 2) << 0.5, 0, 0.5, 0, 0, 0.5, 0, 0.5).finished();
  model.alpha = Vector::Constant(2, 0.5);
  const RowMatrix lda = infer_proportions(corpus, model);
  const RowMatrix single = single_topic_proportions(corpus, model);
  for (const RowMatrix* p : {&lda, &single}) {
    EXPECT_LT((p->rowwise().sum().array() - 1).abs().maxCoeff(), 1e-12);
    EXPECT_GT((*p)(0, 0), 0.95);
    EXPECT_GT((*p)(1, 1), 0.95);
    EXPECT_NEAR((*p)(2, 0), 0.5, 1e-12);
  }
  EXPECT_NEAR(lda(0, 0), 10.5 / 11, 1e-12);
  EXPECT_LT(single(0, 1), 1e-300);
}

}  // namespace
}  // namespace sotto
