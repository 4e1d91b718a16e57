#include "sotto/release/private_users.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sotto/base/error.h"
#include "sotto/base/random.h"

namespace sotto {
namespace {

constexpr Index kUsers = 30, kItems = 12, kTimes = 3;
constexpr ValueBounds stars{1, 5};

// User u rates 1 to `items` of the items.
ObservedEntries random_ratings(Index count = kUsers) {
  SeededRandom random(3);
  ObservedEntries entries({count, kItems, kTimes});
  for (std::int32_t u = 0; u < count; ++u) {
    const auto own = static_cast<std::int32_t>(1 + random.below(kItems));
    const auto first = static_cast<std::int32_t>(random.below(kItems));
    for (std::int32_t n = 0; n < own; ++n) {
      const std::int32_t rows[] = {u, static_cast<std::int32_t>((first + n) % kItems),
                                   static_cast<std::int32_t>(random.below(kTimes))};
      entries.append(rows, 1 + 4 * random.uniform());
    }
  }
  return entries;
}

ObservedEntries without_user(const ObservedEntries& all, std::int32_t user) {
  std::vector<std::int32_t> kept;
  for (Index e = 0; e < all.size(); ++e) {
    if (all.row(0, e) != user) kept.push_back(static_cast<std::int32_t>(e));
  }
  return all.select(kept);
}

UserCentre some_centre() {
  UserCentre centre{0.1, 4, Vector::Zero(kItems), Vector{{0.1, 0, -0.1}}};
  for (Index i = 0; i < kItems; ++i) centre.effects[i] = 0.03 * static_cast<double>(i) - 0.15;
  return centre;
}

const std::vector<std::int32_t> core{7, 2, 9, 4, 0};

struct Outcome {
  Vector levels;
  Matrix sums, by_time, pairs;
  Certificate certificate;
};

// All releases, each with a quarter of the budget; the same noise for the same seed.
Outcome release(ObservedEntries entries, double epsilon, Index per_user = 0) {
  const UserPlan plan{{epsilon, 1e-6}, stars, kItems, kTimes, per_user};
  PrivateRun run(user_statement(plan), NoiseKey::insecure_from_seed(5), plan.target.budget());
  PrivateUsers released(Sensitive<ObservedEntries>(std::move(entries)), plan, run);
  const double mu = affordable_mu(plan.target, 1, 100) / 2 * (1 - 1e-12);
  return Outcome{released.levels(mu).value().value,
                 released.item_sums(some_centre(), 0.4, mu).value().value,
                 released.time_sums(some_centre(), 0.4, mu).value().value,
                 released.pair_moment(some_centre(), core, mu).value().value, run.certify()};
}

// The contributions by their definition, one user at a time, dense.
struct Naive {
  Vector levels = Vector::Zero(4);
  Matrix sums = Matrix::Zero(kItems, 2), by_time = Matrix::Zero(kTimes, 2),
         pairs = Matrix::Zero(5, 5);

  explicit Naive(const ObservedEntries& entries) {
    const UserCentre centre = some_centre();
    for (std::int32_t u = 0; u < entries.dims[0]; ++u) {
      Vector z = Vector::Zero(kItems), rated = Vector::Zero(kItems), then = Vector::Zero(kItems);
      Matrix when = Matrix::Zero(kTimes, kItems);
      for (Index e = 0; e < entries.size(); ++e) {
        if (entries.row(0, e) != u) continue;
        z[entries.row(1, e)] = (entries.at(e) - 3) / 2;
        rated[entries.row(1, e)] = 1;
        then[entries.row(1, e)] = centre.times[entries.row(2, e)];
        when(entries.row(2, e), entries.row(1, e)) = 1;
      }
      const double n = rated.sum();
      if (n == 0) continue;
      levels += Vector{{z.sum() / n, z.squaredNorm() / n, 1, std::pow(n / kItems, 0.25)}};
      Vector left = (z - centre.effects - then).array() - centre.mean;
      left = left.cwiseProduct(rated);
      left = (left.array() - left.sum() / (n + centre.shrink)) * rated.array();
      const double norm = std::sqrt(left.squaredNorm() + 0.16 * n);
      sums.col(0) += left / norm;
      sums.col(1) += 0.4 * rated / norm;
      Matrix own(kTimes, 2);
      own << when * left, 0.4 * when * rated;
      by_time += own / own.norm();
      Vector on_core(5);
      for (Index c = 0; c < 5; ++c) on_core[c] = left[core[static_cast<std::size_t>(c)]];
      if (on_core.norm() > 0x1p-10) on_core.normalize();
      pairs += on_core * on_core.transpose();
    }
  }
};

TEST(PrivateUsers, release_the_sums_by_their_definition) {
  const ObservedEntries entries = random_ratings();
  const Naive exact(entries);
  const Outcome run = release(entries, 300);  // noise of 0.05 to 0.1
  EXPECT_LT((run.levels - exact.levels).cwiseAbs().maxCoeff(), 0.8);
  EXPECT_LT((run.sums - exact.sums).cwiseAbs().maxCoeff(), 0.4);
  EXPECT_LT((run.by_time - exact.by_time).cwiseAbs().maxCoeff(), 0.4);
  EXPECT_LT((run.pairs - exact.pairs).cwiseAbs().maxCoeff(), 0.4);
  // Noise cancels between two runs of one seed: the difference is exact to the unit.
  const ObservedEntries fewer = without_user(entries, 4);
  const Naive less(fewer);
  const Outcome other = release(fewer, 300);
  EXPECT_LT(((run.sums - other.sums) - (exact.sums - less.sums)).norm(), 0x1p-19);
  EXPECT_LT(((run.by_time - other.by_time) - (exact.by_time - less.by_time)).norm(), 0x1p-19);
  EXPECT_LT(((run.pairs - other.pairs) - (exact.pairs - less.pairs)).norm(), 0x1p-19);
  EXPECT_LT(((run.levels - other.levels) - (exact.levels - less.levels)).norm(), 0x1p-19);
}

TEST(PrivateUsers, a_user_moves_a_release_by_at_most_the_sensitivity_and_comes_close) {
  ObservedEntries entries = random_ratings();
  // One user who rates all items alike, one with a single rating, and one with extreme values.
  for (std::int32_t i = 0; i < kItems; ++i) entries.append(std::vector<std::int32_t>{30, i, 0}, 5);
  entries.append(std::vector<std::int32_t>{31, 7, 0}, 1);
  entries.append(std::vector<std::int32_t>{32, 7, 0}, 1e300);
  entries.append(std::vector<std::int32_t>{32, 2, 0}, -std::numeric_limits<double>::infinity());
  entries.dims[0] = 33;
  const Outcome all = release(entries, 1);
  double most[4] = {};
  for (std::int32_t u = 0; u < 33; ++u) {
    const Outcome less = release(without_user(entries, u), 1);
    most[0] = std::max(most[0], (all.levels - less.levels).norm() / 2);
    most[1] = std::max(most[1], (all.sums - less.sums).norm());
    most[2] = std::max(most[2], (all.by_time - less.by_time).norm());
    most[3] = std::max(most[3], (all.pairs - less.pairs).norm());
  }
  for (std::size_t n = 0; n < 4; ++n) {
    const double charged = all.certificate.releases[n].record.sensitivity;
    EXPECT_LE(most[n], charged);
    EXPECT_GT(most[n], (n == 0 ? 0.97 : 0.999) * charged);
  }
}

TEST(PrivateUsers, number_of_ratings_does_not_matter_to_the_cost_and_order_not_at_all) {
  const ObservedEntries entries = random_ratings();
  std::vector<std::int32_t> backwards;
  for (Index e = entries.size() - 1; e >= 0; --e) backwards.push_back(static_cast<std::int32_t>(e));
  EXPECT_EQ(release(entries, 1).pairs, release(entries.select(backwards), 1).pairs);
  EXPECT_EQ(release(entries, 1).sums, release(entries.select(backwards), 1).sums);
}

// Whatever the number and the numbering of the users: nobody can make a run refuse.
TEST(PrivateUsers, no_number_of_a_user_is_too_large) {
  const ObservedEntries entries = random_ratings();
  ObservedEntries far = entries;
  constexpr std::int32_t last = std::numeric_limits<std::int32_t>::max() - 1;
  far.dims[0] = last + Index{1};
  for (std::int32_t& user : far.index[0]) user = last - (kUsers - 1 - user) * 70000;
  EXPECT_EQ(release(entries, 1).sums, release(far, 1).sums);
  EXPECT_EQ(release(entries, 1).pairs, release(far, 1).pairs);
}

TEST(PrivateUsers, the_second_rating_of_an_item_and_items_not_listed_do_not_count) {
  const ObservedEntries entries = random_ratings();
  ObservedEntries more = entries;
  more.append(std::vector<std::int32_t>{3, kUnknownRow, 0}, 5);
  const std::int32_t again = entries.row(1, 0);
  more.append(std::vector<std::int32_t>{entries.row(0, 0), again, 0}, 5);
  EXPECT_EQ(release(entries, 1).sums, release(more, 1).sums);
  EXPECT_EQ(release(entries, 1).levels, release(more, 1).levels);
}

TEST(PrivateUsers, at_most_per_user_ratings_count) {
  const ObservedEntries entries = random_ratings();
  const UserPlan plan{{1e3, 1e-6}, stars, kItems, 0, 1};
  PrivateRun run(user_statement(plan), NoiseKey::insecure_from_seed(5), plan.target.budget());
  PrivateUsers released(Sensitive<ObservedEntries>(random_ratings()), plan, run);
  const Vector levels = released.levels(20).value().value;
  EXPECT_NEAR(levels[level_root], kUsers * std::pow(1.0 / kItems, 0.25), 0.6);
  EXPECT_NE(release(entries, 1).sums, release(entries, 1, 2).sums);
}

TEST(PrivateUsers, stay_within_the_budget_and_refuse_to_pass_it) {
  const UserPlan plan{{1, 1e-6}, stars, kItems, kTimes};
  PrivateRun run(user_statement(plan), NoiseKey::from_system(), plan.target.budget());
  PrivateUsers released(Sensitive<ObservedEntries>(random_ratings()), plan, run);
  const double mu = affordable_mu(plan.target, 1, 100);
  released.levels(mu * 0.6);
  released.item_sums(some_centre(), 0.4, mu * 0.79);
  EXPECT_THROW(released.pair_moment(some_centre(), core, mu * 0.2), Error);
  const Certificate certificate = run.certify();
  EXPECT_TRUE(certificate.proved) << certificate.why;
  EXPECT_EQ(certificate.epsilon, 1);
}

TEST(PrivateUsers, refuse_what_is_no_number_and_an_insecure_seed_certifies_nothing) {
  ObservedEntries entries = random_ratings();
  EXPECT_FALSE(release(entries, 1).certificate.proved);
  entries.value[5] = std::nan("");
  EXPECT_THROW(release(entries, 1), Error);
}

}  // namespace
}  // namespace sotto
