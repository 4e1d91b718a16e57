#include "sotto/release/user_sums.h"

#include <gtest/gtest.h>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/release/access.h"
#include "sotto/tensor/shard_answer.h"
#include "sotto/tensor/testing/local_shards.h"

namespace sotto {
namespace {

constexpr UserRules kSharedRules{{1, 5}, 14, 3, 6};

ObservedEntries shared_ratings(std::int32_t users) {
  SeededRandom random(3);
  ObservedEntries entries({users, kSharedRules.items, kSharedRules.times});
  for (int n = 0; n < 20 * users; ++n) {
    const auto below = [&](Index count) {
      return static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(count)));
    };
    const std::int32_t place[] = {below(users), below(kSharedRules.items),
                                  below(kSharedRules.times)};
    entries.append(place, 1 + 4 * random.uniform());
  }
  return entries;
}

ObservedEntries own_users(const ObservedEntries& all, Index shard, Index shards) {
  std::vector<std::int32_t> kept;
  for (Index e = 0; e < all.size(); ++e) {
    if (all.row(0, e) % shards == shard) kept.push_back(static_cast<std::int32_t>(e));
  }
  return all.select(kept);
}

std::vector<UserQuestion> all_questions() {
  UserCentre centre{0.1, 4, Vector::Zero(kSharedRules.items), Vector{{0.1, 0, -0.1}}};
  for (Index i = 0; i < kSharedRules.items; ++i) centre.effects[i] = 0.02 * double(i) - 0.15;
  return {{UserSum::levels, {}, 0, {}},
          {UserSum::items, centre, 0.3, {}},
          {UserSum::times, centre, 0.3, {}},
          {UserSum::pairs, centre, 0, {7, 2, 9, 4, 0}}};
}

std::vector<std::int64_t> sums_of(const Sensitive<Users>& users, const UserQuestion& question) {
  return ReleaseAccess::view(users)->sums(question);
}

TEST(UserSums, shards_have_the_sums_of_one_process) {
  const ObservedEntries all = shared_ratings(50);
  const auto whole = held_users(Sensitive<ObservedEntries>(all), kSharedRules);
  for (const Index count : {1, 2, 3, 8, 60}) {  // of sixty shards some hold no user
    const auto answer = [&](const UserQuestion& question, Index number, Index shard) {
      return answer_or_error([&] {
        const auto held =
            held_users(Sensitive<ObservedEntries>(own_users(all, shard, count)), kSharedRules);
        return user_answer(held, kSharedRules, question, {number, shard, count});
      });
    };
    const auto asked = asked_users(
        [&](const UserQuestion& question, Index number) {
          const AnswerQuestion one = [&](const std::string& text, Index shard) {
            ByteReader bytes(text, "a question");
            return answer(UserQuestion::read(bytes), number, shard);
          };
          LocalShards shards(std::vector<AnswerQuestion>(std::size_t(count - 1), one), 5);
          ByteWriter bytes;
          question.write(bytes);
          return shards.ask(std::move(bytes).sealed(), one);
        },
        kSharedRules, count);
    for (const UserQuestion& question : all_questions()) {
      EXPECT_EQ(sums_of(asked, question), sums_of(whole, question)) << int(question.what);
    }
  }
}

TEST(UserSums, a_part_that_is_missing_is_found) {
  const ObservedEntries all = shared_ratings(5);
  const auto held = held_users(Sensitive<ObservedEntries>(all), kSharedRules);
  const auto asked = asked_users(
      [&](const UserQuestion& question, Index number) {
        return user_answer(held, kSharedRules, question, {number, 0, 2});
      },
      kSharedRules, 2);
  EXPECT_THROW(sums_of(asked, all_questions()[0]), Error);
}

}  // namespace
}  // namespace sotto
