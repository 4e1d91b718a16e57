#include "sotto/privacy/run_cost.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "sotto/base/error.h"
#include "sotto/privacy/accountant.h"
#include "sotto/privacy/gdp.h"
#include "sotto/privacy/testing/generators.h"

namespace sotto {
namespace {

using testing::log_uniform;

ReleaseRecord gaussian_record(double mu, std::int64_t count = 1) {
  return {"a sum", "gaussian", mu, 1, count, GaussianCost{mu}, {1e-13, 1e-250}, "", 1};
}

Certificate certificate_of(const std::vector<ReleaseRecord>& records, double delta,
                           bool adds_or_removes = false) {
  PrivacyStatement statement;
  statement.unit = "one record";
  statement.delta = delta;
  statement.adds_or_removes = adds_or_removes;
  Ledger releases(statement);
  for (const ReleaseRecord& record : records) releases.add(record);
  return releases.certify();
}

// The Gaussian run that spends all of its claim.
CountedRun gaussian_run(const PrivacyClaim& claim) {
  const double mu_squared = most_mu_squared(claim);
  return {claim, mu_squared, RunCost{0, mu_squared, 0, 0}};
}

TEST(RunCost, adds_up_gaussian_and_pure_releases_with_their_precision) {
  const ReleaseRecord pure{"a choice", "laplace", 0.1, 1, 3, LaplaceCost{0.1}, {1e-12, 0}, "", 1};
  const auto cost =
      cost_of_releases(certificate_of({gaussian_record(0.3, 2), pure}, 1e-6), "record");
  ASSERT_TRUE(cost);
  EXPECT_NEAR(cost->mu_squared, 0.18, 1e-12);
  EXPECT_NEAR(cost->pure, 0.3, 1e-12);
  EXPECT_NEAR(cost->rounding, 3.2e-12, 1e-15);
  EXPECT_GE(cost->mu_squared, 2 * 0.3 * 0.3);
}

TEST(RunCost, has_none_where_releases_do_not_simply_add_up) {
  const ReleaseRecord sampled{"gradients", "gaussian", 1, 2, 10, SubsampledGaussianCost{2, 0.1},
                              {},          "",         1};
  EXPECT_FALSE(cost_of_releases(certificate_of({sampled}, 1e-6, true), "record"));
  PrivacyStatement statement;
  statement.delta = 1e-6;
  Ledger disjoint(statement), denied(statement);
  disjoint.add_disjoint({gaussian_record(0.3), gaussian_record(0.2)});
  EXPECT_FALSE(cost_of_releases(disjoint.certify(), "record"));
  denied.add(gaussian_record(0.3));
  denied.deny("an insecure seed");
  EXPECT_FALSE(cost_of_releases(denied.certify(), "record"));
  const Certificate withdraws = certificate_of({gaussian_record(0.3)}, 1e-6, true);
  EXPECT_FALSE(cost_of_releases(withdraws, "rating"));
  EXPECT_TRUE(cost_of_releases(withdraws, "user"));
}

TEST(RunCost, a_claim_on_a_rating_covers_two_changes) {
  const PrivacyClaim twice = whole_claim({0.5, 1e-6}, "rating");
  EXPECT_EQ(twice.epsilon, 1);
  EXPECT_GE(twice.delta, (1 + std::exp(0.5)) * 1e-6);
  EXPECT_LT(twice.delta, (1 + std::exp(0.5)) * 1e-6 * (1 + 1e-12));
  EXPECT_EQ(whole_claim({0.5, 1e-6}, "user").epsilon, 0.5);
}

TEST(RunCount, takes_claims_up_to_their_plain_sum) {
  RunCount count({3, 1e-5});
  for (int i = 0; i < 15; ++i) {
    ASSERT_TRUE(count.admits({0.2, 1e-7})) << i;
    count.add({{0.2, 1e-7}, 0, {}});
  }
  EXPECT_FALSE(count.admits({0.2, 1e-7}));
  EXPECT_FALSE(count.admits({1e-6, 1e-20}));
  EXPECT_LT(count.left().epsilon, 1e-9);
  EXPECT_TRUE(RunCount({3, 1e-5}).admits({3, 5e-6}));
  EXPECT_FALSE(RunCount({3, 1e-5}).admits({3.001, 5e-6}));
  EXPECT_FALSE(RunCount({3, 1e-5}).admits({0.1, 6e-6}));
}

TEST(RunCount, gaussian_runs_go_far_beyond_the_plain_sum) {
  RunCount count({3, 1e-5});
  const PrivacyClaim claim{0.2, 1e-7};
  const CountedRun run = gaussian_run(claim);
  int runs = 0;
  for (; count.admits(claim) && count.has_gaussian_room(run.cost->mu_squared); ++runs) {
    count.add(run);
  }
  EXPECT_GT(runs, 50);
  EXPECT_LE(count.composed_epsilon(), 3);
  EXPECT_GT(count.plain_sum().epsilon, 10);
  // Without room for mu^2 a run would count by its claim.
  EXPECT_TRUE(count.admits(claim));
  EXPECT_FALSE(count.has_gaussian_room(claim));
}

TEST(RunCount, open_runs_hold_their_claim_and_their_gaussian_cost) {
  RunCount count({3, 1e-5});
  count.add({{1, 1e-6}, most_mu_squared({1, 1e-6}), {}});
  EXPECT_TRUE(count.admits({2, 1e-6}));
  EXPECT_FALSE(count.admits({2.1, 1e-6}));
  EXPECT_EQ(count.composed_epsilon(), 1);
  RunCount settled({3, 1e-5});
  settled.add(gaussian_run({1, 1e-6}));
  EXPECT_LT(settled.composed_epsilon(), 1);
}

TEST(RunCount, settles_only_within_what_was_held) {
  const RunCount count({3, 1e-5});
  const double most = most_mu_squared({1, 1e-6});
  const CountedRun run{{1, 1e-6}, most, {}};
  EXPECT_TRUE(count.settles(run, {0, most, 1e-9, 1e-250}));
  EXPECT_TRUE(count.settles(run, {1, 0, 0, 0}));
  EXPECT_FALSE(count.settles(run, {1.01, 0, 0, 0}));
  EXPECT_FALSE(count.settles(run, {0, 1.01 * most, 0, 0}));
  EXPECT_FALSE(count.settles(run, {0, most, 0, 2e-6}));
  EXPECT_FALSE(count.settles(run, {0, most, 0.5, 0}));
  EXPECT_FALSE(count.settles({{1, 1e-6}, 0, {}}, {0, most / 2, 0, 0}));
}

TEST(RunCount, composes_as_the_accountant_does) {
  RunCount count({5, 1e-5});
  const Certificate first = certificate_of({gaussian_record(0.2, 3)}, 1e-6);
  const Certificate second = certificate_of({gaussian_record(0.4)}, 1e-6);
  for (const Certificate* one : {&first, &second}) {
    count.add({{one->epsilon, 1e-6}, 1, cost_of_releases(*one, "record")});
  }
  const Spend spends[] = {{GaussianCost{0.2}, 3}, {GaussianCost{0.4}, 1}};
  EXPECT_NEAR(count.composed_epsilon(), account(spends, 1e-5), 1e-6);
}

TEST(RunCount, refuses_limits_that_are_none) {
  for (const PrivacyClaim limit :
       {PrivacyClaim{0, 1e-5}, PrivacyClaim{-1, 1e-5}, PrivacyClaim{std::nan(""), 1e-5},
        PrivacyClaim{1, 0}, PrivacyClaim{1, 1}, PrivacyClaim{1, std::nan("")}}) {
    EXPECT_THROW(RunCount{limit}, Error);
  }
}

// Whatever is admitted and however it is settled, one of the two counts of run_cost.md holds.
TEST(RunCount, whatever_is_admitted_keeps_a_count) {
  EXPECT_TRUE(rc::check([] {
    const PrivacyClaim limit{log_uniform(0.1, 10), log_uniform(1e-9, 1e-3)};
    RunCount count(limit);
    double claims = 0, claim_deltas = 0, pure = 0, deltas = 0, squares = 0;
    for (int i = 0; i < 12; ++i) {
      const PrivacyClaim claim{limit.epsilon * log_uniform(1e-3, 1),
                               limit.delta * log_uniform(1e-4, 1)};
      if (!count.admits(claim)) continue;
      CountedRun run = gaussian_run(claim);
      const RunCost cost = run.cost.value();
      run.cost.reset();
      if (!count.has_gaussian_room(run.held)) run.held = 0;
      RC_ASSERT(count.settles(run, cost) == (run.held > 0));
      const bool settled = run.held > 0 && *rc::gen::arbitrary<bool>();
      if (settled) run.cost = cost;
      if (!settled) run.held = 0;
      count.add(run);
      claims += claim.epsilon;
      claim_deltas += claim.delta;
      (settled ? squares : pure) += settled ? cost.mu_squared : claim.epsilon;
      if (!settled) deltas += claim.delta;
    }
    const double up = 1 + 1e-11;
    const bool plain = claims <= limit.epsilon * up && claim_deltas <= limit.delta / 2 * up;
    const bool gaussian =
        pure <= limit.epsilon / 2 * up && deltas <= limit.delta / 4 * up &&
        gdp_epsilon(std::sqrt(squares), limit.delta / 4) <= limit.epsilon / 2 * up;
    RC_ASSERT(plain || gaussian);
  }));
}

}  // namespace
}  // namespace sotto
