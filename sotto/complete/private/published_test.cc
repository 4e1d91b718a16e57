// What the published perturbations leave unprotected, shown by the same test that the strict form
// passes.
#include "sotto/complete/private/published.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/complete/fit/testing/small_problem.h"
#include "sotto/complete/private/sums.h"

namespace sotto {
namespace {

constexpr Index kPeople = 12;

// Every row of every mode has one entry.
ObservedEntries diagonal_positions() {
  ObservedEntries positions({kPeople, kPeople, kPeople});
  for (std::int32_t i = 0; i < kPeople; ++i) {
    positions.append(std::vector<std::int32_t>{i, i, i}, 0);
  }
  return positions;
}

std::vector<double> stars() {
  std::vector<double> values;
  for (Index i = 0; i < kPeople; ++i) values.push_back(static_cast<double>(1 + i % 5));
  return values;
}

RatingPlan plan_of(double epsilon) {
  return {{epsilon, kTailDelta}, {1, 5}, RatingNoise::laplace, 100000};
}

CompletionModel run(const ObservedEntries& positions, const std::vector<double>& values,
                    Perturbation perturbed, const PublishedSettings& settings, double epsilon,
                    std::optional<Certificate>* certificate = nullptr) {
  PrivacyStatement statement = rating_statement(plan_of(epsilon));
  statement.claimed = published_claim(epsilon);
  PrivateRun run(statement, NoiseKey::insecure_from_seed(7));
  CompletionModel model =
      fit_published(positions, RatingValues(values), plan_of(epsilon), perturbed, settings, run)
          .model;
  if (certificate != nullptr) *certificate = run.certify();
  return model;
}

PublishedSettings one_epoch(LowRank kind = LowRank::cp) {
  PublishedSettings settings = published_defaults(kind);
  settings.epochs = 1;
  return settings;
}

// After one epoch over entries that share no row, a_i = a (1 - 2 step lambda) + 2 step e (b * c),
// where a, b, c are the start, which is public. So the rating follows from the released a_i, to the
// last digits, whatever epsilon was claimed.
TEST(PublishedGradient, lets_every_rating_be_read_off_the_factor_without_noise) {
  const ObservedEntries positions = diagonal_positions();
  const PublishedSettings settings = one_epoch();
  PublishedSettings none = settings;
  none.epochs = 0;
  const CompletionModel start = run(positions, stars(), Perturbation::gradient, none, 0.001);
  const CompletionModel found = run(positions, stars(), Perturbation::gradient, settings, 0.001);
  for (Index i = 0; i < kPeople; ++i) {
    const Vector a0 = start.factor(0).row(i) / 4.0, a1 = found.factor(0).row(i) / 4.0;
    const Vector h = start.factor(1).row(i).cwiseProduct(start.factor(2).row(i));
    const Vector moved = a1 - (1 - 2 * settings.step * settings.lambda) * a0;
    const double error = moved.dot(h) / (2 * settings.step * h.squaredNorm());
    EXPECT_NEAR(1 + 4 * (error + a0.dot(h)), stars()[static_cast<std::size_t>(i)], 1e-9);
  }
}

// Two neighbours that differ in one rating, under the same noise: factors without noise tell them
// apart.
TEST(PublishedPerturbations, of_gradient_and_output_move_bare_factors_with_one_rating) {
  const ObservedEntries positions = random_entries({10, 8, 6}, 0.4, 3);
  std::vector<double> values(positions.value.size(), 3), other = values;
  other[5] = 5;
  for (const LowRank kind : {LowRank::cp, LowRank::tucker}) {
    for (const Perturbation where : {Perturbation::gradient, Perturbation::output}) {
      const CompletionModel a = run(positions, values, where, one_epoch(kind), 0.01);
      const CompletionModel b = run(positions, other, where, one_epoch(kind), 0.01);
      const Index user = positions.row(0, 5);
      EXPECT_GT((a.factor(0).row(user) - b.factor(0).row(user)).norm(), 1e-4);
    }
  }
}

// The strict form releases noisy sums only, so the same change moves the result by far less than
// other noise does.
TEST(StrictCompletion, hides_one_rating_behind_its_noise) {
  const ObservedEntries positions = random_entries({10, 8, 6}, 0.4, 3);
  std::vector<double> values(positions.value.size(), 3), other = values;
  other[5] = 5;
  const double epsilon = 0.01;
  const PrivateSumsPlan parts = plan_private_sums(shape_of(positions), epsilon, 2);
  const auto predictions = [&](const std::vector<double>& ratings, std::uint64_t seed) {
    RatingPlan plan = plan_of(epsilon);
    PrivateRun run(rating_statement(plan), NoiseKey::insecure_from_seed(seed));
    RatingSums sums(RatingValues(ratings), plan, run);
    CompletionModel model = fit_private_sums(positions, parts, LowRank::cp, 2, sums).model;
    model.range.reset();
    const std::vector<double> x = model.predict(positions);
    return Vector(Eigen::Map<const Vector>(x.data(), std::ssize(x)));
  };
  const Vector here = predictions(values, 1);
  const double by_rating = (here - predictions(other, 1)).norm();
  const double by_noise = (here - predictions(values, 2)).norm();
  EXPECT_GT(by_rating, 0);
  EXPECT_LT(by_rating, 0.05 * by_noise);
}

TEST(PublishedInput, is_proved_and_the_others_are_not) {
  const ObservedEntries positions = diagonal_positions();
  for (const Perturbation where :
       {Perturbation::input, Perturbation::gradient, Perturbation::output}) {
    PrivacyStatement statement = rating_statement(plan_of(2));
    statement.claimed = published_claim(2);
    PrivateRun run(statement, NoiseKey::from_system());
    fit_published(positions, RatingValues(stars()), plan_of(2), where, one_epoch(), run);
    const Certificate certificate = run.certify();
    EXPECT_EQ(certificate.proved, where == Perturbation::input) << certificate.why;
    EXPECT_EQ(certificate.statement.claimed->epsilon, 2);
    const double steps = where == Perturbation::input ? 1 : kPeople;
    EXPECT_NEAR(certificate.epsilon, 2 * steps, 1e-6 * steps);
    if (where != Perturbation::input) {
      EXPECT_NE(certificate.why.find("without noise"), std::string::npos);
    }
  }
}

TEST(PublishedGradient, draws_the_published_noise) {
  const ObservedEntries positions = diagonal_positions();
  PublishedSettings settings = one_epoch();
  settings.clip = 0.25;
  std::optional<Certificate> certificate;
  run(positions, stars(), Perturbation::gradient, settings, 0.5, &certificate);
  EXPECT_NEAR(certificate->releases[0].record.noise, 2 * 0.25 / 0.5, 1e-12);
  run(positions, stars(), Perturbation::output, settings, 0.5, &certificate);
  EXPECT_NEAR(certificate->releases[0].record.noise, 2 * 1 * 0.25 * 0.005 / 0.5, 1e-12);
}

TEST(PublishedMethods, learn_where_the_noise_is_small) {
  const CompletionModel truth = random_model(LowRank::cp, 2, {10, 9, 8}, 4);
  ObservedEntries data = random_entries({10, 9, 8}, 0.6, 5);
  data.value = truth.predict(data);
  double mean = 0, spread = 0;
  for (double& x : data.value) x = std::clamp(x, 1.0, 5.0);
  for (const double x : data.value) mean += x / static_cast<double>(data.size());
  for (const double x : data.value) spread += (x - mean) * (x - mean);
  for (const LowRank kind : {LowRank::cp, LowRank::tucker}) {
    for (const Perturbation where :
         {Perturbation::input, Perturbation::gradient, Perturbation::output}) {
      PublishedSettings settings = published_defaults(kind);
      settings.step = 0.05;
      settings.lambda = settings.core_lambda = 1e-4;
      settings.epochs = 60;
      // About the largest epsilon that is not refused.
      const double epsilon = where == Perturbation::input ? 200 : 599;
      const std::vector<double> x = run(data, data.value, where, settings, epsilon).predict(data);
      double error = 0;
      for (std::size_t e = 0; e < x.size(); ++e) {
        error += (x[e] - data.value[e]) * (x[e] - data.value[e]);
      }
      EXPECT_LT(error, 0.5 * spread);
    }
  }
}

}  // namespace
}  // namespace sotto
