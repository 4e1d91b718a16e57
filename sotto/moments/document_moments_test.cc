#include "sotto/moments/document_moments.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/linalg/spectral.h"
#include "sotto/moments/testing/enumerated_moments.h"
#include "sotto/moments/testing/quad.h"

namespace sotto {
namespace {

using namespace sotto::testing;

constexpr Index kDocumentWords = 7;

void add(Cube& sum, double factor, const Cube& other) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += factor * other[i];
}

TEST(DocumentMoments, norms_equal_those_of_the_tensors_written_out) {
  const Corpus corpus = random_corpus(40, kDocumentWords, 1, 1);
  for (Index n = 0; n < corpus.documents(); ++n) {
    const DocumentNorms norms = document_norms(corpus.counts_of(n));
    EXPECT_NEAR(norms.first, enumerated_first(corpus, n).norm(), 1e-13);
    const auto l = corpus.length(n);
    EXPECT_NEAR(norms.second, l < 2 ? 0 : enumerated_second(corpus, n).norm(), 1e-13);
    EXPECT_NEAR(norms.third, l < 3 ? 0 : frobenius(enumerated_third(corpus, n)), 1e-13);
  }
}

using Counts = std::vector<std::int32_t>;
constexpr std::int32_t kHuge = std::numeric_limits<std::int32_t>::max();

// Documents that are hard to sum: huge counts, hundreds of thousands of words, many of one word
// beside few of many others, and equal terms, whose rounding errors all have the same sign.
std::vector<Counts> hard_documents() {
  std::vector<Counts> documents{{1},
                                {2},
                                {3},
                                {kHuge},
                                {1, 1},
                                {2, 1},
                                {1, 1, 1},
                                {kHuge, 1},
                                {kHuge, 2},
                                {kHuge, kHuge},
                                {kHuge, kHuge - 1, 1}};
  constexpr std::size_t many = 1 << 18;
  SeededRandom random(11);
  Counts like_text(many), near_huge(many), around_ten(many), one_huge(many, 1);
  for (std::size_t i = 0; i < many; ++i) {
    like_text[i] = 1 + static_cast<std::int32_t>(1e6 / double(i + 1));
    near_huge[i] = kHuge - static_cast<std::int32_t>(random.below(1000));
    around_ten[i] = 1 + static_cast<std::int32_t>(random.below(20));
  }
  one_huge[many / 3] = kHuge;
  for (Counts* each : {&like_text, &near_huge, &around_ten, &one_huge}) documents.push_back(*each);
  documents.emplace_back(many, kHuge);
  documents.emplace_back(many, 1'234'567'891);
  return documents;
}

// Squares of (l)_j |P_j| by the same recurrences, with 113 bits.
struct QuadSquares {
  Quad length = 0, first = 0, second = 0, third = 0;

  explicit QuadSquares(const Counts& counts) {
    Quad twos = 0, threes = 0, pairs = 0, mixed = 0, triples = 0;
    for (const Quad c : counts) {
      const Quad a = c * c, b = a * (c - 1) * (c - 1);
      threes += twos * a;
      twos += first * a;
      mixed += pairs * a + first * b;
      first += a;
      pairs += b;
      triples += b * (c - 2) * (c - 2);
      length += c;
    }
    second = 2 * twos + pairs;
    third = 6 * threes + 3 * mixed + triples;
  }
  // The relative error of a norm whose square times (l)_j^2 should be `square`.
  double error(double norm, Quad square, int j) const {
    Quad falling = 1;
    for (int i = 0; i < j; ++i) falling *= length - i;
    if (falling == 0) return norm;  // too short: must be zero
    const Quad scaled = norm * falling;
    return std::abs(static_cast<double>(scaled * scaled / square - 1)) / 2;
  }
};

TEST(DocumentMoments, norms_have_the_stated_precision_for_every_document) {
  for (const Counts& counts : hard_documents()) {
    const DocumentNorms norms = document_norms(counts);
    const QuadSquares exact(counts);
    EXPECT_LT(exact.error(norms.first, exact.first, 1), 0x1p-44) << counts[0];
    EXPECT_LT(exact.error(norms.second, exact.second, 2), 0x1p-44) << counts[0];
    EXPECT_LT(exact.error(norms.third, exact.third, 3), 0x1p-44) << counts[0];
  }
}

// P3(Q,Q,Q) (l)_3 of one document, with 113 bits, entry by entry.
Quad quad_entry(const Counts& counts, const RowMatrix& q, Index a, Index b, Index c) {
  Quad y[3] = {}, cube = 0, pairs[3] = {};
  const Index at[3] = {a, b, c};
  for (Index i = 0; i < q.rows(); ++i) {
    const Quad n = counts[static_cast<std::size_t>(i)];
    for (int m = 0; m < 3; ++m) y[m] += n * q(i, at[m]);
    cube += n * q(i, a) * q(i, b) * q(i, c);
    for (int m = 0; m < 3; ++m) pairs[m] += n * q(i, at[(m + 1) % 3]) * q(i, at[(m + 2) % 3]);
  }
  return y[0] * y[1] * y[2] + 2 * cube - (y[0] * pairs[0] + y[1] * pairs[1] + y[2] * pairs[2]);
}

// release/private_documents.md, 5: the error of a third moment in q dimensions. The rows of a
// rotated Q cancel, but their absolute values do not.
TEST(DocumentMoments, the_error_of_a_third_moment_in_any_basis_stays_within_its_bound) {
  constexpr Index words = 600, dims = 5;
  SeededRandom random(12);
  const Matrix start = Matrix::NullaryExpr(words, dims, [&] { return random.normal(); });
  const RowMatrix q = householder_basis(start);
  double swollen = 0;
  for (const double size : {1.0, 3.0, 1e3, 2e9}) {
    Corpus corpus;
    corpus.vocabulary_size = words;
    Counts counts;
    for (std::int32_t w = 0; w < words; ++w) {
      corpus.word.push_back(w);
      counts.push_back(1 + static_cast<std::int32_t>(size * random.uniform()));
    }
    corpus.count = counts;
    corpus.begin.push_back(words);
    const CountMatrix by_word = transposed(corpus.view());
    const DocumentMoments moments(corpus, by_word, {kUnitNorm, kUnitNorm, kUnitNorm});
    const SymmetricTensor found = moments.third_sum(q);
    const auto l = static_cast<double>(corpus.length(0));
    const Quad scale = Quad(moments.third_weights()[0]) / (Quad(l) * (l - 1) * (l - 2));
    double square = 0;
    for (Index a = 0; a < dims; ++a) {
      for (Index b = 0; b < dims; ++b) {
        for (Index c = 0; c < dims; ++c) {
          const Quad exact = scale * quad_entry(counts, q, a, b, c);
          square += std::pow(static_cast<double>(found.at({a, b, c}) - exact), 2);
        }
      }
    }
    const double depth = double(sum_depth(1) + sum_depth(words)), u = 0x1p-53;
    EXPECT_LT(std::sqrt(square),
              36 * ((depth + 64) + std::sqrt(double(dims)) * double(sum_depth(words) + 4)) * u);
    EXPECT_GT(square, 0);
    const Vector c = Eigen::Map<const Eigen::VectorXi>(counts.data(), words).cast<double>();
    swollen = std::max(swollen, (q.cwiseAbs().transpose() * c).norm() / c.norm());
  }
  EXPECT_GT(swollen, 1.5);  // with absolute values inside, more than abs(c)
  EXPECT_LT(swollen, std::sqrt(double(dims)));
}

class Clipped : public ::testing::TestWithParam<bool> {
 protected:
  Corpus corpus = random_corpus(30, kDocumentWords, 2, 1);
  MomentClips clips = GetParam() ? MomentClips{0.5, 0.3, 0.2} : MomentClips{};
  CountMatrix by_word = transposed(corpus.view());
  DocumentMoments moments{corpus, by_word, clips};
};

TEST_P(Clipped, first_and_second_sums_equal_the_enumeration) {
  Vector first = Vector::Zero(kDocumentWords);
  Matrix second = Matrix::Zero(kDocumentWords, kDocumentWords);
  for (Index n = 0; n < corpus.documents(); ++n) {
    const Vector p1 = enumerated_first(corpus, n);
    first += std::min(1.0, clips.first / p1.norm()) * p1;
    if (corpus.length(n) < 2) continue;
    const Matrix p2 = enumerated_second(corpus, n);
    second += std::min(1.0, clips.second / p2.norm()) * p2;
  }
  EXPECT_LT((moments.first_sum() - first).norm(), 1e-12);
  EXPECT_LT((moments.second_sum() - second).norm(), 1e-12);
  const RowMatrix block = RowMatrix::Random(kDocumentWords, 4);
  EXPECT_LT((moments.second_sum_times(block) - second * block).norm(), 1e-12);
  EXPECT_NEAR(moments.second_mass(), second.sum(), 1e-12);
}

TEST_P(Clipped, third_sum_equals_the_enumeration) {
  Cube third = zero_cube(kDocumentWords);
  for (Index n = 0; n < corpus.documents(); ++n) {
    if (corpus.length(n) < 3) continue;
    const Cube p3 = enumerated_third(corpus, n);
    add(third, std::min(1.0, clips.third / frobenius(p3)), p3);
  }
  const RowMatrix w = RowMatrix::Random(kDocumentWords, 4);
  EXPECT_LT(distance(moments.third_sum(w), third, w), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Moments, Clipped, ::testing::Bool());

TEST(DocumentMoments, the_median_clip_leaves_half_the_documents_whole) {
  const Corpus corpus = random_corpus(101, kDocumentWords, 3);
  const CountMatrix by_word = transposed(corpus.view());
  const DocumentMoments moments(corpus, by_word, median_norms(corpus));
  EXPECT_GE((moments.third_weights().array() == 1).count(), 51);
  EXPECT_GT((moments.third_weights().array() < 1).count(), 20);
}

TEST(DocumentMoments, rules_without_a_bound_keep_norms_at_one) {
  const Corpus corpus = random_corpus(60, kDocumentWords, 5);
  const CountMatrix by_word = transposed(corpus.view());
  const DocumentMoments unit(corpus, by_word, {kUnitNorm, kUnitNorm, kUnitNorm});
  const DocumentMoments long_ones(corpus, by_word, {kByLength, kByLength, kByLength});
  const double small = by_length(0.2);
  const DocumentMoments flat(corpus, by_word, {small, small, small});
  for (Index n = 0; n < corpus.documents(); ++n) {
    const DocumentNorms norms = document_norms(corpus.counts_of(n));
    EXPECT_NEAR(unit.second_weights()[n] * norms.second, 1, 1e-14);
    EXPECT_NEAR(unit.third_weights()[n] * norms.third, 1, 1e-14);
    EXPECT_LE(long_ones.second_weights()[n] * norms.second, 1 + 1e-14);
    EXPECT_LE(long_ones.third_weights()[n] * norms.third, 1 + 1e-14);
    // With a smaller factor only documents that repeat more are clipped.
    const double plain = 0.2 * std::sqrt(corpus.length(n) * (corpus.length(n) - 1.0) / 6);
    EXPECT_NEAR(flat.second_weights()[n], std::min(plain, unit.second_weights()[n]),
                1e-14 * unit.second_weights()[n]);
    if (corpus.length(n) == 3) {
      EXPECT_NEAR(long_ones.second_weights()[n], 1, 1e-14);
      EXPECT_NEAR(long_ones.third_weights()[n], 1, 1e-14);
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
