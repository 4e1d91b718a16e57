#include "sotto/release/privacy_options.h"

#include <gtest/gtest.h>

#include "sotto/base/error.h"
#include "sotto/privacy/laplace.h"
#include "sotto/release/calibration.h"

namespace sotto {
namespace {

template <class Options>
void expect_shared_behaviour(Options options) {
  options.check();
  const OptionTable table = options.table();
  EXPECT_EQ(table.options().front().name, "epsilon");
  EXPECT_EQ(table.options().front().letter, 'e');
  const auto refused = [](auto change) {
    Options alone;
    change(alone);
    EXPECT_THROW(alone.check(), Error);
  };
  refused([](Options& o) { o.delta = 1e-6; });
  refused([](Options& o) { o.insecure_seed = 1; });
  refused([](Options& o) { o.accept_large_delta = true; });
}

TEST(TargetOptions, are_the_same_for_every_unit) {
  expect_shared_behaviour(EntryPrivacyOptions());
  expect_shared_behaviour(RecordPrivacyOptions());
  expect_shared_behaviour(RatingPrivacyOptions());
}

TEST(TargetOptions, a_delta_that_may_expose_someone_must_be_accepted) {
  RatingPrivacyOptions options;
  options.epsilon = 1;
  EXPECT_NO_THROW(options.require_small_delta({std::int64_t{1} << 60, "ratings"}));  // pure
  options.delta = 0.01;
  EXPECT_NO_THROW(options.require_small_delta({99, "ratings"}));
  EXPECT_NO_THROW(options.require_small_delta({0, "ratings"}));  // nobody knows how many
  EXPECT_THROW(options.require_small_delta({100, "ratings"}), Error);
  EXPECT_THROW(options.require_small_delta({1000000, "ratings"}), Error);
  options.accept_large_delta = true;
  EXPECT_NO_THROW(options.require_small_delta({1000000, "ratings"}));
  EXPECT_NO_THROW(options.check());
}

TEST(Calibration, a_pure_epsilon_whose_tails_would_show_is_refused) {
  EXPECT_GT(affordable_epsilon({200, kTailDelta}, 1000000), 199.9);
  EXPECT_THROW(affordable_epsilon({240, kTailDelta}, 1), Error);
  EXPECT_THROW(affordable_epsilon({700, kTailDelta}, 1), Error);
  EXPECT_GT(affordable_epsilon({600, 1e-6}, 1000000), 599.9);
  EXPECT_THROW(affordable_epsilon({700, 1e-6}, 1), Error);
}

// Whatever is accepted is within what a certificate can prove.
TEST(Calibration, what_can_be_paid_is_proved) {
  for (const double epsilon : {1.0, 200.0, 225.0, 235.0, 300.0}) {
    const LaplaceMechanism mechanism("x", 1, 1 / epsilon, 1000);
    bool payable = true;
    try {
      require_payable(mechanism.record(), {epsilon, kTailDelta});
    } catch (const Error&) {
      payable = false;
    }
    PrivacyStatement statement;
    statement.delta = kTailDelta;
    Ledger ledger(statement);
    ledger.add(mechanism.record());
    EXPECT_EQ(ledger.certify().proved, payable) << epsilon;
    EXPECT_EQ(payable, epsilon < 232) << epsilon;
  }
}

}  // namespace
}  // namespace sotto
