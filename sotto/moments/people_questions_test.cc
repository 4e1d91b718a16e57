#include "sotto/moments/people_questions.h"

#include <gtest/gtest.h>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/tensor/shard_answer.h"
#include "sotto/tensor/testing/local_shards.h"

namespace sotto {
namespace {

const std::vector<Index> kAskedSizes{40, 6, 5};
constexpr Index kAskedFeatures = 6 + 5;

SparseTensor asked_tensor(bool counts, Index shard = 0, Index shards = 1) {
  SeededRandom random(6);
  std::vector<std::int32_t> indices;
  std::vector<double> values;
  for (std::int32_t p = 0; p < kAskedSizes[0]; ++p) {
    for (std::uint64_t n = random.below(9); n > 0; --n) {
      const auto i = static_cast<std::int32_t>(random.below(6));
      const auto j = static_cast<std::int32_t>(random.below(5));
      const double value = counts ? double(1 + random.below(4)) : random.normal();
      if (p % shards != shard) continue;
      indices.insert(indices.end(), {p, i, j});
      values.push_back(value);
    }
  }
  return SparseTensor(kAskedSizes, indices, values, Duplicates::sum);
}

RowMatrix asked_matrix(Index rows, Index cols) {
  SeededRandom random(7);
  RowMatrix m(rows, cols);
  for (Index n = 0; n < m.size(); ++n) m.data()[n] = 0.1 + random.uniform();
  return m;
}

// Shards that hold every so-many-th person, and whose answers are joined in a random order.
template <class Held>
AskPeople shards_of(bool counts, Index count) {
  return [counts, count](const PeopleQuestion& question) {
    const AnswerQuestion one = [counts, count](const std::string& text, Index shard) {
      return answer_or_error([&] {
        const SparseTensor own = asked_tensor(counts, shard, count);
        const Held held(own);
        const auto asked = PeopleQuestion::read(text);
        if constexpr (std::is_same_v<Held, PersonSums>) {
          return answer_people_question(held, asked, shard);
        } else {
          return answer_slice_question(held, asked, shard);
        }
      });
    };
    LocalShards shards(std::vector<AnswerQuestion>(std::size_t(count - 1), one), 3);
    return shards.ask(question.bytes(), one);
  };
}

TEST(PeopleQuestions, sums_over_people_have_the_bits_of_one_process) {
  const SparseTensor all = asked_tensor(true);
  const PersonSums whole(all);
  const std::vector<std::int32_t> core{8, 1, 4};
  const Vector weights{{0.5, 2, 1}};
  const TripleBasis basis{{asked_matrix(6, 2), asked_matrix(5, 3)},
                          asked_matrix(kAskedFeatures, 2)};
  const PersonFactors factors{asked_matrix(kAskedFeatures, 3), Vector{{0.2, 0.3, 0.5}}, 4};
  const Vector scale = asked_matrix(kAskedFeatures, 1).col(0);
  for (const Index count : {1, 2, 3, 8, 50}) {
    const AskedPeople asked(shards_of<PersonSums>(true, count), kAskedFeatures, count);
    EXPECT_EQ(asked.frequencies(), whole.frequencies());
    EXPECT_EQ(asked.pairs(core, weights), whole.pairs(core, weights));
    EXPECT_EQ(asked.triples(basis), whole.triples(basis));
    EXPECT_EQ(asked.expected_counts(factors, scale), whole.expected_counts(factors, scale));
    EXPECT_EQ(asked.loadings(factors, 5), whole.loadings(factors, 5));
  }
}

TEST(PeopleQuestions, sums_over_slices_have_the_bits_of_one_process) {
  const SparseTensor all = asked_tensor(false);
  const SliceSums whole(all);
  const std::vector<std::int32_t> core{0, 2, 3};
  const SliceFactors factors{asked_matrix(kAskedFeatures, 2), asked_matrix(2, 2)};
  for (const Index count : {1, 2, 3, 8, 50}) {
    const AskedSlices asked(shards_of<SliceSums>(false, count), kAskedFeatures, count);
    EXPECT_EQ(asked.row_norms(), whole.row_norms());
    EXPECT_EQ(asked.gram(1, core), whole.gram(1, core));
    const std::vector<RowMatrix> bases{asked_matrix(6, 2), asked_matrix(5, 2)};
    EXPECT_EQ(asked.compressed(bases), whole.compressed(bases));
    EXPECT_EQ(asked.normal(factors), whole.normal(factors));
    EXPECT_EQ(asked.loadings(factors, 4), whole.loadings(factors, 4));
  }
}

TEST(PeopleQuestions, refuses_what_a_shard_does_not_have) {
  const SparseTensor all = asked_tensor(true);
  const PersonSums people(all);
  const SliceSums slices(all);
  PeopleQuestion question;
  question.what = PeopleSum::pairs;  // without weights
  EXPECT_THROW(answer_people_question(people, question, 0), Error);
  question.what = PeopleSum::gram;
  EXPECT_THROW(answer_people_question(people, question, 0), Error);
  EXPECT_THROW(answer_slice_question(slices, question, 0), Error);
  std::string altered = question.bytes();
  altered[altered.size() / 2] ^= 1;
  EXPECT_THROW(PeopleQuestion::read(altered), Error);
  const AskedPeople lost(
      [&](const PeopleQuestion& asked) { return answer_people_question(people, asked, 0); },
      kAskedFeatures, 2);
  EXPECT_THROW(lost.frequencies(), Error);
}

}  // namespace
}  // namespace sotto
