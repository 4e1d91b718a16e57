#include "sotto/release/user_sums.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sotto/base/clip.h"
#include "sotto/base/error.h"
#include "sotto/release/access.h"
#include "sotto/release/rating_sums.h"
#include "sotto/tensor/shard_answer.h"

namespace sotto {
namespace {

// private_users.md, 2 and 3.
constexpr Index kMostItems = Index{1} << 22, kMostTimes = Index{1} << 16;
constexpr double kShortestUser = 0x1p-10;
constexpr std::size_t kUsersAtOnce = 4096;  // between two checks whether to go on

std::int64_t in_units(double x) { return std::llrint(x / kUserUnit); }

// The order in which a user's ratings are taken under a cap: a fixed shuffle of the items.
std::uint64_t place_of(std::int32_t item) {
  auto x = static_cast<std::uint64_t>(item) + 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

struct UserEntry {
  std::int32_t user;
  Index entry;
};

// The entries with a listed item, in the order of the users, and each user's in the order of the
// file. The cost depends on the number of entries, not on how users are numbered.
std::vector<UserEntry> listed_by_user(const ObservedEntries& entries) {
  std::vector<UserEntry> listed;
  for (Index e = 0; e < entries.size(); ++e) {
    if (entries.row(1, e) != kUnknownRow) listed.push_back({entries.row(0, e), e});
  }
  const auto earlier = [](const UserEntry& a, const UserEntry& b) {
    return a.user != b.user ? a.user < b.user : a.entry < b.entry;
  };
  if (!std::is_sorted(listed.begin(), listed.end(), earlier)) {
    std::sort(listed.begin(), listed.end(), earlier);
  }
  return listed;
}

class HeldUsers final : public UserSource {
 public:
  HeldUsers(const ObservedEntries& entries, const UserRules& rules, std::function<void()> before)
      : rules_(rules), before_(std::move(before)) {
    rules.check();
    take(entries);
  }

  std::vector<std::int64_t> sums(const UserQuestion& question) override {
    Sums sum(static_cast<std::size_t>(question.numbers(rules_)), 0);
    switch (question.what) {
      case UserSum::levels:
        add_levels(sum);
        break;
      case UserSum::items:
        add_items(question, sum);
        break;
      case UserSum::times:
        add_times(question, sum);
        break;
      case UserSum::pairs:
        add_pairs(question, sum);
        break;
    }
    return sum;
  }

 private:
  using Sums = std::vector<std::int64_t>;
  struct Rating {
    std::int32_t item, time;
    double z;
  };
  std::span<const Rating> of(std::size_t user) const {
    return {ratings_.data() + begin_[user], begin_[user + 1] - begin_[user]};
  }
  template <class Visit>
  void for_users(Visit visit) const {
    for (std::size_t u = 0; u + 1 < begin_.size(); ++u) {
      if (before_ && u % kUsersAtOnce == 0) before_();
      visit(of(u));
    }
  }
  void take(const ObservedEntries& entries);
  static void left_of(std::span<const Rating> own, const UserCentre& centre,
                      std::vector<double>& left);
  void add_levels(Sums& sum) const;
  void add_items(const UserQuestion& question, Sums& sum) const;
  void add_times(const UserQuestion& question, Sums& sum) const;
  void add_pairs(const UserQuestion& question, Sums& sum) const;

  UserRules rules_;
  std::function<void()> before_;
  std::vector<Rating> ratings_;     // user by user, by item
  std::vector<std::size_t> begin_;  // user u has the ratings begin_[u] .. begin_[u+1]-1
};

// User by user: listed items only, each once, at most per_user of them.
void HeldUsers::take(const ObservedEntries& entries) {
  refuse_nan(entries.value);
  const std::vector<UserEntry> listed = listed_by_user(entries);
  begin_.push_back(0);
  std::vector<Rating> own;
  for (auto next = listed.begin(); next != listed.end();) {
    own.clear();
    for (const std::int32_t user = next->user; next != listed.end() && next->user == user; ++next) {
      const std::int32_t time = rules_.times > 0 ? entries.row(2, next->entry) : kUnknownRow;
      const double z = rules_.bounds.centred(entries.at(next->entry)) / rules_.bounds.half();
      own.push_back({entries.row(1, next->entry), time, clipped(z, -1, 1)});
    }
    const auto earlier = [](const Rating& a, const Rating& b) {
      return place_of(a.item) < place_of(b.item);
    };
    const auto same = [](const Rating& a, const Rating& b) { return a.item == b.item; };
    std::stable_sort(own.begin(), own.end(), earlier);
    own.erase(std::unique(own.begin(), own.end(), same), own.end());
    if (rules_.per_user > 0 && std::ssize(own) > rules_.per_user) {
      own.resize(static_cast<std::size_t>(rules_.per_user));
    }
    ratings_.insert(ratings_.end(), own.begin(), own.end());
    begin_.push_back(ratings_.size());
  }
}

void HeldUsers::left_of(std::span<const Rating> own, const UserCentre& centre,
                        std::vector<double>& left) {
  left.clear();
  double sum = 0;
  for (const Rating& rating : own) {
    left.push_back(rating.z - centre.mean - centre.effects[rating.item]);
    if (centre.times.size() > 0 && rating.time != kUnknownRow) {
      left.back() -= centre.times[rating.time];
    }
    sum += left.back();
  }
  const double level = sum / (static_cast<double>(own.size()) + centre.shrink);
  for (double& x : left) x -= level;
}

void HeldUsers::add_levels(Sums& sum) const {
  for_users([&](std::span<const Rating> own) {
    if (own.empty()) return;
    const auto n = static_cast<double>(own.size());
    double first = 0, second = 0;
    for (const Rating& rating : own) {
      first += rating.z;
      second += rating.z * rating.z;
    }
    // In [-1, 1], whatever was rounded on the way.
    sum[level_mean] += in_units(clipped(first / n, -1, 1) / 2);
    sum[level_square] += in_units(clipped(second / n, 0, 1) / 2);
    sum[level_users] += in_units(0.5);
    sum[level_root] +=
        in_units(std::min(std::sqrt(std::sqrt(n / static_cast<double>(rules_.items))), 1.0) / 2);
  });
}

void HeldUsers::add_items(const UserQuestion& question, Sums& sum) const {
  const double constant = question.constant;
  std::vector<double> left;
  for_users([&](std::span<const Rating> own) {
    if (own.empty()) return;
    left_of(own, question.centre, left);
    double square = 0;
    for (const double x : left) square += x * x + constant * constant;
    const double weight = 1 / std::sqrt(square);
    for (std::size_t n = 0; n < own.size(); ++n) {
      const auto item = static_cast<std::size_t>(own[n].item);
      sum[item] += in_units(left[n] * weight);
      sum[item + static_cast<std::size_t>(rules_.items)] += in_units(constant * weight);
    }
  });
}

void HeldUsers::add_times(const UserQuestion& question, Sums& sum) const {
  std::vector<double> left;
  Matrix own_sums(rules_.times, 2);
  for_users([&](std::span<const Rating> own) {
    left_of(own, question.centre, left);
    own_sums.setZero();
    for (std::size_t n = 0; n < own.size(); ++n) {
      if (own[n].time == kUnknownRow) continue;
      own_sums(own[n].time, 0) += left[n];
      own_sums(own[n].time, 1) += question.constant;
    }
    const double norm = own_sums.norm();
    if (!(norm > 0)) return;
    for (Index n = 0; n < own_sums.size(); ++n) {
      sum[static_cast<std::size_t>(n)] += in_units(own_sums.data()[n] / norm);
    }
  });
}

void HeldUsers::add_pairs(const UserQuestion& question, Sums& sum) const {
  const Index d = std::ssize(question.core);
  std::vector<std::int32_t> place(static_cast<std::size_t>(rules_.items), -1);
  for (Index c = 0; c < d; ++c) {
    place.at(static_cast<std::size_t>(question.core[static_cast<std::size_t>(c)])) =
        static_cast<int>(c);
  }
  std::vector<double> left;
  std::vector<std::pair<Index, double>> on_core;
  for_users([&](std::span<const Rating> own) {
    left_of(own, question.centre, left);
    on_core.clear();
    double square = 0;
    for (std::size_t n = 0; n < own.size(); ++n) {
      const std::int32_t c = place[static_cast<std::size_t>(own[n].item)];
      if (c < 0) continue;
      on_core.emplace_back(c, left[n]);
      square += left[n] * left[n];
    }
    std::sort(on_core.begin(), on_core.end());
    const double weight = 1 / std::max(std::sqrt(square), kShortestUser);
    for (auto& [c, x] : on_core) x *= weight;
    for (std::size_t a = 0; a < on_core.size(); ++a) {
      std::int64_t* row = sum.data() + packed_place(d, on_core[a].first, 0);
      for (std::size_t b = a; b < on_core.size(); ++b) {
        row[on_core[b].first] += in_units(on_core[a].second * on_core[b].second);
      }
    }
  });
}

class AskedUsers final : public UserSource {
 public:
  AskedUsers(AskUsers ask, const UserRules& rules, Index shards)
      : ask_(std::move(ask)), rules_(rules), shards_(shards) {}

  std::vector<std::int64_t> sums(const UserQuestion& question) override {
    const Index number = questions_++, numbers = question.numbers(rules_);
    const auto answer = ShardAnswer::of(ask_(question, number), number);
    require_whole(answer.part && answer.part->rows() == numbers && answer.part->cols() == 1,
                  "the parts of the shards are not those of this question");
    const RowMatrix total = answer.part->total(shards_);
    std::vector<std::int64_t> sum;
    for (Index n = 0; n < numbers; ++n) sum.push_back(static_cast<std::int64_t>(total(n, 0)));
    return sum;
  }

 private:
  AskUsers ask_;
  UserRules rules_;
  Index shards_;
  Index questions_ = 0;
};

std::span<const double> numbers_of(const Vector& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
}

Vector vector_of(const std::vector<double>& numbers) {
  return Eigen::Map<const Vector>(numbers.data(), std::ssize(numbers));
}

}  // namespace

void UserRules::check() const {
  bounds.check();
  SOTTO_REQUIRE(items >= 1 && items <= kMostItems, "1 to {} items are allowed, got {}", kMostItems,
                items);
  SOTTO_REQUIRE(times >= 0 && times <= kMostTimes, "at most {} times are allowed, got {}",
                kMostTimes, times);
}

Index UserQuestion::numbers(const UserRules& rules) const {
  const Index d = std::ssize(core);
  switch (what) {
    case UserSum::levels:
      return 4;
    case UserSum::items:
      return 2 * rules.items;
    case UserSum::times:
      return 2 * rules.times;
    case UserSum::pairs:
      return d * (d + 1) / 2;
  }
  throw Error("a question asks for what a shard does not have", "", Fault::system);
}

void UserQuestion::write(ByteWriter& bytes) const {
  bytes.integer(static_cast<std::int64_t>(what));
  for (const double value : {centre.mean, centre.shrink, constant}) bytes.real(value);
  bytes.reals(numbers_of(centre.effects));
  bytes.reals(numbers_of(centre.times));
  bytes.integer(std::ssize(core));
  for (const std::int32_t item : core) bytes.integer(item);
}

UserQuestion UserQuestion::read(ByteReader& bytes) {
  UserQuestion question;
  question.what = static_cast<UserSum>(bytes.integer());
  for (double* value : {&question.centre.mean, &question.centre.shrink, &question.constant}) {
    *value = bytes.real();
  }
  question.centre.effects = vector_of(bytes.reals());
  question.centre.times = vector_of(bytes.reals());
  for (Index left = bytes.integer(); left > 0; --left) {
    question.core.push_back(static_cast<std::int32_t>(bytes.integer()));
  }
  return question;
}

Sensitive<Users> held_users(Sensitive<ObservedEntries> ratings, const UserRules& rules,
                            std::function<void()> before_users) {
  return Sensitive<Users>(
      std::make_unique<HeldUsers>(ReleaseAccess::view(ratings), rules, std::move(before_users)));
}

std::string user_answer(const Sensitive<Users>& held, const UserRules& rules,
                        const UserQuestion& question, const UserShard& which) {
  const std::vector<std::int64_t> sum = ReleaseAccess::view(held)->sums(question);
  RowMatrix part(question.numbers(rules), 1);
  for (Index n = 0; n < part.rows(); ++n) {
    part(n, 0) = static_cast<double>(sum[static_cast<std::size_t>(n)]);
  }
  ShardAnswer answer;
  answer.question = which.question;
  answer.part.emplace(part.rows(), 1, which.shards);
  answer.part->add(which.shard, std::move(part));
  return answer.bytes();
}

Sensitive<Users> asked_users(AskUsers ask, const UserRules& rules, Index shards) {
  return Sensitive<Users>(std::make_unique<AskedUsers>(std::move(ask), rules, shards));
}

}  // namespace sotto
