#include "sotto/moments/dense_moments.h"

#include <gtest/gtest.h>

#include "sotto/base/error.h"
#include "sotto/moments/testing/enumerated_moments.h"
#include "sotto/moments/topic_moments.h"

namespace sotto {
namespace {

using namespace sotto::testing;

double tensor_distance(const SymmetricTensor& a, SymmetricTensor b) {
  b.add_scaled(-1, a);
  return b.frobenius_norm();
}

// No document is too short here, so every weight is one and the divisors agree.
TEST(DenseMoments, equal_the_implicit_unbiased_form) {
  const Corpus corpus = random_corpus(1500, 7, 4);
  const RowMatrix all = RowMatrix::Identity(7, 7);
  for (const double alpha0 : {0.0, 0.3, 2.0}) {
    LocalDocuments documents(&corpus);
    const TopicMoments implicit(documents, {}, alpha0, MomentForm::unbiased);
    const DenseMoments dense = dense_topic_moments(corpus, alpha0);
    EXPECT_LT((dense.second - implicit.second_times(all)).norm(), 1e-14) << alpha0;
    EXPECT_LT(tensor_distance(dense.third, implicit.third(all)), 1e-14) << alpha0;
  }
}

TEST(DenseMoments, count_documents_that_are_too_short) {
  Corpus corpus = random_corpus(20, 7, 5);
  const DenseMoments whole = dense_topic_moments(corpus, 0);
  for (int n = 0; n < 5; ++n) corpus.begin.push_back(corpus.begin.back());
  const DenseMoments more = dense_topic_moments(corpus, 0);
  EXPECT_LT((more.second - 0.8 * whole.second).norm(), 1e-15);
  EXPECT_NEAR(more.third.frobenius_norm(), 0.8 * whole.third.frobenius_norm(), 1e-15);
}

TEST(DenseMoments, refuse_a_vocabulary_whose_cube_is_too_large) {
  Corpus corpus = random_corpus(5, 7, 6);
  corpus.vocabulary_size = kMostDenseWords + 1;
  EXPECT_THROW(dense_topic_moments(corpus, 1), Error);
}

TEST(DenseMoments, refuse_two_documents) {
  EXPECT_THROW(dense_topic_moments(random_corpus(2, 7, 7), 1), Error);
}

}  // namespace
}  // namespace sotto
