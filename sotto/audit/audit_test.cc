#include "sotto/audit/audit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/audit/canaries.h"
#include "sotto/audit/claims.h"
#include "sotto/audit/limits.h"
#include "sotto/audit/power.h"
#include "sotto/audit/seen_json.h"
#include "sotto/audit/solve.h"
#include "sotto/base/error.h"
#include "sotto/base/json.h"
#include "sotto/base/random.h"
#include "sotto/privacy/gdp.h"

namespace sotto::audit {
namespace {

ReleaseRecord gaussian_record(double mu, std::int64_t values) {
  ReleaseRecord record;
  record.what = "block";
  record.mechanism = "gaussian";
  record.sensitivity = 1;
  record.noise = 1 / mu;
  record.cost = GaussianCost{mu};
  record.values = values;
  return record;
}

Certificate certificate_of(const std::vector<ReleaseRecord>& records, double delta = 1e-5) {
  PrivacyStatement statement;
  statement.delta = delta;
  Ledger ledger(statement);
  for (const ReleaseRecord& record : records) ledger.add(record);
  return ledger.certify();
}

// One number of three moves by `moved`, noise of deviation `noise`; the claim is mu.
NeighbourRuns gaussian_runs(double mu, double noise, double moved, int count,
                            std::uint64_t seed = 1) {
  const ReleaseRecord record = gaussian_record(mu, 3);
  SeededRandom random(seed);
  const auto run = [&](double by) {
    SeenRun seen;
    std::vector<double> numbers;
    for (int i = 0; i < 3; ++i) numbers.push_back(noise * random.normal() + (i == 1 ? by : 0));
    seen.releases.push_back({record, numbers});
    return seen;
  };
  NeighbourRuns runs;
  runs.certificate = certificate_of({record});
  for (int n = 0; n < count; ++n) {
    runs.here.push_back(run(0));
    runs.there.push_back(run(moved));
  }
  SeenRun here = run(0), there = here;
  there.releases[0].numbers[1] += moved;
  runs.same_noise = {{here, there}};
  return runs;
}

TEST(BinomialLimits, are_those_of_clopper_and_pearson) {
  for (const double alpha : {0.0125, 1e-6}) {
    for (const std::int64_t n : {1, 7, 500}) {
      const BinomialLimits limits(n, alpha);
      EXPECT_EQ(limits.lower(0), 0);
      EXPECT_EQ(limits.upper(n), 1);
      for (std::int64_t k = 1; k <= n; ++k) {
        const double above = binomial_tail(k, n, limits.lower(k));
        EXPECT_NEAR(above, alpha, 1e-5 * alpha) << k << " of " << n;
        EXPECT_LT(above, alpha);
        const double below = 1 - binomial_tail(k, n, limits.upper(k - 1));
        EXPECT_NEAR(below, alpha, 1e-5 * alpha) << k - 1 << " of " << n;
        EXPECT_LT(below, alpha);
      }
    }
  }
}

TEST(BinomialTail, is_the_sum_of_its_terms) {
  constexpr int n = 30;
  for (const double p : {0.01, 0.3, 0.5, 0.95}) {
    double tail = 0;
    for (int k = n; k >= 0; --k) {
      tail += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                       k * std::log(p) + (n - k) * std::log1p(-p));
      EXPECT_NEAR(binomial_tail(k, n, p), tail, 1e-12);
    }
  }
}

TEST(ProvedEpsilon, is_the_logarithm_of_the_ratio_beyond_delta) {
  EXPECT_DOUBLE_EQ(proved_epsilon(0.6, 0.2, 0.2), std::log(2));
  EXPECT_LT(proved_epsilon(0.1, 0.2, 0), 0);
  EXPECT_LT(proved_epsilon(0.1, 0.2, 0.3), 0);
}

TEST(Claims, of_a_beginning_are_those_of_its_releases) {
  const Claims claims(certificate_of({gaussian_record(1, 2), gaussian_record(2, 2)}));
  ASSERT_EQ(claims.releases(), 2U);
  for (std::size_t d = 0; d < claims.deltas().size(); ++d) {
    const double delta = claims.deltas()[d];
    EXPECT_NEAR(claims.epsilons(1)[d], gdp_epsilon(1, delta), 1e-6);
    EXPECT_NEAR(claims.epsilons(2)[d], gdp_epsilon(std::sqrt(5), delta), 1e-6);
  }
  EXPECT_EQ(claims.noise(2), NoiseKind::gaussian);
}

TEST(Claims, of_a_run_without_a_guarantee_are_refused) {
  Certificate none = certificate_of({gaussian_record(1, 2)});
  none.proved = false;
  EXPECT_THROW(Claims{none}, Error);
}

TEST(Audit, of_honest_noise_disproves_nothing_and_comes_near) {
  int exceeded = 0;
  double nearest = -10;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const AuditResult found = audit(gaussian_runs(3, 1 / 3.0, 1, 400, seed));
    exceeded += found.exceeds();
    nearest = std::max(nearest, found.worst.proved - found.worst.claimed);
    EXPECT_LE(found.at_delta.proved, found.power.most);
  }
  EXPECT_LE(exceeded, 4);  // one is expected at most; 5 have a probability below 0.3%
  EXPECT_GT(nearest, -1);
}

TEST(Audit, finds_what_its_power_says) {
  const Power power = audit(gaussian_runs(3, 1 / 3.0, 1, 1600)).power;
  EXPECT_GT(power.noise, 0.8);
  EXPECT_NEAR(power.epsilon, gdp_epsilon(3 / power.noise, 1e-5), 1e-6);
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    found += audit(gaussian_runs(3, power.noise / 3, 1, 1600, seed)).exceeds();
  }
  EXPECT_GE(found, 5);  // 8 are expected; fewer than 5 have a probability below 1%
}

TEST(Audit, says_how_far_the_neighbours_reach) {
  for (const double moved : {1.0, 0.4}) {
    const AuditResult found = audit(gaussian_runs(3, 1 / 3.0, moved, 2000));
    ASSERT_EQ(found.reach.size(), 1U);
    EXPECT_NEAR(found.reach[0].share, moved, 0.1 * moved);
    EXPECT_EQ(found.reach[0].what, "block");
  }
}

TEST(Audit, finds_a_contribution_beyond_the_clip) {
  EXPECT_TRUE(audit(gaussian_runs(3, 1 / 3.0, 1.5, 800)).exceeds());
}

TEST(Audit, finds_noise_that_is_the_same_in_every_run) {
  const AuditResult found = audit(gaussian_runs(1, 1e-9, 1, 200));
  EXPECT_TRUE(found.exceeds());
  EXPECT_NEAR(found.at_delta.proved, found.power.most, 1e-9);
}

TEST(Audit, finds_words_and_numbers_that_tell) {
  NeighbourRuns runs = gaussian_runs(1, 1, 1, 200);
  for (SeenRun& run : runs.there) run.words.insert("exit code 2");
  EXPECT_TRUE(audit(runs).exceeds());
  runs = gaussian_runs(1, 1, 1, 200);
  for (SeenRun& run : runs.here) run.published["count"] = 17;
  for (SeenRun& run : runs.there) run.published["count"] = 18;
  const AuditResult found = audit(runs);
  EXPECT_TRUE(found.exceeds());
  EXPECT_EQ(found.at_delta.test, "published number count");
}

TEST(Audit, refuses_too_few_runs) { EXPECT_THROW(audit(gaussian_runs(1, 1, 1, 39)), Error); }

TEST(Canaries, guesses_prove_what_the_binomial_says) {
  // All of n right: (e^eps / (1 + e^eps))^n = alpha.
  const double epsilon = epsilon_of_guesses(100, 100, 100, 0, 0.05);
  EXPECT_NEAR(100 * -std::log1p(std::exp(-epsilon)), std::log(0.05), 1e-9);
  EXPECT_EQ(epsilon_of_guesses(50, 100, 100, 0, 0.05), 0);
  EXPECT_EQ(epsilon_of_guesses(100, 100, 100, 0.01, 0.05), 0);  // delta alone may explain it
  EXPECT_LT(epsilon_of_guesses(100, 100, 100, 1e-4, 0.05), epsilon);
}

CanaryRuns runs_with_canaries(double mu, double noise, std::size_t count) {
  const ReleaseRecord record = gaussian_record(mu, std::int64_t(count));
  SeededRandom random(5);
  CanaryRuns runs;
  runs.certificate = certificate_of({record}, 1e-9);
  const auto run = [&](const std::vector<bool>& coins, std::uint64_t seed) {
    SeededRandom noises(seed);
    std::vector<double> numbers;
    for (const bool coin : coins) numbers.push_back(noise * noises.normal() + (coin ? 1 : 0));
    return SeenRun{{{record, numbers}}, {}, {}};
  };
  for (std::size_t n = 0; n < count; ++n) runs.coins.push_back(random.below(2) == 1);
  const std::vector<bool> none(count);
  for (std::uint64_t seed = 1; seed <= 16; ++seed) runs.none.push_back(run(none, seed));
  for (std::size_t n = 0; n < count; ++n) {
    std::vector<bool> one = none;
    one[n] = true;
    runs.flipped.push_back(run(one, 1));
    if (n == 0) runs.other_seed = run(one, 2);
  }
  runs.audited = run(runs.coins, 99);
  return runs;
}

TEST(Canaries, find_missing_noise_and_not_honest_noise) {
  const CanaryResult honest = audit_canaries(runs_with_canaries(1, 1, 400));
  EXPECT_FALSE(honest.exceeds());
  EXPECT_GT(honest.proved, 0.2);
  const CanaryResult faulty = audit_canaries(runs_with_canaries(1, 1e-3, 400));
  EXPECT_NEAR(faulty.proved, faulty.most, 1e-9);
  EXPECT_TRUE(audit_canaries(runs_with_canaries(0.1, 1, 400)).exceeds());
}

TEST(SeenJson, gives_back_what_it_was_given) {
  SeenRun run = gaussian_runs(2, 1, 1, 40).here[0];
  run.words = {"exit code 0", "a word"};
  run.published["a.b[0]"] = 0.1;
  const SeenRun again = seen_run(to_json(run));
  EXPECT_EQ(again.releases[0].numbers, run.releases[0].numbers);
  EXPECT_EQ(again.words, run.words);
  EXPECT_EQ(again.published, run.published);
  const Certificate certificate = certificate_of({gaussian_record(2, 3)});
  const Certificate same = audit::certificate_of(to_json(certificate));
  EXPECT_EQ(same.epsilon, certificate.epsilon);
  EXPECT_EQ(Claims(same).epsilons(1), Claims(certificate).epsilons(1));
  EXPECT_FALSE(same.statement.adds_or_removes);
  Certificate adding = certificate;
  adding.statement.adds_or_removes = true;
  EXPECT_TRUE(audit::certificate_of(to_json(adding)).statement.adds_or_removes);
}

TEST(SolveSymmetric, solves) {
  std::vector<double> a{4, 0, 0, 2, 3, 0, 1, 1, 2}, b{11, 11, 9};
  solve_symmetric(a, b);
  EXPECT_NEAR(b[0], 1, 1e-12);
  EXPECT_NEAR(b[1], 2, 1e-12);
  EXPECT_NEAR(b[2], 3, 1e-12);
}

}  // namespace
}  // namespace sotto::audit
