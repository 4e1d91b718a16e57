#include "sotto/release/rating_sums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sotto/base/error.h"
#include "sotto/base/random.h"

namespace sotto {
namespace {

constexpr Index entries = 400, rows = 20;

struct Case {
  std::vector<double> values;
  std::vector<std::int32_t> row_of, item_of;
  Matrix table{7, 3};
};

Case random_case() {
  Case made;
  SeededRandom random(5);
  for (Index e = 0; e < entries; ++e) {
    made.values.push_back(1 + 4 * random.uniform());
    made.row_of.push_back(static_cast<std::int32_t>(random.below(rows)));
    made.item_of.push_back(static_cast<std::int32_t>(random.below(7)));
  }
  for (double& x : made.table.reshaped()) x = random.normal();
  return made;
}

RatingPlan plan_for(RatingNoise noise, double epsilon, std::int64_t values) {
  return {{epsilon, noise == RatingNoise::laplace ? kTailDelta : 1e-6}, {1, 5}, noise, values};
}

NoisySums sums_of(const Case& made, const std::vector<double>& values, RatingNoise noise,
                  double epsilon, Ledger& ledger) {
  RatingSums sums(RatingValues(values), plan_for(noise, epsilon, rows * 3),
                  NoiseKey::insecure_from_seed(3), ledger);
  return sums.release({"sums", rows, made.row_of, &made.table, made.item_of}, 1);
}

TEST(RatingSums, are_the_sums_and_noise_of_the_stated_variance) {
  const Case made = random_case();
  Matrix exact = Matrix::Zero(rows, 3);
  for (std::size_t e = 0; e < made.values.size(); ++e) {
    exact.row(made.row_of[e]) += (made.values[e] - 3) * made.table.row(made.item_of[e]);
  }
  for (const auto noise : {RatingNoise::laplace, RatingNoise::gaussian}) {
    Ledger faint(rating_statement(plan_for(noise, 500, 1)));
    EXPECT_LT((sums_of(made, made.values, noise, 500, faint).sums - exact).cwiseAbs().maxCoeff(),
              noise == RatingNoise::laplace ? 0.6 : 5.0);
    Ledger ledger(rating_statement(plan_for(noise, 1, 1)));
    const NoisySums found = sums_of(made, made.values, noise, 1, ledger);
    const double square = (found.sums - exact).squaredNorm() / static_cast<double>(exact.size());
    EXPECT_NEAR(square / found.variance, 1, 0.75);
  }
}

// With the same noise, the releases of neighbours differ by what the values did: never more than
// the certificate charges, and close to it in the worst case.
TEST(RatingSums, neighbours_move_one_row_within_the_sensitivity_and_come_close) {
  const Case made = random_case();
  for (const auto noise : {RatingNoise::laplace, RatingNoise::gaussian}) {
    double most = 0, charged = 0;
    for (std::size_t e = 0; e < 60; ++e) {
      std::vector<double> low = made.values, high = made.values;
      low[e] = 1;
      high[e] = 5;
      Ledger ledger(rating_statement(plan_for(noise, 1, 1)));
      const Matrix moved =
          sums_of(made, high, noise, 1, ledger).sums - sums_of(made, low, noise, 1, ledger).sums;
      Matrix others = moved;
      others.row(made.row_of[e]).setZero();
      EXPECT_EQ(others.cwiseAbs().maxCoeff(), 0);
      charged = ledger.certify().releases[0].record.sensitivity;
      most = std::max(most, noise == RatingNoise::laplace ? moved.lpNorm<1>() : moved.norm());
      EXPECT_LE(most, charged);
    }
    EXPECT_GT(most, 0.98 * charged);
  }
}

TEST(RatingSums, the_certificate_stays_within_what_was_asked_for_and_near_it) {
  const Case made = random_case();
  for (const auto noise : {RatingNoise::laplace, RatingNoise::gaussian}) {
    for (const double epsilon : {0.01, 1.0, 20.0}) {
      const RatingPlan plan = plan_for(noise, epsilon, rows + 1);
      Ledger ledger(rating_statement(plan));
      RatingSums sums(RatingValues(made.values), plan, NoiseKey::from_system(), ledger);
      sums.release({"sums", rows, made.row_of}, 0.7);
      const std::vector<std::int32_t> all(made.values.size(), 0);
      sums.release({"squares", 1, all, nullptr, {}, 2}, 0.3);
      const Certificate certificate = ledger.certify();
      EXPECT_TRUE(certificate.proved) << certificate.why;
      EXPECT_LE(certificate.epsilon, epsilon);
      EXPECT_GT(certificate.epsilon, epsilon * 0.999);
    }
  }
}

TEST(RatingSums, refuse_more_than_the_budget_and_more_numbers_than_planned) {
  const Case made = random_case();
  const RatingPlan plan = plan_for(RatingNoise::laplace, 1, 2 * rows);
  Ledger ledger(rating_statement(plan));
  RatingSums sums(RatingValues(made.values), plan, NoiseKey::from_system(), ledger);
  sums.release({"sums", rows, made.row_of}, 0.6);
  EXPECT_THROW(sums.release({"sums", rows, made.row_of}, 0.41), Error);
  sums.release({"sums", rows, made.row_of}, 0.2);
  EXPECT_THROW(sums.release({"sums", rows, made.row_of}, 0.1), Error);
}

TEST(RatingSums, hold_values_at_the_range_and_refuse_what_is_no_number) {
  Case made = random_case();
  std::vector<double> wild = made.values;
  made.values[0] = 5;
  wild[0] = 1e300;
  Ledger ledger(rating_statement(plan_for(RatingNoise::laplace, 1, 1)));
  EXPECT_EQ(sums_of(made, wild, RatingNoise::laplace, 1, ledger).sums,
            sums_of(made, made.values, RatingNoise::laplace, 1, ledger).sums);
  wild[0] = std::nan("");
  EXPECT_THROW(sums_of(made, wild, RatingNoise::laplace, 1, ledger), Error);
}

TEST(RatingSums, do_not_depend_on_the_order_of_the_entries) {
  Case made = random_case();
  Ledger ledger(rating_statement(plan_for(RatingNoise::laplace, 1, 1)));
  const Matrix before = sums_of(made, made.values, RatingNoise::laplace, 1, ledger).sums;
  std::reverse(made.values.begin(), made.values.end());
  std::reverse(made.row_of.begin(), made.row_of.end());
  std::reverse(made.item_of.begin(), made.item_of.end());
  EXPECT_EQ(before, sums_of(made, made.values, RatingNoise::laplace, 1, ledger).sums);
}

TEST(RatingSums, an_insecure_seed_certifies_nothing) {
  Ledger ledger(rating_statement(plan_for(RatingNoise::laplace, 1, 1)));
  const Case made = random_case();
  sums_of(made, made.values, RatingNoise::laplace, 1, ledger);
  EXPECT_FALSE(ledger.certify().proved);
}

TEST(RatingNoiseChoice, is_laplace_for_few_releases_and_gaussian_for_many) {
  const std::vector<double> few{0.4, 0.5, 0.1}, many(200, 1.0 / 200);
  EXPECT_EQ(choose_noise({1, 1e-6}, few), RatingNoise::laplace);
  EXPECT_EQ(choose_noise({1, 1e-6}, many), RatingNoise::gaussian);
  EXPECT_EQ(choose_noise({1, kTailDelta}, many), RatingNoise::laplace);
}

TEST(PerturbedValues, as_published_have_the_published_scale_and_strict_ones_stay_within_epsilon) {
  const Case made = random_case();
  const RatingPlan plan = plan_for(RatingNoise::laplace, 2, entries);
  for (const bool as_published : {true, false}) {
    NoiseKey key = NoiseKey::from_system();
    Ledger ledger(rating_statement(plan));
    const std::vector<double> noisy =
        release_values(RatingValues(made.values), plan, as_published, key, ledger);
    EXPECT_EQ(noisy.size(), made.values.size());
    const Certificate certificate = ledger.certify();
    EXPECT_TRUE(certificate.proved);
    const double scale = certificate.releases[0].record.noise;
    if (as_published) {
      EXPECT_EQ(scale, 4.0 / 2);
      EXPECT_NEAR(certificate.epsilon, 2, 1e-6);
    } else {
      EXPECT_NEAR(scale, 2, 1e-6);
      EXPECT_LE(certificate.epsilon, 2);
    }
  }
}

}  // namespace
}  // namespace sotto
