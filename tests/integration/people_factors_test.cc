#include "sotto/models/people_factors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/models/matching.h"
#include "sotto/synthetic/visits.h"

namespace sotto {
namespace {

// Of factors matched over all modes: the worst cosine of any column of any mode.
double worst_factor_cosine(const std::vector<Matrix>& found, const std::vector<Matrix>& truth) {
  std::vector<Matrix> cosines;
  Matrix product;
  for (std::size_t m = 0; m < truth.size(); ++m) {
    cosines.push_back(found[m].colwise().normalized().transpose() *
                      truth[m].colwise().normalized());
    product = m == 0 ? cosines[0] : Matrix(product.cwiseProduct(cosines[m]));
  }
  const std::vector<Index> match = least_cost_matching(-product);
  double worst = 1;
  for (const Matrix& c : cosines) {
    for (Index t = 0; t < c.rows(); ++t) {
      worst = std::min(worst, c(t, match[static_cast<std::size_t>(t)]));
    }
  }
  return worst;
}

VisitModel small_visits() {
  VisitModel model;
  model.people = 6000;
  model.codes = 80;
  model.drugs = 50;
  model.phenotypes = 4;
  return model;
}

PeopleOptions four() {
  PeopleOptions options;
  options.components = 4;
  return options;
}

TargetOptions asked(double epsilon) {
  TargetOptions privacy;
  privacy.epsilon = epsilon;
  privacy.delta = 1e-6;
  return privacy;
}

struct PrivateOutcome {
  PeopleFit fit;
  Certificate certificate;
};

PrivateOutcome private_fit(const SparseTensor& visits, const PeopleOptions& options,
                           double epsilon) {
  const PeoplePlan plan = plan_people(people_shape(visits.dims(), ""), options, asked(epsilon));
  PrivateRun run(run_plan(plan), NoiseKey::insecure_from_seed(3));
  PeopleFit fit = fit_private_people(Sensitive<AnyTensor>(AnyTensor(visits)), plan, options, run);
  return {std::move(fit), run.certify()};
}

// The releases of a plan, by their names.
std::vector<std::string> planned_names(const PeopleOptions& options) {
  std::vector<std::string> names;
  const PublicPeopleShape shape = people_shape(std::vector<Index>{6000, 80, 50}, "");
  for (const PlannedRelease& release : run_plan(plan_people(shape, options, asked(1))).releases) {
    names.push_back(release.what);
  }
  return names;
}

TEST(PeopleFactors, each_route_pays_for_what_it_asks_alone) {
  const SyntheticVisits made = generate_visits(small_visits());
  const auto has = [](const std::vector<std::string>& names, const char* what) {
    return std::find(names.begin(), names.end(), what) != names.end();
  };
  for (const PeopleValues values : {PeopleValues::counts, PeopleValues::real}) {
    PeopleOptions options = four();
    options.values = values;
    const char* moments = values == PeopleValues::counts ? kPeopleTriples : kSliceMoments;
    const char* steps = values == PeopleValues::counts ? kPeopleCounts : kSliceEquations;
    for (const auto& [route, with_moments, with_steps] :
         {std::tuple{PeopleRoute::automatic, true, true},
          {PeopleRoute::both, true, true},
          {PeopleRoute::moments, true, false},
          {PeopleRoute::alternating, false, true}}) {
      options.route = route;
      const std::vector<std::string> names = planned_names(options);
      EXPECT_EQ(has(names, moments), with_moments) << name_of(route);
      EXPECT_EQ(has(names, steps), with_steps) << name_of(route);
      // The run refuses a release that its plan does not have, and a plan that is not used up.
      const PrivateOutcome outcome = private_fit(made.visits, options, 1);
      EXPECT_LE(outcome.certificate.epsilon, 1);
      EXPECT_GT(outcome.certificate.epsilon, 0.99) << name_of(route);
    }
  }
  PeopleOptions options = four();
  options.route = PeopleRoute::moments;
  options.refine = 2;
  EXPECT_THROW(planned_names(options), Error);
  options.route = PeopleRoute::alternating;
  options.refine = 0;
  EXPECT_THROW(planned_names(options), Error);
  options.refine = {};
  options.core = 20;
  EXPECT_THROW(planned_names(options), Error);
}

// Steps from a random start need much more than steps from the moments, but get there.
TEST(PeopleFactors, alternating_steps_reach_the_phenotypes_without_moments) {
  const SyntheticVisits made = generate_visits(small_visits());
  PeopleOptions options = four();
  options.route = PeopleRoute::alternating;
  options.refine = 60;
  EXPECT_GT(worst_factor_cosine(fit_people(made.visits, options).model.factors, made.factors),
            0.98);
}

TEST(PeopleFactors, exact_sums_give_the_phenotypes) {
  const SyntheticVisits made = generate_visits(small_visits());
  const PeopleFit fit = fit_people(made.visits, four());
  EXPECT_GT(worst_factor_cosine(fit.model.factors, made.factors), 0.99);
  for (const Matrix& factor : fit.model.factors) {
    EXPECT_GE(factor.minCoeff(), 0);
    EXPECT_LT((factor.colwise().sum().array() - 1).abs().maxCoeff(), 1e-9);
  }
  EXPECT_NEAR(fit.model.weights.sum(), 1, 1e-9);
  // Everybody is in one bin of each component.
  EXPECT_LT((fit.loadings.colwise().sum().array() - 6000).abs().maxCoeff(), 0.01);
}

TEST(PeopleFactors, are_found_privately_with_noise_that_would_drown_the_entries) {
  const SyntheticVisits made = generate_visits(small_visits());
  const PrivateOutcome outcome = private_fit(made.visits, four(), 1);
  EXPECT_GT(worst_factor_cosine(outcome.fit.model.factors, made.factors), 0.96);
  EXPECT_EQ(outcome.certificate.epsilon, 1);
  EXPECT_NEAR(outcome.fit.loadings.col(0).sum(), 6000,
              6 * std::sqrt(10.0) * outcome.fit.loadings_deviation);
}

TEST(PeopleFactors, three_modes_heavy_users_and_other_frequencies_do_no_harm) {
  VisitModel model = small_visits();
  model.months = 12;
  model.heavy = 0.02;
  model.zipf = 1.1;
  model.least = 1;
  model.events = 12;
  model.seed = 5;
  const SyntheticVisits made = generate_visits(model);
  const PrivateOutcome outcome = private_fit(made.visits, four(), 2);
  EXPECT_GT(worst_factor_cosine(outcome.fit.model.factors, made.factors), 0.94);
}

// Dense slices of rank 3 with loadings of both signs, and noise.
struct RealSlices {
  SparseTensor values;
  std::vector<Matrix> factors;
};

RealSlices real_slices(const std::vector<Index>& sizes, double noise, bool non_negative = false) {
  SeededRandom random(21);
  const Index k = 3;
  std::vector<Matrix> factors;
  for (std::size_t m = 1; m < sizes.size(); ++m) {
    Matrix factor(sizes[m], k);
    for (Index n = 0; n < factor.size(); ++n) factor.data()[n] = random.normal();
    if (non_negative) factor = factor.cwiseMax(0.0).eval();
    factor.colwise().normalize();
    factors.push_back(std::move(factor));
  }
  Index cells = 1;
  for (std::size_t m = 1; m < sizes.size(); ++m) cells *= sizes[m];
  std::vector<std::int32_t> indices;
  std::vector<double> values;
  for (Index p = 0; p < sizes[0]; ++p) {
    Vector a(k);
    for (Index t = 0; t < k; ++t) a[t] = random.normal();
    for (Index c = 0; c < cells; ++c) {
      indices.push_back(static_cast<std::int32_t>(p));
      Vector product = a;
      Index rest = c, under = cells;
      for (std::size_t m = 1; m < sizes.size(); ++m) {
        under /= sizes[m];
        indices.push_back(static_cast<std::int32_t>(rest / under));
        product = product.cwiseProduct(factors[m - 1].row(rest / under).transpose());
        rest %= under;
      }
      values.push_back(product.sum() + noise * random.normal());
    }
  }
  return {SparseTensor(sizes, indices, values, Duplicates::refuse), std::move(factors)};
}

double worst_absolute_cosine(const std::vector<Matrix>& found, const std::vector<Matrix>& truth) {
  double worst = 1;
  for (std::size_t m = 0; m < truth.size(); ++m) {
    const Matrix cosines =
        (found[m].colwise().normalized().transpose() * truth[m].colwise().normalized()).cwiseAbs();
    worst = std::min(worst, cosines.colwise().maxCoeff().minCoeff());
  }
  return worst;
}

TEST(PeopleFactors, of_real_values_are_found_exactly_and_privately) {
  for (const std::vector<Index>& sizes :
       {std::vector<Index>{1500, 12, 9}, std::vector<Index>{1500, 8, 6, 4}}) {
    const RealSlices made = real_slices(sizes, 0.02);
    PeopleOptions options;
    options.components = 3;
    options.values = PeopleValues::real;
    EXPECT_GT(worst_absolute_cosine(fit_people(made.values, options).model.factors, made.factors),
              0.999);
    const PrivateOutcome outcome = private_fit(made.values, options, 2);
    EXPECT_GT(worst_absolute_cosine(outcome.fit.model.factors, made.factors), 0.94);
    EXPECT_EQ(outcome.certificate.epsilon, 2);
  }
}

TEST(PeopleFactors, of_real_values_are_not_negative_where_asked_and_then_closer_to_the_truth) {
  const RealSlices made = real_slices({1500, 30, 20}, 0.02, /*non_negative=*/true);
  PeopleOptions options;
  options.components = 3;
  options.values = PeopleValues::real;
  const double free =
      worst_absolute_cosine(private_fit(made.values, options, 1).fit.model.factors, made.factors);
  options.non_negative = true;
  const PrivateOutcome outcome = private_fit(made.values, options, 1);
  for (const Matrix& factor : outcome.fit.model.factors) EXPECT_GE(factor.minCoeff(), 0);
  EXPECT_GT(worst_absolute_cosine(outcome.fit.model.factors, made.factors), free);
  for (const Matrix& factor : fit_people(made.values, options).model.factors) {
    EXPECT_GE(factor.minCoeff(), 0);
  }
  EXPECT_GT(worst_absolute_cosine(fit_people(made.values, options).model.factors, made.factors),
            0.999);
}

TEST(PeopleFactors, a_mode_of_size_one_and_nobody_at_all_are_no_obstacle) {
  VisitModel model = small_visits();
  model.people = 500;
  model.months = 1;
  const SyntheticVisits made = generate_visits(model);
  const PrivateOutcome outcome = private_fit(made.visits, four(), 1);
  EXPECT_EQ(outcome.fit.model.factors[2].rows(), 1);
  const SparseTensor nobody({500, 80, 50}, {}, {}, Duplicates::refuse);
  const PrivateOutcome empty = private_fit(nobody, four(), 1);
  for (const Matrix& factor : empty.fit.model.factors) EXPECT_TRUE(factor.allFinite());
  EXPECT_TRUE(fit_people(nobody, four()).model.factors[0].allFinite());
}

TEST(PeopleFactors, the_plan_holds_the_budget_and_refuses_what_cannot_be) {
  const PublicPeopleShape shape = people_shape({100000, 500, 200}, "");
  const PeoplePlan plan = plan_people(shape, four(), asked(1));
  double shares = 0;
  for (const PlannedRelease& release : run_plan(plan).releases) shares += release.share;
  EXPECT_NEAR(shares, 1, 1e-12);
  EXPECT_GT(forecast_people(plan, 20), 4);
  EXPECT_LT(expected_people_epsilon(shape, four(), asked(1), 20), 1);
  // Rows that hardly occur stay out of the core: they do not make the forecast worse.
  PeopleOptions all_rows = four();
  all_rows.core = 700;
  EXPECT_GT(forecast_people(plan, 20),
            2 * forecast_people(plan_people(shape, all_rows, asked(1)), 20));
  PeopleOptions many = four();
  many.components = 65;
  EXPECT_THROW(plan_people(shape, many, asked(1)), Error);
  EXPECT_THROW(plan_people(people_shape({10, 500, 3}, ""), four(), asked(1)), Error);
}

}  // namespace
}  // namespace sotto
