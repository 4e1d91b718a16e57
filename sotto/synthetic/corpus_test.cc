#include "sotto/synthetic/corpus.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "sotto/base/error.h"
#include "sotto/linalg/testing/threads.h"

namespace sotto {
namespace {

double chi_square(const std::vector<std::int64_t>& seen, const std::vector<double>& weights) {
  const auto draws = static_cast<double>(std::accumulate(seen.begin(), seen.end(), std::int64_t{}));
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  double statistic = 0;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (weights[i] == 0) continue;
    const double expected = draws * weights[i] / sum;
    statistic += std::pow(static_cast<double>(seen[i]) - expected, 2) / expected;
  }
  return statistic;
}

TEST(AliasTable, draws_each_outcome_with_its_probability) {
  const std::vector<double> weights = {5, 0, 1, 0.25, 3, 1, 0, 7, 0.5};
  const AliasTable table(weights);
  SeededRandom random(11);
  std::vector<std::int64_t> seen(weights.size());
  for (int n = 0; n < 1000000; ++n) ++seen[static_cast<std::size_t>(table.draw(random))];
  EXPECT_EQ(seen[1], 0);
  EXPECT_EQ(seen[6], 0);
  EXPECT_LE(chi_square(seen, weights), 22.5);  // 6 degrees of freedom, level 0.001
  std::vector<double> wrong = weights;
  wrong[5] *= 1.1;
  EXPECT_GE(chi_square(seen, wrong), 100);
}

TEST(AliasTable, holds_for_one_outcome_and_for_equal_ones) {
  SeededRandom random(12);
  const std::vector<double> one = {1e-300};
  EXPECT_EQ(AliasTable(one).draw(random), 0);
  const std::vector<double> equal(7, 0.1);  // sums that round
  const AliasTable table(equal);
  std::vector<std::int64_t> seen(7);
  for (int n = 0; n < 200000; ++n) ++seen[static_cast<std::size_t>(table.draw(random))];
  EXPECT_LE(chi_square(seen, equal), 22.5);
}

TEST(AliasTable, refuses_what_is_no_distribution) {
  for (const std::vector<double>& weights :
       {std::vector<double>{}, {0, 0}, {1, -1e-9}, {1, std::nan("")}, {1, INFINITY}}) {
    EXPECT_THROW(AliasTable{weights}, Error);
  }
}

void append(const Corpus& part, Corpus& whole) {
  for (Index n = 0; n < part.documents(); ++n) {
    whole.word.insert(whole.word.end(), part.words_of(n).begin(), part.words_of(n).end());
    whole.count.insert(whole.count.end(), part.counts_of(n).begin(), part.counts_of(n).end());
    whole.begin.push_back(std::ssize(whole.word));
  }
}

TEST(SyntheticCorpus, does_not_depend_on_blocks_and_threads) {
  CorpusModel model;
  model.length_law = LengthLaw::poisson;
  const auto generator = on_threads(1, [&] { return CorpusGenerator(model); });
  const Corpus one = on_threads(1, [&] { return generator.make(0, 20000); });
  const ThreadCount three(3);
  const CorpusGenerator again(model);
  EXPECT_EQ(again.topics(), generator.topics());
  Corpus parts;
  for (const auto& [first, count] : {std::pair{0, 7}, {7, 17000}, {17007, 2993}}) {
    append(again.make(first, count), parts);
  }
  EXPECT_EQ(one.documents(), 20000);
  EXPECT_EQ(parts.begin, one.begin);
  EXPECT_EQ(parts.word, one.word);
  EXPECT_EQ(parts.count, one.count);
  model.seed = 1;
  EXPECT_NE(CorpusGenerator(model).make(0, 100).word, generator.make(0, 100).word);
}

TEST(SyntheticCorpus, has_lengths_of_the_stated_law) {
  CorpusModel model;
  model.topics = 2;
  model.vocabulary = 5;
  model.length = 70;  // more than one part of the Poisson sampler
  for (const LengthLaw law : {LengthLaw::fixed, LengthLaw::poisson}) {
    model.length_law = law;
    const Corpus corpus = CorpusGenerator(model).make(0, 40000);
    double sum = 0, squares = 0;
    for (Index n = 0; n < corpus.documents(); ++n) {
      const auto length = static_cast<double>(corpus.length(n));
      sum += length;
      squares += length * length;
    }
    const double mean = sum / 40000, variance = squares / 40000 - mean * mean;
    if (law == LengthLaw::fixed) {
      EXPECT_EQ(mean, 70);
      EXPECT_EQ(variance, 0);
    } else {
      EXPECT_NEAR(mean, 70, 0.17);  // 4 standard errors
      EXPECT_NEAR(variance, 70, 2.0);
    }
  }
}

// The mean over documents of (c c^T - diag c) / (l (l-1)).
Matrix second_moment(const Corpus& corpus) {
  Matrix sum = Matrix::Zero(corpus.vocabulary_size, corpus.vocabulary_size);
  for (Index n = 0; n < corpus.documents(); ++n) {
    Vector c = Vector::Zero(corpus.vocabulary_size);
    for (std::size_t e = 0; e < corpus.words_of(n).size(); ++e) {
      c[corpus.words_of(n)[e]] = corpus.counts_of(n)[e];
    }
    Matrix pairs = c * c.transpose();
    pairs.diagonal() -= c;
    sum += pairs / (c.sum() * (c.sum() - 1));
  }
  return sum / static_cast<double>(corpus.documents());
}

// E[h h^T] is (diag(alpha) + alpha alpha^T) / (a0 (a0+1)) for LDA and diag(w) for single topics.
TEST(SyntheticCorpus, has_the_second_moment_of_its_model) {
  CorpusModel model;
  model.topics = 3;
  model.vocabulary = 6;
  model.beta = 0.5;
  model.length = 30;
  model.weights = {5, 3, 2};
  std::vector<Matrix> found, stated;
  for (const DocumentModel kind : {DocumentModel::lda, DocumentModel::single}) {
    for (const double alpha0 : {0.5, 5.0}) {
      model.model = kind;
      model.alpha0 = alpha0;
      const CorpusGenerator generator(model);
      const double a0 = generator.alpha().sum();
      EXPECT_NEAR(a0, kind == DocumentModel::lda ? alpha0 : 0, 1e-15);
      const Vector& w = generator.weights();
      const Matrix spread = w.asDiagonal();
      const Matrix pairs = (spread + a0 * w * w.transpose()) / (a0 + 1);
      stated.push_back(generator.topics() * pairs * generator.topics().transpose());
      found.push_back(second_moment(generator.make(0, 60000)));
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {  // the fourth is the third again
    for (std::size_t j = 0; j < 3; ++j) {
      const double distance = (found[i] - stated[j]).norm();
      if (i == j) {
        EXPECT_LE(distance, 0.006) << i;
      } else {
        EXPECT_GE(distance, 0.03) << i << " " << j;
      }
    }
  }
  EXPECT_EQ(found[2], found[3]);  // alpha0 means nothing to single topics
}

// A symmetric Dirichlet(b) over V words has E[sum p_i^2] = (b+1)/(V b+1).
TEST(SyntheticCorpus, draws_topics_from_the_dirichlet_distribution) {
  CorpusModel model;
  model.topics = 200;
  for (const double beta : {0.05, 2.0}) {
    model.beta = beta;
    const Matrix topics = CorpusGenerator(model).topics();
    EXPECT_LE((topics.colwise().sum().array() - 1).abs().maxCoeff(), 1e-12);
    EXPECT_GE(topics.minCoeff(), 0);
    const double concentration = topics.colwise().squaredNorm().mean();
    const double expected = (beta + 1) / (1000 * beta + 1);
    EXPECT_NEAR(concentration / expected, 1, 0.05);
  }
}

TEST(SyntheticCorpus, of_tiny_parameters_has_one_topic_a_document_and_one_word_a_topic) {
  CorpusModel model;
  model.alpha0 = 1e-9;
  model.beta = 1e-9;
  const Corpus corpus = CorpusGenerator(model).make(0, 500);
  EXPECT_EQ(corpus.entries(), 500);
  for (const std::int32_t count : corpus.count) EXPECT_EQ(count, 80);
}

TEST(SyntheticCorpus, uses_the_topics_it_is_given) {
  CorpusModel model;
  model.topics = 2;
  model.vocabulary = 4;
  Matrix topics(4, 2);
  topics << 3, 0, 1, 0, 0, 0, 0, 2;
  const CorpusGenerator generator(model, topics);
  EXPECT_EQ(
      generator.topics(),
      (topics * Vector::Constant(2, 1).cwiseQuotient(Vector{{4.0, 2.0}}).asDiagonal()).eval());
  const auto words = word_frequency(generator.make(0, 2000));
  EXPECT_EQ(words[2], 0);
  EXPECT_NEAR(static_cast<double>(words[0]) / static_cast<double>(words[1]), 3, 0.05);
  const auto refused = [&](double bad) {
    topics(1, 1) = bad;
    EXPECT_THROW(CorpusGenerator(model, topics), Error) << bad;
  };
  refused(-1);
  refused(std::nan(""));
  refused(INFINITY);
  topics(1, 1) = topics(3, 1) = 0;
  EXPECT_THROW(CorpusGenerator(model, topics), Error);
  EXPECT_THROW(CorpusGenerator(model, Matrix::Ones(3, 2)), Error);
}

TEST(SyntheticCorpus, comes_with_its_truth) {
  CorpusModel model;
  model.documents = 300;
  const SyntheticCorpus made = generate_corpus(model);
  const CorpusGenerator generator(model);
  EXPECT_EQ(made.topics, generator.topics());
  EXPECT_EQ(made.alpha, generator.alpha());
  EXPECT_EQ(made.corpus.word, generator.make(0, 300).word);
  EXPECT_EQ(made.corpus.vocabulary.front(), "w1");
  EXPECT_EQ(made.corpus.vocabulary.back(), "w1000");
  model.weights = {1, 2};
  EXPECT_THROW(generate_corpus(model), Error);
}

}  // namespace
}  // namespace sotto
