#include "sotto/complete/private/users.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/base/random.h"
#include "sotto/complete/private/testing/known_users.h"

namespace sotto {
namespace {

ObservedEntries draw_users(const KnownUsers& truth, std::int32_t users) {
  SeededRandom random(2);
  ObservedEntries entries({users, truth.items, 1});
  for (std::int32_t u = 0; u < users; ++u) {
    for (const auto& [item, value, time] : truth.draw(random)) {
      entries.append(std::vector<std::int32_t>{u, item, 0}, value);
    }
  }
  return entries;
}

UserModel fit(const KnownUsers& truth, std::int32_t users, double epsilon, std::uint64_t seed = 1) {
  const UserPlan plan{{epsilon, 1e-6}, kUserBounds, truth.items};
  PrivateRun run(user_statement(plan), NoiseKey::insecure_from_seed(seed), plan.target.budget());
  PrivateUsers released(Sensitive<ObservedEntries>(draw_users(truth, users)), plan, run);
  return fit_private_users(released, 3);
}

struct Errors {
  double model = 0, level = 0, mean = 0;
};

// Predicts the last fifth of the ratings of new users from the rest: by the model, by their mean,
// by 3.5.
Errors test_errors(const KnownUsers& truth, const UserModel& model) {
  SeededRandom random(7);
  Errors errors;
  double count = 0;
  for (int u = 0; u < 200; ++u) {
    const std::vector<OwnRating> all = truth.draw(random);
    const std::size_t kept = all.size() * 4 / 5;
    const std::span own(all.data(), kept);
    const OwnTaste user = solve_user(model, own);
    double mean = 0;
    for (const OwnRating& rating : own) mean += rating.value / static_cast<double>(kept);
    for (std::size_t n = kept; n < all.size(); ++n, ++count) {
      errors.model += std::pow(predict(model, user, all[n].item) - all[n].value, 2);
      errors.level += std::pow(mean - all[n].value, 2);
      errors.mean += std::pow(3.5 - all[n].value, 2);
    }
  }
  for (double* x : {&errors.model, &errors.level, &errors.mean}) *x = std::sqrt(*x / count);
  return errors;
}

TEST(PrivateUserFit, finds_effects_and_factors_where_users_are_many) {
  const KnownUsers truth(60);
  const Errors found = test_errors(truth, fit(truth, 6000, 4));
  EXPECT_LT(found.model, 0.60);  // the error alone is 0.5
  EXPECT_GT(found.level, 0.90);
}

TEST(PrivateUserFit, is_never_worse_than_the_mean_where_users_are_few) {
  const KnownUsers truth(60);
  for (const double epsilon : {0.05, 0.3, 1.0}) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      const Errors found = test_errors(truth, fit(truth, 150, epsilon, seed));
      EXPECT_LT(found.model, found.mean) << epsilon;
    }
  }
}

TEST(PrivateUserFit, spends_nothing_on_pairs_where_they_would_be_noise) {
  const KnownUsers truth(60);
  for (const auto& [users, expected] : {std::pair(300, false), {6000, true}}) {
    const UserPlan plan{{1, 1e-6}, kUserBounds, truth.items};
    PrivateRun run(user_statement(plan), NoiseKey::from_system(), plan.target.budget());
    PrivateUsers released(Sensitive<ObservedEntries>(draw_users(truth, users)), plan, run);
    const UserModel model = fit_private_users(released, 3);
    EXPECT_EQ(model.factors.squaredNorm() > 0, expected);
    const Certificate certificate = run.certify();
    EXPECT_TRUE(certificate.proved) << certificate.why;
    // Of so few users the noise sometimes leaves the mean alone.
    EXPECT_TRUE(expected ? certificate.releases.size() == 3 : certificate.releases.size() <= 2);
    EXPECT_EQ(certificate.epsilon, 1);
  }
}

// With a public guess at so few users the whole budget goes to the levels, and the plan says so.
TEST(PrivateUserFit, learns_the_mean_alone_where_users_are_too_few_for_items) {
  const KnownUsers truth(60);
  UserPlan plan{{0.5, 1e-6}, kUserBounds, truth.items};
  for (const Index guess : {0, 20}) {
    plan.users = guess;
    PrivateRun run(user_statement(plan), NoiseKey::insecure_from_seed(1), plan.target.budget());
    PrivateUsers released(Sensitive<ObservedEntries>(draw_users(truth, 20)), plan, run);
    const UserModel model = fit_private_users(released, 3);
    EXPECT_EQ(model.effects.squaredNorm(), 0);
    EXPECT_EQ(run.certify().releases.size(), 1u);
    EXPECT_EQ(planned_releases(plan).size(), guess > 0 ? 1u : 3u);
  }
  EXPECT_NE(item_forecast(plan).sentence.find("the mean alone is released"), std::string::npos);
  plan.users = 6000;
  EXPECT_EQ(planned_releases(plan).size(), 3u);
  EXPECT_LT(*item_forecast(plan).value, 6000);
}

// In the second of two times all ratings are 0.8 higher.
TEST(PrivateUserFit, finds_what_time_does) {
  const KnownUsers truth(60);
  ObservedEntries entries = draw_users(truth, 3000);
  entries.dims[2] = 2;
  SeededRandom random(11);
  for (std::size_t e = 0; e < entries.value.size(); ++e) {
    entries.index[2][e] = static_cast<std::int32_t>(random.below(2));
    entries.value[e] += 0.8 * entries.index[2][e] - 0.4;
  }
  const UserPlan plan{{4, 1e-6}, kUserBounds, truth.items, 2, 0};
  PrivateRun run(user_statement(plan), NoiseKey::from_system(), plan.target.budget());
  PrivateUsers released(Sensitive<ObservedEntries>(std::move(entries)), plan, run);
  const UserModel model = fit_private_users(released, 2);
  EXPECT_NEAR(model.times[1] - model.times[0], 0.8, 0.15);
  EXPECT_TRUE(run.certify().proved) << run.certify().why;
  const OwnTaste user = solve_user(model, {});
  EXPECT_NEAR(predict(model, user, 0, 1) - predict(model, user, 0, 0), 0.8, 0.15);
  // The effect of time is taken off a user's own ratings.
  const std::vector<OwnRating> early{{0, 4.0, 0}, {1, 4.0, 0}}, late{{0, 4.0, 1}, {1, 4.0, 1}};
  EXPECT_GT(solve_user(model, early).level, solve_user(model, late).level);
}

}  // namespace
}  // namespace sotto
