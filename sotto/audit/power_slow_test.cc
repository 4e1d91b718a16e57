// The accountant of sampled releases is asked hundreds of times.
#include <gtest/gtest.h>

#include "sotto/audit/power.h"

namespace sotto::audit {
namespace {

Power power_with(const Cost& cost) {
  ReleaseRecord record;
  record.what = "block";
  record.mechanism = "gaussian";
  record.sensitivity = 1;
  record.noise = 1 / 3.0;
  record.cost = cost;
  PrivacyStatement statement;
  statement.delta = 1e-5;
  statement.adds_or_removes = true;
  Ledger ledger(statement);
  ledger.add(record);
  return power_of(Claims(ledger.certify()), 1, BinomialLimits(1200, 0.0125));
}

TEST(Power, of_sampled_releases_tends_to_that_of_all_records) {
  const Power all = power_with(GaussianCost{3});
  const Power nearly_all = power_with(SubsampledGaussianCost{1 / 3.0, 0.999});
  EXPECT_NEAR(nearly_all.noise, all.noise, 0.03);
  EXPECT_NEAR(nearly_all.epsilon, all.epsilon, 0.1 * all.epsilon);
  const Power some = power_with(SubsampledGaussianCost{1 / 3.0, 0.5});
  EXPECT_GT(some.noise, 0.2);
  EXPECT_LT(some.noise, all.noise);
}

}  // namespace
}  // namespace sotto::audit
