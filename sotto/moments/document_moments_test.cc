#include "sotto/moments/document_moments.h"

#include <gtest/gtest.h>

#include "sotto/base/error.h"
#include "sotto/moments/testing/enumerated_moments.h"

namespace sotto {
namespace {

using namespace sotto::testing;

constexpr Index kWords = 7;

void add(Cube& sum, double factor, const Cube& other) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += factor * other[i];
}

TEST(DocumentMoments, norms_equal_those_of_the_tensors_written_out) {
  const Corpus corpus = random_corpus(40, kWords, 1, 1);
  for (Index n = 0; n < corpus.documents(); ++n) {
    const DocumentNorms norms = document_norms(corpus.counts_of(n));
    EXPECT_NEAR(norms.first, enumerated_first(corpus, n).norm(), 1e-13);
    const auto l = corpus.length(n);
    EXPECT_NEAR(norms.second, l < 2 ? 0 : enumerated_second(corpus, n).norm(), 1e-13);
    EXPECT_NEAR(norms.third, l < 3 ? 0 : frobenius(enumerated_third(corpus, n)), 1e-13);
  }
}

class Clipped : public ::testing::TestWithParam<bool> {
 protected:
  Corpus corpus = random_corpus(30, kWords, 2, 1);
  MomentClips clips = GetParam() ? MomentClips{0.5, 0.3, 0.2} : MomentClips{};
  CountMatrix by_word = transposed(corpus.view());
  DocumentMoments moments{corpus, by_word, clips};
};

TEST_P(Clipped, first_and_second_sums_equal_the_enumeration) {
  Vector first = Vector::Zero(kWords);
  Matrix second = Matrix::Zero(kWords, kWords);
  for (Index n = 0; n < corpus.documents(); ++n) {
    const Vector p1 = enumerated_first(corpus, n);
    first += std::min(1.0, clips.first / p1.norm()) * p1;
    if (corpus.length(n) < 2) continue;
    const Matrix p2 = enumerated_second(corpus, n);
    second += std::min(1.0, clips.second / p2.norm()) * p2;
  }
  EXPECT_LT((moments.first_sum() - first).norm(), 1e-12);
  EXPECT_LT((moments.second_sum() - second).norm(), 1e-12);
  const RowMatrix block = RowMatrix::Random(kWords, 4);
  EXPECT_LT((moments.second_sum_times(block) - second * block).norm(), 1e-12);
  EXPECT_NEAR(moments.second_mass(), second.sum(), 1e-12);
}

TEST_P(Clipped, third_sum_equals_the_enumeration) {
  Cube third = zero_cube(kWords);
  for (Index n = 0; n < corpus.documents(); ++n) {
    if (corpus.length(n) < 3) continue;
    const Cube p3 = enumerated_third(corpus, n);
    add(third, std::min(1.0, clips.third / frobenius(p3)), p3);
  }
  const RowMatrix w = RowMatrix::Random(kWords, 4);
  EXPECT_LT(distance(moments.third_sum(w), third, w), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Moments, Clipped, ::testing::Bool());

TEST(DocumentMoments, the_median_clip_leaves_half_the_documents_whole) {
  const Corpus corpus = random_corpus(101, kWords, 3);
  const CountMatrix by_word = transposed(corpus.view());
  const DocumentMoments moments(corpus, by_word, median_norms(corpus));
  EXPECT_GE((moments.third_weights().array() == 1).count(), 51);
  EXPECT_GT((moments.third_weights().array() < 1).count(), 20);
}

TEST(DocumentMoments, rules_without_a_bound_keep_norms_at_one) {
  const Corpus corpus = random_corpus(60, kWords, 5);
  const CountMatrix by_word = transposed(corpus.view());
  const DocumentMoments unit(corpus, by_word, {kUnitNorm, kUnitNorm, kUnitNorm});
  const DocumentMoments by_length(corpus, by_word, {kByLength, kByLength, kByLength});
  for (Index n = 0; n < corpus.documents(); ++n) {
    const DocumentNorms norms = document_norms(corpus.counts_of(n));
    EXPECT_NEAR(unit.second_weights()[n] * norms.second, 1, 1e-14);
    EXPECT_NEAR(unit.third_weights()[n] * norms.third, 1, 1e-14);
    EXPECT_LE(by_length.second_weights()[n] * norms.second, 1 + 1e-14);
    EXPECT_LE(by_length.third_weights()[n] * norms.third, 1 + 1e-14);
    if (corpus.length(n) == 3) {
      EXPECT_NEAR(by_length.second_weights()[n], 1, 1e-14);
      EXPECT_NEAR(by_length.third_weights()[n], 1, 1e-14);
    }
  }
}

TEST(DocumentMoments, a_corpus_of_short_documents_has_no_median) {
  Corpus corpus;
  corpus.vocabulary_size = 2;
  corpus.begin = {0, 1};
  corpus.word = {1};
  corpus.count = {2};
  EXPECT_THROW(median_norms(corpus), Error);
}

}  // namespace
}  // namespace sotto
