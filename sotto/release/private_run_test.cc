#include "sotto/release/private_run.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "sotto/base/error.h"
#include "sotto/ledger/reservation.h"
#include "sotto/privacy/exponential.h"
#include "sotto/privacy/gaussian.h"
#include "sotto/privacy/laplace.h"
#include "sotto/privacy/subsampled_gaussian.h"
#include "sotto/privacy/vector.h"
#include "sotto/release/privacy_options.h"

namespace sotto {
namespace {

using Block = std::vector<double>;
static_assert(Mechanism<GaussianMechanism, Block> && Mechanism<SymmetricGaussianMechanism, Block> &&
              Mechanism<LaplaceMechanism, Block> && Mechanism<VectorMechanism, Block> &&
              Mechanism<PrivateQuantile, const Block&> &&
              Mechanism<ExponentialMechanism, const Block&>);
// A released block owns its numbers: it is no view of the exact ones.
static_assert(!Mechanism<GaussianMechanism, std::span<double>>);
// Noise on all records, with a record that says they were sampled, would be charged too little.
static_assert(SampledMechanism<SubsampledGaussianMechanism> &&
              !Mechanism<SubsampledGaussianMechanism, Block>);

const std::vector<double> kExact = {1, 2, 3};

PrivacyStatement run_statement() {
  PrivacyStatement words;
  words.unit = "one record";
  words.neighbours = "one record replaced";
  words.delta = 1e-6;
  return words;
}

GaussianMechanism gaussian(double noise = 4) { return GaussianMechanism("sums", 1, noise, 3); }

std::vector<double> published(PrivateRun& run, const GaussianMechanism& mechanism = gaussian(),
                              DisjointGroup group = {}) {
  return run.publish(mechanism, kExact, group).value().value;
}

// Fails after it has received its stream.
struct Failing {
  ReleaseRecord line = gaussian().record();
  const ReleaseRecord& record() const { return line; }
  double variance() const { return 1; }
  Block release(Block, NoiseStream) const { throw Error("it failed", ""); }
};

TEST(PrivateRun, publishes_what_the_mechanism_draws_from_streams_in_order) {
  PrivateRun run(run_statement(), NoiseKey::insecure_from_seed(1));
  NoiseKey key = NoiseKey::insecure_from_seed(1);
  for (int n = 0; n < 3; ++n) {
    EXPECT_EQ(published(run), gaussian().release(kExact, key.open_stream()));
  }
  EXPECT_EQ(run.certify().releases.size(), 3u);
}

TEST(PrivateRun, says_how_much_noise_a_block_has) {
  PrivateRun run(run_statement(), NoiseKey::from_system());
  const Noisy<Block> gauss = run.publish(gaussian(), kExact).value();
  EXPECT_EQ(gauss.deviation, 4);
  EXPECT_EQ(gauss.variance, 16);
  const Noisy<Block> laplace = run.publish(LaplaceMechanism("sums", 1, 4, 3), kExact).value();
  EXPECT_EQ(laplace.variance, 32);
  EXPECT_EQ(laplace.deviation, std::sqrt(32.0));
}

TEST(PrivateRun, makes_no_release_that_its_plan_does_not_have) {
  const ReleaseRecord line = gaussian().record();
  Plan plan{run_statement(), {9, 1e-6}, "", {}, {}, {}};
  plan.releases = {planned(line, 0.5, 2)};
  PrivateRun run(plan, NoiseKey::from_system());
  EXPECT_THROW(run.publish(GaussianMechanism("others", 1, 4, 3), kExact), Error);
  EXPECT_THROW(run.publish(GaussianMechanism("sums", 1, 4, 4), Block(4)), Error);
  EXPECT_THROW(run.leave_without_noise("others", 3), Error);
  EXPECT_THROW(run.leave_without_noise("sums", 4), Error);
  EXPECT_THROW(run.replay(GaussianMechanism("others", 1, 4, 3).record()), Error);
  EXPECT_THROW(run.require_share("sums", 0.26), Error);
  EXPECT_THROW(run.require_share("others", 0.1), Error);
  EXPECT_NO_THROW(run.require_share("sums", 0.25));
  published(run);
  published(run);
  EXPECT_THROW(published(run), Error);
  EXPECT_EQ(run.certify().releases.size(), 2u);
}

TEST(PrivateRun, is_not_made_from_a_plan_that_spends_more_than_there_is) {
  Plan plan{run_statement(), {9, 1e-6}, "", {}, {}, {}};
  const auto make = [&] { PrivateRun(plan, NoiseKey::from_system()); };
  plan.releases = {planned(gaussian().record(), 0.7), planned(gaussian().record(), 0.31)};
  EXPECT_THROW(make(), Error);
  plan.releases[0].disjoint = plan.releases[1].disjoint = true;  // each reads records of its own
  EXPECT_NO_THROW(make());
}

TEST(PrivateRun, certifies_what_was_recorded_and_denies_an_insecure_key_once) {
  PrivateRun run(run_statement(), NoiseKey::from_system());
  published(run);
  Ledger ledger(run_statement());
  ledger.add(gaussian().record());
  EXPECT_TRUE(run.certify().proved);
  EXPECT_EQ(run.certify().epsilon, ledger.certify().epsilon);
  PrivateRun known(run_statement(), NoiseKey::insecure_from_seed(1));
  published(known);
  published(known);
  EXPECT_FALSE(known.certify().proved);
  EXPECT_EQ(known.certify().why,
            "the noise was drawn from an insecure seed: whoever knows it can subtract the noise");
}

TEST(PrivateRun, what_the_budget_refuses_is_neither_drawn_nor_recorded) {
  const auto budget = [] { return Budget::gaussian(1, 1e-6); };
  PrivateRun run(run_statement(), NoiseKey::insecure_from_seed(1), budget());
  PrivateRun patient(run_statement(), NoiseKey::insecure_from_seed(1), budget());
  const double all = run.mu_left();
  EXPECT_THROW(run.publish(GaussianMechanism("too much", 1.5 * all, 1, 3), kExact), Error);
  EXPECT_EQ(run.mu_left(), all);
  EXPECT_TRUE(run.certify().releases.empty());
  EXPECT_EQ(published(run, gaussian(40)), published(patient, gaussian(40)));
  EXPECT_LT(run.mu_left(), all);
}

TEST(PrivateRun, a_promised_budget_must_hold_the_run) {
  PrivacyStatement promised = run_statement();
  promised.budget = {1, 1e-6};
  const auto make = [&](auto... budget) {
    PrivateRun(promised, NoiseKey::from_system(), std::move(budget)...);
  };
  EXPECT_THROW(make(), Error);
  EXPECT_THROW(make(Budget::gaussian(1.01, 1e-6)), Error);
  EXPECT_THROW(make(Budget::gaussian(1, 1e-5)), Error);
  EXPECT_NO_THROW(make(Budget::gaussian(1, 1e-6)));
  PrivateRun without(run_statement(), NoiseKey::from_system());
  EXPECT_THROW(without.require_budget(), Error);
  EXPECT_THROW(without.mu_left(), Error);
}

// Somebody may have seen part of it.
TEST(PrivateRun, a_release_that_fails_on_the_way_leaves_no_certificate_and_no_release_after_it) {
  PrivateRun run(run_statement(), NoiseKey::from_system());
  published(run);
  EXPECT_THROW(run.publish(Failing{}, kExact), Error);
  EXPECT_THROW(run.certify(), Error);
  EXPECT_THROW(published(run), Error);
}

TEST(PrivateRun, a_record_that_cannot_be_true_leaves_no_certificate) {
  PrivateRun run(run_statement(), NoiseKey::from_system());
  struct : Failing {
    Block release(Block exact, NoiseStream) const { return exact; }
  } untrue;
  untrue.line.count = -1;
  EXPECT_THROW(run.publish(untrue, kExact), Error);
  EXPECT_THROW(run.certify(), Error);
}

TEST(PrivateRun, a_choice_is_charged_and_recorded_too) {
  PrivateRun run(run_statement(), NoiseKey::insecure_from_seed(2), Budget::pure(1));
  const PrivateQuantile median("median", 0.6, 0.5, 0, 10, 3);
  NoiseKey key = NoiseKey::insecure_from_seed(2);
  EXPECT_EQ(run.choose(median, kExact).value(), median.release(kExact, key.open_stream()));
  EXPECT_EQ(run.certify().releases.at(0).record.what, "median");
  EXPECT_THROW(run.choose(median, kExact), Error);
}

TEST(PrivateRun, releases_of_a_disjoint_group_cost_as_much_as_the_largest) {
  PrivateRun run(run_statement(), NoiseKey::from_system()),
      alone(run_statement(), NoiseKey::from_system());
  const DisjointGroup group = run.open_disjoint_group();
  for (const double noise : {8.0, 4.0, 5.0}) published(run, gaussian(noise), group);
  published(alone, gaussian(4));
  EXPECT_NEAR(run.certify().epsilon, alone.certify().epsilon, 1e-9);
  EXPECT_EQ(run.certify().releases.size(), 3u);
}

TEST(PrivateRun, goes_on_after_a_replayed_release_as_if_it_had_drawn_it) {
  PrivateRun first(run_statement(), NoiseKey::insecure_from_seed(3), Budget::gaussian(9, 1e-6));
  PrivateRun second(run_statement(), NoiseKey::insecure_from_seed(3), Budget::gaussian(9, 1e-6));
  published(first);
  second.replay(gaussian().record());
  EXPECT_EQ(published(first), published(second));
  EXPECT_EQ(first.mu_left(), second.mu_left());
  EXPECT_EQ(first.certify().to_text(), second.certify().to_text());
}

TEST(PrivateRun, what_leaves_without_noise_or_proof_is_never_proved) {
  PrivateRun run(run_statement(), NoiseKey::from_system());
  EXPECT_THROW(run.noise_without_proof(), Error);
  run.deny("a method that proves nothing");
  EXPECT_NO_THROW(run.noise_without_proof());
  EXPECT_FALSE(run.certify().proved);
  PrivateRun bare(run_statement(), NoiseKey::from_system());
  bare.leave_without_noise("the sums", 3);
  EXPECT_FALSE(bare.certify().proved);
  EXPECT_TRUE(std::isnan(bare.certify().epsilon));
}

TEST(PlannedReleases, are_paid_for_before_the_first_and_end_with_the_last) {
  PrivateRun run(run_statement(), NoiseKey::insecure_from_seed(4));
  NoiseKey key = NoiseKey::insecure_from_seed(4);
  PlannedReleases planned(run, gaussian().record(), 2);
  EXPECT_EQ(run.certify().releases.at(0).record.count, 2);
  for (int n = 0; n < 2; ++n) {
    const Noisy<Block> noisy = planned.publish(gaussian(), kExact).value();
    EXPECT_EQ(noisy.value, gaussian().release(kExact, key.open_stream()));
  }
  EXPECT_EQ(planned.left(), 0);
  EXPECT_THROW(planned.publish(gaussian(), kExact), Error);
  EXPECT_EQ(run.certify().releases.size(), 1u);
}

TEST(PlannedReleases, are_refused_all_together_where_the_budget_ends) {
  PrivateRun run(run_statement(), NoiseKey::from_system(), Budget::gaussian(1, 1e-6));
  EXPECT_THROW(PlannedReleases(run, gaussian(20).record(), 1000000), Error);
  EXPECT_TRUE(run.certify().releases.empty());
}

TEST(PlannedReleases, sample_anew_at_each_release) {
  PrivacyStatement words = run_statement();
  words.adds_or_removes = true;
  PrivateRun run(words, NoiseKey::insecure_from_seed(5));
  NoiseKey key = NoiseKey::insecure_from_seed(5);
  const SubsampledGaussianMechanism mechanism(GaussianMechanism("a sum", 1, 4, 1), 0.5, 1000);
  PlannedReleases steps(run, mechanism.record(), 2);
  std::vector<std::size_t> samples[2];
  for (auto& drawn : samples) {
    const auto sum = [&](const std::vector<std::size_t>& sample) {
      drawn = sample;
      return Block{static_cast<double>(sample.size())};
    };
    const Noisy<Block> noisy = steps.publish_sampled(mechanism, 1000, sum).value();
    EXPECT_EQ(drawn, mechanism.sample(1000, key.open_stream()));
    const Block exact{static_cast<double>(drawn.size())};
    EXPECT_EQ(noisy.value, mechanism.release(exact, key.open_stream()));
  }
  EXPECT_NE(samples[0], samples[1]);
}

// A ledger for one record, and the options of a run that it counts.
struct CountedOptions {
  explicit CountedOptions(const std::string& name)
      : path((std::filesystem::temp_directory_path() / ("sotto_private_run_" + name)).string()) {
    remove();
    RunLedger::init(path, {"data", {3, 1e-5}, "one patient"});
    options.epsilon = 1;
    options.delta = 1e-6;
    options.ledger = path;
    plan.statement = run_statement();
    plan.target = options.target();
    plan.releases = {planned(gaussian(8).record(), 1)};
  }
  ~CountedOptions() { remove(); }
  CountedOptions(const CountedOptions&) = delete;
  CountedOptions& operator=(const CountedOptions&) = delete;
  void remove() const {
    for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(path + end);
  }
  LedgerAccount account() const { return RunLedger(path).account(""); }

  std::string path;
  RecordPrivacyOptions options;
  Plan plan;
};

TEST(PrivateRun, needs_a_place_in_the_ledger_that_its_options_name) {
  CountedOptions counted("place");
  EXPECT_THROW(PrivateRun(counted.plan, counted.options), Error);
  counted.options.reserve("mixture", "record", "-");
  EXPECT_EQ(counted.account().open_runs(), 1);
  PrivateRun run(counted.plan, counted.options);
  EXPECT_THROW(PrivateRun(counted.plan, counted.options), Error);
  EXPECT_THROW(counted.options.commit(), Error);
  published(run, gaussian(8));
  run.certify();
  counted.options.commit();
  const LedgerAccount account = counted.account();
  ASSERT_EQ(account.runs.size(), 1u);
  EXPECT_TRUE(account.runs[0].counted.cost);
  EXPECT_EQ(account.open_runs(), 0);
}

TEST(PrivateRun, is_not_counted_where_it_proves_nothing) {
  CountedOptions counted("denied");
  counted.options.reserve("mixture", "record", "-");
  PrivateRun run(counted.plan, counted.options);
  EXPECT_THROW(run.deny("a proof that does not hold"), Error);
  CountedOptions seeded("seeded");
  seeded.options.reserve("mixture", "record", "-");
  seeded.options.insecure_seed = 1;
  EXPECT_THROW(PrivateRun(seeded.plan, seeded.options), Error);
  seeded.options.max_norm = 1;
  EXPECT_THROW(seeded.options.check(), Error);
  // Both runs had begun to cost.
  EXPECT_EQ(counted.account().open_runs() + seeded.account().open_runs(), 2);
}

}  // namespace
}  // namespace sotto
