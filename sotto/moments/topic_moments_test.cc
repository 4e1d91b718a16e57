#include "sotto/moments/topic_moments.h"

#include <gtest/gtest.h>

#include "sotto/base/error.h"
#include "sotto/moments/testing/enumerated_moments.h"
#include "sotto/tensor/contraction.h"

namespace sotto {
namespace {

using namespace sotto::testing;

constexpr Index kTopicWords = 6;
constexpr Index kDocuments = 9;

// placements of (matrix (x) vector)
void add_placements(Cube& sum, double factor, const Matrix& matrix, const Vector& vector) {
  const auto v = static_cast<Index>(sum.size());
  for (Index i = 0; i < v; ++i) {
    for (Index j = 0; j < v; ++j) {
      for (Index k = 0; k < v; ++k) {
        sum[i](j, k) += factor * (matrix(i, j) * vector[k] + matrix(i, k) * vector[j] +
                                  matrix(j, k) * vector[i]);
      }
    }
  }
}

// Sums over documents that are all different, one term at a time.
struct Enumerated {
  Matrix second = Matrix::Zero(kTopicWords, kTopicWords);
  Cube third = zero_cube(kTopicWords);

  Enumerated(const Corpus& corpus, double a0) {
    std::vector<Vector> p1;
    std::vector<Matrix> p2;
    for (Index n = 0; n < kDocuments; ++n) {
      p1.push_back(enumerated_first(corpus, n));
      p2.push_back(enumerated_second(corpus, n));
      second += p2.back() / double(kDocuments);
      const Cube p3 = enumerated_third(corpus, n);
      for (Index i = 0; i < kTopicWords; ++i) third[i] += p3[i] / double(kDocuments);
    }
    const double n = double(kDocuments);
    for (std::size_t a = 0; a < p1.size(); ++a) {
      for (std::size_t b = 0; b < p1.size(); ++b) {
        if (a == b) continue;
        second -= a0 / (a0 + 1) / (n * (n - 1)) * p1[a] * p1[b].transpose();
        add_placements(third, -a0 / (a0 + 2) / (n * (n - 1)), p2[a], p1[b]);
        for (std::size_t c = 0; c < p1.size(); ++c) {
          if (c == a || c == b) continue;
          const double f = 2 * a0 * a0 / ((a0 + 1) * (a0 + 2)) / (n * (n - 1) * (n - 2));
          for (Index i = 0; i < kTopicWords; ++i)
            third[i] += f * p1[a][i] * p1[b] * p1[c].transpose();
        }
      }
    }
    Cube symmetric = third;  // the last term is symmetric only over all orders of a, b, c
    for (Index i = 0; i < kTopicWords; ++i) symmetric[i] = 0.5 * (third[i] + third[i].transpose());
    third = symmetric;
  }
};

TEST(TopicMoments, unbiased_forms_equal_sums_over_different_documents_and_tokens) {
  const Corpus corpus = random_corpus(kDocuments, kTopicWords, 4);
  LocalDocuments documents(&corpus);
  const RowMatrix w = RowMatrix::Random(kTopicWords, 3);
  for (const double a0 : {0.0, 0.3, 2.0}) {
    const TopicMoments moments(documents, {}, a0, MomentForm::unbiased);
    const Enumerated exact(corpus, a0);
    EXPECT_LT((moments.second_times(w) - exact.second * w).norm(), 1e-12);
    EXPECT_LT(distance(moments.third(w), exact.third, w), 1e-12);
  }
}

TEST(TopicMoments, plug_in_forms_take_products_of_means) {
  const Corpus corpus = random_corpus(kDocuments, kTopicWords, 5);
  const MomentClips clips{0.6, 0.4, 0.3};
  LocalDocuments documents(&corpus);
  const CountMatrix by_word = transposed(corpus.view());
  const DocumentMoments raw(corpus, by_word, clips);
  const double a0 = 0.7;
  const TopicMoments moments(documents, clips, a0, MomentForm::plug_in);
  const RowMatrix identity = RowMatrix::Identity(kTopicWords, kTopicWords);
  const Vector m1 = raw.first_sum() / raw.first_mass();
  const Matrix e2 = raw.second_sum() / raw.second_mass();
  EXPECT_LT((moments.second_times(identity) - (e2 - a0 / (a0 + 1) * m1 * m1.transpose())).norm(),
            1e-13);
  SymmetricTensor e3(kTopicWords, 3);
  e3.add_scaled(1 / raw.third_mass(), raw.third_sum(identity));
  SymmetricTensor difference = moments.third(identity);
  difference.add_scaled(-1, topic_third_moment(e3, e2, m1, a0));
  EXPECT_LT(difference.frobenius_norm(), 1e-13);
}

// The exact raw moments of LDA, from the moments of a Dirichlet distribution. The result must be
// diagonal in the topics, which decides the coefficients.
TEST(TopicMoments, the_third_moment_of_lda_is_a_sum_over_topics) {
  constexpr Index k = 3;
  const Vector alpha = (Vector(k) << 0.2, 0.5, 0.8).finished();
  const double a0 = alpha.sum();
  const Matrix mu = (Matrix::Random(kTopicWords, k).array() + 1.1).matrix();
  const Vector e1 = mu * alpha / a0;
  const Matrix second = (alpha * alpha.transpose() + Matrix(alpha.asDiagonal())) / (a0 * (a0 + 1));
  const Matrix e2 = mu * second * mu.transpose();
  SymmetricTensor theta3(k, 3);  // E[theta_i theta_j theta_l]
  Index at = 0;
  for_unique_entries(k, 3, [&](const std::vector<Index>& i, double) {
    double product = 1;
    for (int t = 0; t < 3; ++t) {
      int before = 0;
      for (int s = 0; s < t; ++s) before += i[s] == i[t];
      product *= (alpha[i[t]] + before) / (a0 + t);
    }
    theta3.packed()[at++] = product;
  });
  const SymmetricTensor e3 = transform(theta3, mu.transpose());
  SymmetricTensor m3 = topic_third_moment(e3, e2, e1, a0);
  for (Index i = 0; i < k; ++i) {
    m3.add_rank_one(-2 * alpha[i] / (a0 * (a0 + 1) * (a0 + 2)), mu.col(i));
  }
  EXPECT_LT(m3.frobenius_norm(), 1e-13 * e3.frobenius_norm());
}

TEST(TopicMoments, refuses_a_corpus_without_a_third_moment) {
  Corpus corpus;
  corpus.vocabulary_size = 3;
  corpus.begin = {0, 2};
  corpus.word = {0, 1};
  corpus.count = {1, 1};
  LocalDocuments documents(&corpus);
  EXPECT_THROW(TopicMoments(documents, {}, 0, MomentForm::plug_in), Error);
}

}  // namespace
}  // namespace sotto
