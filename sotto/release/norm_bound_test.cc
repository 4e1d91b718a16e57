#include "sotto/release/norm_bound.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/privacy/certificate.h"
#include "sotto/tensor/testing/memory_source.h"

namespace sotto {
namespace {

// Records (r, 0, 0) of the given norms.
OnePassRecords records_of(const std::vector<double>& norms) {
  RowMatrix rows = RowMatrix::Zero(static_cast<Index>(norms.size()), 3);
  for (std::size_t i = 0; i < norms.size(); ++i) rows(static_cast<Index>(i), 0) = norms[i];
  return OnePassRecords(std::make_unique<MemorySource>(rows));
}

double found(const NormSearch& search, const std::vector<double>& norms, std::uint64_t seed) {
  OnePassRecords records = records_of(norms);
  NoiseKey key = NoiseKey::insecure_from_seed(seed);
  const NormBound bound(search);
  return bound.release(bound.tally(records), key.open_stream());
}

TEST(NormBound, candidates_fill_the_range_and_end_with_it) {
  const std::vector<double> grid = NormBound({{0.3, 7}, 100, 1}).candidates();
  EXPECT_GE(grid.front(), 0.3);
  EXPECT_LE(grid.front(), 0.3 * std::exp2(1.0 / 32));
  EXPECT_EQ(grid.back(), 7);
  for (std::size_t i = 1; i < grid.size(); ++i) {
    EXPECT_GT(grid[i], grid[i - 1]);
    EXPECT_LE(grid[i], grid[i - 1] * std::exp2(1.0 / 32) * (1 + 1e-12));
  }
  EXPECT_EQ(NormBound({{1.001, 1.002}, 100, 1}).candidates(), std::vector<double>{1.002});
  EXPECT_THROW(NormBound({{0, 1}, 100, 1}), Error);
  EXPECT_THROW(NormBound({{2, 1}, 100, 1}), Error);
  EXPECT_THROW(NormBound({{1, 2}, 0, 1}), Error);
  EXPECT_THROW(NormBound({{1, INFINITY}, 100, 1}), Error);
}

// A plain quantile would be anywhere between 1 and 1000.
TEST(NormBound, records_of_one_norm_get_that_norm) {
  const std::vector<double> norms(2000, 1.0 + 1e-15);
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    EXPECT_EQ(found({{0.001, 1000}, 2000, 1}, norms, seed), 1);
  }
}

TEST(NormBound, a_tenth_of_the_records_is_longer) {
  SeededRandom random(1);
  std::vector<double> norms(20000);
  for (double& norm : norms) norm = std::exp(random.normal());
  const double quantile = 1.2816;  // of the normal law, at 0.9
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    EXPECT_NEAR(std::log(found({{1e-3, 1e3}, 20000, 1}, norms, seed)), quantile, 0.06);
  }
  // A few enormous records, some beyond the square root of the largest number, move nothing.
  for (std::size_t i = 0; i < 100; ++i) norms[i] = i % 2 ? 1e12 : 1e200;
  EXPECT_NEAR(std::log(found({{1e-3, 1e3}, 20000, 1}, norms, 1)), quantile, 0.1);
  // Outside the range: its end.
  EXPECT_EQ(found({{1e-3, 2}, 20000, 1}, norms, 1), 2);
  EXPECT_NEAR(found({{100, 1e3}, 20000, 1}, norms, 1), 100, 3);
}

// Between neighbours the law of the bound changes by a factor of at most e^epsilon, and some of
// that is reached.
TEST(NormBound, the_law_of_the_bound_differs_by_at_most_e_to_the_epsilon) {
  const double epsilon = 1;
  const int runs = 20000;
  // Ten records, one of which may be longer: one is, or none is.
  const NormSearch search{{1, 1.5}, 10, epsilon};
  std::vector<double> shorter(10, 0.5), longer = shorter;
  longer[3] = 1.3;
  std::map<double, int> with, without;
  for (int run = 0; run < runs; ++run) {
    ++with[found(search, longer, static_cast<std::uint64_t>(run))];
    ++without[found(search, shorter, static_cast<std::uint64_t>(run + runs))];
  }
  double largest = 0;
  const NormBound mechanism(search);
  for (const double bound : mechanism.candidates()) {
    ASSERT_GT(std::min(with[bound], without[bound]), 300) << bound;
    const double ratio = std::log(static_cast<double>(with[bound]) / without[bound]);
    const double error = 4 * std::sqrt(1.0 / with[bound] + 1.0 / without[bound]);
    EXPECT_LE(std::abs(ratio), epsilon + error);
    largest = std::max(largest, std::abs(ratio));
  }
  EXPECT_GT(largest, 0.25);
}

TEST(NormBound, costs_no_more_than_it_may_with_its_precision) {
  for (const double epsilon : {1e-3, 1.0, 20.0}) {
    const NormBound bound({{1e-6, 1e6}, 5000, epsilon});
    PrivacyStatement statement;
    for (const double delta : {0.0, 1e-6}) {
      statement.delta = delta;
      Ledger ledger(statement);
      ledger.add(bound.record());
      const Certificate certificate = ledger.certify();
      EXPECT_LE(certificate.epsilon, epsilon);
      if (delta == 0) {
        EXPECT_GE(certificate.epsilon, epsilon * (1 - 1e-7));
      }
    }
  }
}

TEST(NormBound, reads_its_records_and_no_more) {
  OnePassRecords records = records_of(std::vector<double>(50, 1.0));
  NormBound({{0.1, 10}, 30, 1}).tally(records);
  EXPECT_EQ(records.source().position(), 30);
  EXPECT_THROW(NormBound({{0.1, 10}, 30, 1}).tally(records), Error);
}

TEST(NormBound, takes_more_records_for_less_epsilon_and_at_most_a_twentieth) {
  EXPECT_EQ(norm_search_records(10, 1000000), 2000);
  EXPECT_EQ(norm_search_records(0.1, 1000000), 10000);
  EXPECT_EQ(norm_search_records(0.001, 1000000), 50000);
  EXPECT_EQ(norm_search_records(1, 10), 1);
}

}  // namespace
}  // namespace sotto
