#include "sotto/tensor/sharded_tensor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "sotto/base/error.h"
#include "sotto/tensor/contraction.h"
#include "sotto/tensor/shard_answer.h"
#include "sotto/tensor/testing/local_shards.h"

namespace sotto {
namespace {

SymmetricTensor drawn_tensor(Index dim, int order) {
  SeededRandom random(3);
  SymmetricTensor t(dim, order);
  for (double& x : t.packed()) x = random.normal();
  return t;
}

Matrix drawn_block(Index rows, Index cols) {
  SeededRandom random(4);
  Matrix block(rows, cols);
  for (Index n = 0; n < block.size(); ++n) block.data()[n] = random.normal();
  return block;
}

// A shard that has copied its slices from the whole tensor.
AnswerQuestion answers_from(const SymmetricTensor& whole) {
  return [&whole](const std::string& text, Index shard) {
    return answer_or_error([&] {
      const auto question = TensorQuestion::read(text);
      HeldSlices held(whole.dim(), whole.order(), chunks_of_shard(question, shard));
      std::copy_n(whole.packed().begin() + held.before, held.packed.size(), held.packed.begin());
      held.symmetry = {static_cast<double>(shard % 2), {shard, shard}, 10.0 - double(shard)};
      return answer_tensor_question(held, question, shard);
    });
  };
}

TEST(ShardedTensor, has_the_bits_of_one_process_for_any_number_of_shards) {
  for (const auto& [dim, order] : {std::pair(61, 3), {30, 4}, {5, 3}, {1, 4}}) {
    const SymmetricTensor whole = drawn_tensor(dim, order);
    const Matrix block = drawn_block(dim, 11);
    for (const int count : {1, 2, 3, 4, 8}) {
      const AnswerQuestion answer = answers_from(whole);
      LocalShards shards(std::vector<AnswerQuestion>(static_cast<std::size_t>(count - 1), answer),
                         7);
      AskedTensor asked([&](const std::string& question) { return shards.ask(question, answer); },
                        dim, order, count);
      EXPECT_EQ(asked.contract(block), contract(whole, block)) << dim << " " << count;
      EXPECT_EQ(asked.values(block), TensorOracle(whole).values(block));
      EXPECT_EQ(asked.frobenius_norm(), whole.frobenius_norm());
      EXPECT_EQ(asked.symmetry().largest, 10);
      EXPECT_EQ(asked.symmetry().worst, count > 1 ? 1 : 0);
      EXPECT_LT(shards.longest(), 12 * sizeof(double) * std::size_t(dim) * 11 + 1000);
    }
  }
}

TEST(ShardedTensor, shards_hold_every_entry_once) {
  for (const auto& [dim, order] : {std::pair(50, 3), {26, 4}, {2, 3}}) {
    for (const Index shards : {1, 3, 8, 100}) {
      Index next = 0;
      for (Index shard = 0; shard < shards; ++shard) {
        TensorQuestion question;
        question.dim = dim;
        question.order = order;
        question.shards = shards;
        const HeldSlices held(dim, order, chunks_of_shard(question, shard));
        EXPECT_TRUE(held.packed.empty() || held.before == next);
        next += std::ssize(held.packed);
      }
      EXPECT_EQ(next, unique_entries(dim, order));
    }
  }
}

TEST(ShardedTensor, altered_questions_and_missing_answers_are_found) {
  const SymmetricTensor whole = drawn_tensor(40, 3);
  const AnswerQuestion answer = answers_from(whole);
  AskedTensor lost([&](const std::string& question) { return answer(question, 0); }, 40, 3, 2);
  EXPECT_THROW(lost.contract(drawn_block(40, 2)), Error);
  EXPECT_THROW(lost.symmetry(), Error);
  TensorQuestion question;
  question.dim = 40;
  question.block = drawn_block(40, 2);
  std::string altered = question.bytes();
  altered[altered.size() / 2] ^= 1;
  EXPECT_THROW(TensorQuestion::read(altered), Error);
  EXPECT_THROW(AskedTensor([](const std::string&) { return std::string(); }, 40, 3, 1)
                   .contract(drawn_block(39, 1)),
               Error);
}

}  // namespace
}  // namespace sotto
