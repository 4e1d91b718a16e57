#include "sotto/release/rating_sums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sotto/base/error.h"
#include "sotto/base/random.h"

namespace sotto {
namespace {

constexpr Index kSumEntries = 400, rows = 20;

struct Case {
  std::vector<double> values;
  std::vector<std::int32_t> row_of, item_of;
  Matrix table{7, 3};
};

Case random_case() {
  Case made;
  SeededRandom random(5);
  for (Index e = 0; e < kSumEntries; ++e) {
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

// The same noise at every call.
Noisy<Matrix> sums_of(const Case& made, const std::vector<double>& values, RatingNoise noise,
                      double epsilon, Certificate* certificate = nullptr) {
  const RatingPlan plan = plan_for(noise, epsilon, rows * 3);
  PrivateRun run(rating_statement(plan), NoiseKey::insecure_from_seed(3));
  RatingSums sums(RatingValues(values), plan, run);
  const SumQuery query{"sums", rows, made.row_of, &made.table, made.item_of};
  Noisy<Matrix> found = sums.release(query, 1).value();
  if (certificate != nullptr) *certificate = run.certify();
  return found;
}

TEST(RatingSums, are_the_sums_and_noise_of_the_stated_variance) {
  const Case made = random_case();
  Matrix exact = Matrix::Zero(rows, 3);
  for (std::size_t e = 0; e < made.values.size(); ++e) {
    exact.row(made.row_of[e]) += (made.values[e] - 3) * made.table.row(made.item_of[e]);
  }
  for (const auto noise : {RatingNoise::laplace, RatingNoise::gaussian}) {
    EXPECT_LT((sums_of(made, made.values, noise, 200).value - exact).cwiseAbs().maxCoeff(),
              noise == RatingNoise::laplace ? 1.5 : 9.0);
    const Noisy<Matrix> found = sums_of(made, made.values, noise, 1);
    const double square = (found.value - exact).squaredNorm() / static_cast<double>(exact.size());
    EXPECT_NEAR(square / found.variance, 1, 0.75);
  }
}

// With the same noise, the releases of neighbours differ as the sums do: never by more than the
// certificate charges, and close to it in the worst case.
TEST(RatingSums, neighbours_move_one_row_within_the_sensitivity_and_come_close) {
  const Case made = random_case();
  for (const auto noise : {RatingNoise::laplace, RatingNoise::gaussian}) {
    double most = 0, charged = 0;
    for (std::size_t e = 0; e < 60; ++e) {
      std::vector<double> low = made.values, high = made.values;
      low[e] = 1;
      high[e] = 5;
      Certificate certificate;
      const Matrix moved =
          sums_of(made, high, noise, 1, &certificate).value - sums_of(made, low, noise, 1).value;
      Matrix others = moved;
      others.row(made.row_of[e]).setZero();
      EXPECT_EQ(others.cwiseAbs().maxCoeff(), 0);
      charged = certificate.releases[0].record.sensitivity;
      most = std::max(most, noise == RatingNoise::laplace ? moved.lpNorm<1>() : moved.norm());
      EXPECT_LE(most, charged);
    }
    EXPECT_GT(most, 0.98 * charged);
  }
}

// A value of the middle entries weighs little in the first query and much in the second; the worst
// entry is one whose weights sum to the most.
TEST(RatingSums, together_hold_the_norm_of_all_coefficients_of_an_entry) {
  const Case made = random_case();
  std::vector<double> first, second;
  for (Index e = 0; e < kSumEntries; ++e) {
    const double part = 0.1 + 0.8 * static_cast<double>(e % 9) / 8;
    first.push_back(part);
    second.push_back(1.05 - part - 0.1 * static_cast<double>(e % 3));
  }
  Matrix table = made.table;
  for (Index i = 0; i < table.rows(); ++i) table.row(i) /= table.row(i).lpNorm<1>();
  const std::vector<SumQuery> queries{{"", rows, made.row_of, nullptr, {}, 1, first},
                                      {"", 7, made.item_of, &table, made.item_of, 1, second}};
  for (const auto noise : {RatingNoise::laplace, RatingNoise::gaussian}) {
    const RatingPlan plan = plan_for(noise, 1, rows + 21);
    const auto released = [&](const std::vector<double>& values, Certificate& certificate) {
      PrivateRun run(rating_statement(plan), NoiseKey::insecure_from_seed(3));
      RatingSums sums(RatingValues(values), plan, run);
      Vector found = sums.release_together("sums", queries, 1).value().value;
      certificate = run.certify();
      return found;
    };
    double most = 0, charged = 0;
    for (std::size_t e = 0; e < 40; ++e) {
      std::vector<double> low = made.values, high = made.values;
      low[e] = 1;
      high[e] = 5;
      Certificate certificate;
      const Vector moved = released(high, certificate) - released(low, certificate);
      EXPECT_EQ((moved.array() != 0).count(), 4);
      charged = certificate.releases[0].record.sensitivity;
      most = std::max(most, noise == RatingNoise::laplace ? moved.lpNorm<1>() : moved.norm());
      EXPECT_LE(most, charged);
      EXPECT_LE(certificate.epsilon, 1);
    }
    EXPECT_GT(most, 0.98 * charged);
  }
}

TEST(RatingSums, together_are_the_weighted_sums) {
  const Case made = random_case();
  std::vector<double> weight;
  for (Index e = 0; e < kSumEntries; ++e) weight.push_back(0.5 + 0.001 * static_cast<double>(e));
  const std::vector<SumQuery> queries{
      {"", rows, made.row_of, nullptr, {}, 1, weight},
      {"", rows, made.row_of, &made.table, made.item_of, 1, weight}};
  const RatingPlan plan = plan_for(RatingNoise::laplace, 200, 4 * rows);
  PrivateRun run(rating_statement(plan), NoiseKey::insecure_from_seed(3));
  RatingSums sums(RatingValues(made.values), plan, run);
  const Vector found = sums.release_together("sums", queries, 1).value().value;
  Vector exact = Vector::Zero(4 * rows);
  for (std::size_t e = 0; e < made.values.size(); ++e) {
    const double z = weight[e] * (made.values[e] - 3);
    exact[made.row_of[e]] += z;
    for (Index c = 0; c < 3; ++c) {
      exact[rows + 3 * made.row_of[e] + c] += z * made.table(made.item_of[e], c);
    }
  }
  EXPECT_LT((found - exact).cwiseAbs().maxCoeff(), 1.5);
  EXPECT_GT((found - exact).cwiseAbs().maxCoeff(), 0);
}

// ---- ranges of all sizes, also far from zero against their width ----

double wide_uniform(SeededRandom& random, double low, double high) {
  return std::pow(10, low + (high - low) * random.uniform());
}

std::vector<ValueBounds> ranges_of_all_sizes() {
  std::vector<ValueBounds> ranges{{1e15, 1000000000000000.375},
                                  {1, 5},
                                  {-1e15, -999999999999999.75},
                                  {0, 1e-90},
                                  {-3e99, 3e99}};
  SeededRandom random(6);
  while (ranges.size() < 120) {
    const double low = (random.uniform() < 0.5 ? -1 : 1) * wide_uniform(random, -15, 15);
    const int kind = static_cast<int>(random.below(3));
    const double high = kind == 0   ? low + wide_uniform(random, -15, 15)
                        : kind == 1 ? low + std::abs(low) * wide_uniform(random, -16, 0)
                                    : std::nextafter(low, 1e300);
    if (high > low) ranges.push_back({low, high});
  }
  return ranges;
}

std::vector<double> telling_values(const ValueBounds& bounds, SeededRandom& random) {
  const auto [low, high] = bounds;
  const double middle = bounds.middle();
  return {low,
          high,
          middle,
          std::nextafter(low, high),
          std::nextafter(high, low),
          std::nextafter(middle, low),
          std::nextafter(middle, high),
          -1e300,
          1e300,
          low + bounds.width() * random.uniform()};
}

struct Movement {
  double most, charged;
};

// One entry, the same noise for every value it may have.
Movement movement(const ValueBounds& bounds, RatingNoise noise, int power, double coefficient,
                  SeededRandom& random) {
  RatingPlan plan = plan_for(noise, 1, 1);
  plan.bounds = bounds;
  const std::vector<std::int32_t> only{0};
  const Matrix table = Matrix::Constant(1, 1, coefficient);
  double low = 1e300, high = -1e300, charged = 0;
  for (const double value : telling_values(bounds, random)) {
    PrivateRun run(rating_statement(plan), NoiseKey::insecure_from_seed(3));
    RatingSums sums(RatingValues({value}), plan, run);
    const double found = sums.release({"sum", 1, only, &table, only, power}, 1).value().value(0, 0);
    low = std::min(low, found);
    high = std::max(high, found);
    if (charged == 0) charged = run.certify().releases[0].record.sensitivity;
  }
  return {high - low, charged};
}

TEST(RatingSums, hold_their_sensitivity_in_every_range_and_reach_it_in_ordinary_ones) {
  SeededRandom random(7);
  for (const ValueBounds& bounds : ranges_of_all_sizes()) {
    const bool ordinary = bounds.width() > 1e-6 * std::abs(bounds.low);
    for (const auto noise : {RatingNoise::laplace, RatingNoise::gaussian}) {
      for (const int power : {1, 2}) {
        const Movement found = movement(bounds, noise, power, wide_uniform(random, -9, 9), random);
        EXPECT_LE(found.most, found.charged)
            << bounds.low << ":" << bounds.high << " power " << power;
        if (ordinary) {
          EXPECT_GE(found.most, 0.99 * found.charged) << bounds.low << ":" << bounds.high;
        }
      }
    }
  }
}

TEST(RatingSums, refuse_ranges_and_coefficients_beyond_what_they_can_square) {
  for (const auto& [low, high] : std::vector<ValueBounds>{
           {1, 1}, {5, 1}, {0, 1e-101}, {0, 1e101}, {-1.7e308, 1.7e308}, {0, std::nan("")}}) {
    RatingPlan plan = plan_for(RatingNoise::laplace, 1, 1);
    plan.bounds = {low, high};
    PrivateRun run(rating_statement(plan), NoiseKey::from_system());
    EXPECT_THROW(RatingSums(RatingValues({1}), plan, run), Error);
  }
  const RatingPlan plan = plan_for(RatingNoise::laplace, 1, 1);
  PrivateRun run(rating_statement(plan), NoiseKey::from_system());
  RatingSums sums(RatingValues({1}), plan, run);
  const std::vector<std::int32_t> only{0};
  for (const double coefficient : {0.0, 1e-31, 1e31, std::nan("")}) {
    const Matrix table = Matrix::Constant(1, 1, coefficient);
    EXPECT_THROW(sums.release({"sum", 1, only, &table, only}, 1), Error) << coefficient;
  }
}

TEST(RatingSums, the_certificate_stays_within_what_was_asked_for_and_near_it) {
  const Case made = random_case();
  for (const auto noise : {RatingNoise::laplace, RatingNoise::gaussian}) {
    for (const double epsilon : {0.01, 1.0, 20.0}) {
      const RatingPlan plan = plan_for(noise, epsilon, rows + 1);
      PrivateRun run(rating_statement(plan), NoiseKey::from_system());
      RatingSums sums(RatingValues(made.values), plan, run);
      sums.release({"sums", rows, made.row_of}, 0.7);
      const std::vector<std::int32_t> all(made.values.size(), 0);
      sums.release({"squares", 1, all, nullptr, {}, 2}, 0.3);
      const Certificate certificate = run.certify();
      EXPECT_TRUE(certificate.proved) << certificate.why;
      EXPECT_LE(certificate.epsilon, epsilon);
      EXPECT_GT(certificate.epsilon, epsilon * 0.999);
    }
  }
}

TEST(RatingSums, refuse_what_the_plan_of_the_run_does_not_have) {
  const Case made = random_case();
  const RatingPlan plan = plan_for(RatingNoise::laplace, 1, 2 * rows);
  Plan announced{rating_statement(plan), plan.target, "", {}, {}, {}};
  announced.releases = {planned_sum({"sums", rows, 0.3, 1, 1, 2}, plan),
                        planned_sum({"squares", 1, 0.4, 1, 2}, plan)};
  PrivateRun run(announced, NoiseKey::from_system());
  RatingSums sums(RatingValues(made.values), plan, run);
  const SumQuery query{"sums", rows, made.row_of};
  EXPECT_THROW(sums.release(query, 0.31), Error);                         // share
  EXPECT_THROW(sums.release(query, -0.1), Error);                         // no share
  EXPECT_THROW(sums.release({"others", rows, made.row_of}, 0.3), Error);  // name
  EXPECT_THROW(sums.release({"squares", rows, made.row_of, nullptr, {}, 2}, 0.4), Error);  // size
  EXPECT_TRUE(run.certify().releases.empty());
  sums.release(query, 0.3);
  sums.release(query, 0.2);
  EXPECT_THROW(sums.release(query, 0.1), Error);  // number of times
  EXPECT_EQ(run.certify().releases.size(), 2u);
}

TEST(RatingSums, hold_values_at_the_range_and_refuse_what_is_no_number) {
  Case made = random_case();
  std::vector<double> wild = made.values;
  made.values[0] = 5;
  wild[0] = 1e300;
  EXPECT_EQ(sums_of(made, wild, RatingNoise::laplace, 1).value,
            sums_of(made, made.values, RatingNoise::laplace, 1).value);
  wild[0] = std::nan("");
  EXPECT_THROW(sums_of(made, wild, RatingNoise::laplace, 1), Error);
}

TEST(RatingSums, do_not_depend_on_the_order_of_the_entries) {
  Case made = random_case();
  const Matrix before = sums_of(made, made.values, RatingNoise::laplace, 1).value;
  std::reverse(made.values.begin(), made.values.end());
  std::reverse(made.row_of.begin(), made.row_of.end());
  std::reverse(made.item_of.begin(), made.item_of.end());
  EXPECT_EQ(before, sums_of(made, made.values, RatingNoise::laplace, 1).value);
}

TEST(RatingSums, an_insecure_seed_certifies_nothing) {
  const Case made = random_case();
  Certificate certificate;
  sums_of(made, made.values, RatingNoise::laplace, 1, &certificate);
  EXPECT_FALSE(certificate.proved);
}

TEST(RatingNoiseChoice, is_laplace_for_few_releases_and_gaussian_for_many) {
  const std::vector<double> few{0.4, 0.5, 0.1}, many(200, 1.0 / 200);
  EXPECT_EQ(choose_noise({1, 1e-6}, few), RatingNoise::laplace);
  EXPECT_EQ(choose_noise({1, 1e-6}, many), RatingNoise::gaussian);
  EXPECT_EQ(choose_noise({1, kTailDelta}, many), RatingNoise::laplace);
}

TEST(PerturbedValues, as_published_have_the_published_scale_and_strict_ones_stay_within_epsilon) {
  const Case made = random_case();
  const RatingPlan plan = plan_for(RatingNoise::laplace, 2, kSumEntries);
  for (const bool as_published : {true, false}) {
    PrivateRun run(rating_statement(plan), NoiseKey::from_system());
    const std::vector<double> noisy =
        release_values(RatingValues(made.values), plan, as_published, run).value();
    EXPECT_EQ(noisy.size(), made.values.size());
    const Certificate certificate = run.certify();
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

// Noise goes on what a value is beyond the middle: a grid for the noise cannot hold 1e15 as well.
TEST(PerturbedValues, stay_near_a_narrow_range_far_from_zero) {
  RatingPlan plan = plan_for(RatingNoise::laplace, 1, 3);
  for (const double low : {1e15, -1e30}) {
    plan.bounds = {low, low + std::abs(low) * 0x1p-50};
    const double width = plan.bounds.width();
    PrivateRun run(rating_statement(plan), NoiseKey::insecure_from_seed(8));
    RatingValues values({low, plan.bounds.middle(), plan.bounds.high});
    const std::vector<double> noisy = release_values(std::move(values), plan, false, run).value();
    for (const double x : noisy) {
      EXPECT_GT(x, low - 40 * width);
      EXPECT_LT(x, low + 40 * width);
    }
  }
}

}  // namespace
}  // namespace sotto
