// Sums over users as whole numbers, of which the releases of private_users.h are made.
//
// A user's contribution is rounded to whole units, so a sum has the same bits in whatever order the
// users come and whoever holds them: this process, or shards that are asked for their parts
// (tensor/shards.h). All ratings of a user are in one place.
// Privacy: the sums are exact, and as secret as the ratings. What a contribution is, and why its
// norm is bounded: private_users.md.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sotto/base/bytes.h"
#include "sotto/base/sensitive.h"
#include "sotto/linalg/matrix.h"
#include "sotto/release/privacy_options.h"
#include "sotto/tensor/observed.h"

namespace sotto {

constexpr double kUserUnit = 0x1p-21;

// How ratings are read as those of users: public numbers.
struct UserRules {
  ValueBounds bounds{};
  Index items = 0;
  Index times = 0;     // of a public list; 0: time is not used
  Index per_user = 0;  // cap on the ratings of a user that count; 0: no cap

  void check() const;
};

// What is subtracted from a rating z in [-1, 1]: the residual is z - mean - effects of item and
// time - level of the user, where the level is the sum of z - mean - effects over (number +
// shrink).
struct UserCentre {
  double mean = 0;
  double shrink = 1;
  Vector effects;  // of the items
  Vector times;    // effects of the times; empty: none
};

// The positions of the numbers of `levels`.
enum UserLevel { level_mean, level_square, level_users, level_root };

// These numbers are written into the bytes, so they are never reused.
enum class UserSum : std::int64_t { levels = 1, items = 2, times = 3, pairs = 4 };

struct UserQuestion {
  UserSum what = UserSum::levels;
  UserCentre centre;
  double constant = 0;             // of items and times
  std::vector<std::int32_t> core;  // of pairs

  // How many numbers the answer has.
  Index numbers(const UserRules& rules) const;

  void write(ByteWriter& bytes) const;
  static UserQuestion read(ByteReader& bytes);
};

// Where the pair (i, j), i <= j, of d core items stands in the answer.
inline Index packed_place(Index d, Index i, Index j) { return i * d - i * (i - 1) / 2 + j - i; }

class UserSource {
 public:
  virtual ~UserSource() = default;
  // In units; items and times: the residuals, then the constants.
  virtual std::vector<std::int64_t> sums(const UserQuestion& question) = 0;
};
using Users = std::unique_ptr<UserSource>;

// Takes ratings over: mode 0 the users, mode 1 the items (kUnknownRow: not listed, not counted),
// mode 2 the times. Refuses NaN. `before_users` is called now and then, and may throw to end the
// work.
Sensitive<Users> held_users(Sensitive<ObservedEntries> ratings, const UserRules& rules,
                            std::function<void()> before_users = {});

// The answer of a holder of users as bytes, numbered as the question; it is piece `shard` of a sum
// of `shards` pieces.
struct UserShard {
  Index question, shard, shards;
};
std::string user_answer(const Sensitive<Users>& held, const UserRules& rules,
                        const UserQuestion& question, const UserShard& which);

// Users that shards hold: `ask` sends a question with its number to all of them, and returns their
// answers, joined by joined_answers().
using AskUsers = std::function<std::string(const UserQuestion& question, Index number)>;
Sensitive<Users> asked_users(AskUsers ask, const UserRules& rules, Index shards);

}  // namespace sotto
