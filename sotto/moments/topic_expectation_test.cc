#include "sotto/moments/topic_expectation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sotto/linalg/testing/threads.h"
#include "sotto/moments/testing/enumerated_moments.h"
#include "sotto/moments/testing/quad.h"

namespace sotto {
namespace {

using namespace sotto::testing;

RowMatrix some_topics(Index v, Index k) {
  RowMatrix topics(v, k);
  for (Index w = 0; w < v; ++w) {
    for (Index t = 0; t < k; ++t)
      topics(w, t) = 1.2 + std::sin(3.0 * double(w) + 5.0 * double(t * w));
  }
  topics.array().rowwise() /= topics.array().colwise().sum();
  return topics;
}

struct Step {
  Corpus corpus = random_corpus(50, 9, 3, 1);
  CountMatrix by_word = transposed(corpus.view());
  RowMatrix topics = some_topics(9, 4);
  Vector alpha = (Vector(4) << 0.1, 0.2, 0.3, 0.9).finished();
  RowMatrix parameters = start_parameters(corpus.view(), alpha);
};

TEST(TopicExpectation, exp_digamma_agrees_with_known_values) {
  // digamma(1) = -Euler's constant, digamma(1/2) = that - 2 log 2, digamma(10).
  RowMatrix x(1, 3);
  x << 1, 0.5, 10;
  const RowMatrix w = expected_log_weights(x);
  const double euler = 0.57721566490153286;
  EXPECT_NEAR(std::log(w(0, 0)), -euler, 1e-11);
  EXPECT_NEAR(std::log(w(0, 1)), -euler - 2 * std::log(2.0), 1e-11);
  EXPECT_NEAR(std::log(w(0, 2)), 2.2517525890667211, 1e-11);
}

TEST(TopicExpectation, a_round_is_the_variational_update) {
  Step s;
  const RowMatrix before = s.parameters;
  improve_parameters(s.corpus.view(), s.topics, s.alpha, 1, s.parameters);
  const RowMatrix weights = expected_log_weights(before);
  for (Index n = 0; n < s.corpus.documents(); ++n) {
    Eigen::RowVectorXd expected = s.alpha.transpose();
    for (std::size_t e = 0; e < s.corpus.words_of(n).size(); ++e) {
      Eigen::RowVectorXd phi = weights.row(n).cwiseProduct(s.topics.row(s.corpus.words_of(n)[e]));
      expected += s.corpus.counts_of(n)[e] * phi / phi.sum();
    }
    EXPECT_LT((s.parameters.row(n) - expected).norm(), 1e-12);
  }
}

TEST(TopicExpectation, parameters_sum_to_alpha_and_length) {
  Step s;
  improve_parameters(s.corpus.view(), s.topics, s.alpha, 7, s.parameters);
  for (Index n = 0; n < s.corpus.documents(); ++n) {
    EXPECT_NEAR(s.parameters.row(n).sum(), s.alpha.sum() + double(s.corpus.length(n)), 1e-10);
  }
  EXPECT_LT((mean_proportions(s.parameters).rowwise().sum().array() - 1).abs().maxCoeff(), 1e-13);
}

TEST(TopicExpectation, counts_are_the_sums_of_the_documents_parts_and_norms_are_theirs) {
  Step s;
  improve_parameters(s.corpus.view(), s.topics, s.alpha, 3, s.parameters);
  const RowMatrix weights = expected_log_weights(s.parameters);
  const Vector word_scale = (0.5 + Vector::LinSpaced(9, 0, 2).array()).matrix();
  const Vector norms = contribution_norms(s.corpus.view(), s.topics, weights, word_scale);
  const Vector scale = (0.5 + Vector::LinSpaced(50, 0, 1).array()).matrix();
  RowMatrix expected = RowMatrix::Zero(9, 4);
  for (Index n = 0; n < s.corpus.documents(); ++n) {
    RowMatrix part = RowMatrix::Zero(9, 4);
    for (std::size_t e = 0; e < s.corpus.words_of(n).size(); ++e) {
      const Index w = s.corpus.words_of(n)[e];
      const Eigen::RowVectorXd phi = weights.row(n).cwiseProduct(s.topics.row(w));
      part.row(w) += s.corpus.counts_of(n)[e] * phi / phi.sum();
    }
    EXPECT_NEAR(norms[n], (word_scale.asDiagonal() * part).norm(), 1e-12);
    expected += scale[n] * part;
  }
  EXPECT_LT((expected_counts(s.by_word.view(), s.topics, weights, scale) - expected).norm(), 1e-11);
}

// release/ rests on this: a part divided by its norm has norm one, for documents of every size.
TEST(TopicExpectation, a_part_over_its_norm_has_norm_one) {
  constexpr Index words = 1 << 18, k = 3;
  SeededRandom random(9);
  const RowMatrix uneven =
      RowMatrix::NullaryExpr(words, k, [&] { return random.uniform() / words; });
  const Vector uneven_scale =
      Vector::NullaryExpr(words, [&] { return std::pow(10, 4 * random.uniform()); });
  for (const double size : {-1.0, 0.0, 10.0, 2e9}) {
    // Equal terms come first: their rounding errors all have the same sign.
    const bool equal = size < 0;
    const RowMatrix topics = equal ? RowMatrix::Constant(words, k, 0.1 / words) : uneven;
    const Vector word_scale = equal ? Vector::Constant(words, 0.7) : uneven_scale;
    Corpus corpus;
    corpus.vocabulary_size = words;
    for (std::int32_t w = 0; w < words; ++w) {
      corpus.word.push_back(w);
      corpus.count.push_back(1 + static_cast<std::int32_t>(std::max(0.0, size) * random.uniform()));
    }
    corpus.begin.push_back(words);
    RowMatrix parameters = start_parameters(corpus.view(), Vector::Ones(k));
    improve_parameters(corpus.view(), topics, Vector::Ones(k), 2, parameters);
    const RowMatrix weights = expected_log_weights(parameters);
    const Vector norms = contribution_norms(corpus.view(), topics, weights, word_scale);
    const RowMatrix part =
        expected_counts(transposed(corpus.view()).view(), topics, weights, norms.cwiseInverse());
    testing::Quad square = 0;
    for (Index w = 0; w < words; ++w) {
      for (Index t = 0; t < k; ++t) {
        const testing::Quad x = testing::Quad(part(w, t)) * word_scale[w];
        square += x * x;
      }
    }
    EXPECT_LT(std::abs(static_cast<double>(square - 1)) / 2, 0x1p-45) << size;
  }
}

TEST(TopicExpectation, a_word_that_no_topic_has_does_not_break_anything) {
  Step s;
  s.topics.row(0).setZero();
  improve_parameters(s.corpus.view(), s.topics, s.alpha, 5, s.parameters);
  EXPECT_TRUE(s.parameters.allFinite());
  const RowMatrix counts = expected_counts(s.by_word.view(), s.topics,
                                           expected_log_weights(s.parameters), Vector::Ones(50));
  EXPECT_TRUE(counts.allFinite());
  EXPECT_EQ(counts.row(0).norm(), 0);
}

TEST(TopicExpectation, the_answer_does_not_depend_on_the_number_of_threads) {
  const auto improved = [] {
    Step s;
    improve_parameters(s.corpus.view(), s.topics, s.alpha, 5, s.parameters);
    return s.parameters;
  };
  EXPECT_EQ(on_threads(1, improved), on_threads(3, improved));
}

TEST(TopicExpectation, a_word_that_no_topic_can_produce_counts_for_nothing) {
  Step s, without;
  for (const double tiny : {0.0, 1e-320, 1e-260}) {
    s.topics.row(2).setConstant(tiny);
    without.topics = s.topics;
    Corpus rest = s.corpus;
    for (std::size_t e = 0; e < rest.word.size(); ++e) {
      if (rest.word[e] == 2) {
        s.corpus.count[e] = std::numeric_limits<std::int32_t>::max();  // nor does how often
        rest.count[e] = 0;
      }
    }
    s.by_word = transposed(s.corpus.view());
    s.parameters = start_parameters(rest.view(), s.alpha);
    without.parameters = s.parameters;
    improve_parameters(s.corpus.view(), s.topics, s.alpha, 5, s.parameters);
    improve_parameters(rest.view(), s.topics, s.alpha, 5, without.parameters);
    EXPECT_EQ(s.parameters, without.parameters);
    const RowMatrix weights = expected_log_weights(s.parameters);
    const Vector ones = Vector::Ones(9);
    EXPECT_EQ(contribution_norms(s.corpus.view(), s.topics, weights, ones),
              contribution_norms(rest.view(), s.topics, weights, ones));
    const RowMatrix counts =
        expected_counts(s.by_word.view(), s.topics, weights, Vector::Ones(weights.rows()));
    EXPECT_EQ(counts.row(2).norm(), 0);
    EXPECT_TRUE(counts.allFinite());
  }
}

}  // namespace
}  // namespace sotto
