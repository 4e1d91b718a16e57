// Completion of tensors whose truth is known: the simulation of Wei et al. 2022 and ratings of many
// users.
#include <gtest/gtest.h>

#include "sotto/base/error.h"
#include "sotto/complete/fit/biases.h"
#include "sotto/complete/fit/fit.h"
#include "sotto/complete/fit/scores.h"
#include "sotto/synthetic/ratings.h"

namespace sotto {
namespace {

// RMSE to the tensor without noise at the held-out places.
double truth_rmse(const SyntheticRatings& made, const CompletionOptions& options) {
  const CompletionFit fit = fit_completion(made.train, options);
  ObservedEntries truth = made.test;
  truth.value = made.test_truth;
  return root_mean_square_error(truth, fit.model.predict(truth));
}

CompletionOptions simulation(LowRank model, CompletionMethod method) {
  CompletionOptions options;
  options.rank = 3;
  options.model = model;
  options.method = method;
  options.bias = BiasPart::global;
  options.centre = ContextCentre::zero;
  options.lambda = {0.05};
  options.core_lambda = 0.05;
  options.starts = 6;
  if (method == CompletionMethod::sgd) {
    options.step = 0.8;
    options.decay = 0.985;
    options.epochs = 300;
  } else {
    options.tolerance = 1e-7;
    options.epochs = 1000;
  }
  return options;
}

TEST(Completion, gradients_reach_the_error_of_least_squares_run_to_convergence) {
  for (const LowRank model : {LowRank::cp, LowRank::tucker}) {
    RatingModel truth;
    truth.model = model == LowRank::cp ? RatingLaw::cp : RatingLaw::tucker;
    const SyntheticRatings made = generate_ratings(truth);
    const double best = truth_rmse(made, simulation(model, CompletionMethod::als));
    EXPECT_LT(best, 0.02) << name_of(model);
    EXPECT_LT(truth_rmse(made, simulation(model, CompletionMethod::sgd)), 1.05 * best)
        << name_of(model);
  }
}

TEST(Completion, the_error_rises_with_the_missing_share_and_jumps_at_the_end) {
  std::vector<double> error;
  for (const double missing : {0.1, 0.5, 0.8, 0.9}) {
    double sum = 0;
    for (std::int64_t seed = 0; seed < 3; ++seed) {
      RatingModel truth;
      truth.model = RatingLaw::cp;
      truth.missing = missing;
      truth.seed = seed;
      sum +=
          truth_rmse(generate_ratings(truth), simulation(LowRank::cp, CompletionMethod::als)) / 3;
    }
    if (!error.empty()) {
      EXPECT_GT(sum, error.back()) << missing;
    }
    error.push_back(sum);
  }
  EXPECT_LT(error[2], 4 * error[0]);
  EXPECT_GT(error[3], 1.8 * error[2]);
}

RatingModel ratings(std::int64_t count) {
  RatingModel model;
  model.users = 600;
  model.items = 300;
  model.months = 12;
  model.rank = 2;
  model.ratings = count;
  return model;
}

double test_rmse(const SyntheticRatings& made, const CompletionOptions& options) {
  return root_mean_square_error(made.test,
                                fit_completion(made.train, options).model.predict(made.test));
}

TEST(Completion, every_method_beats_the_biases_on_ratings_with_structure) {
  const SyntheticRatings made = generate_ratings(ratings(30000));
  const Biases biases = fit_biases(made.train, default_bias_shrink(3));
  const double baseline =
      std::sqrt(squared_error(made.test, biases) / static_cast<double>(made.test.size()));
  CompletionOptions options;
  options.rank = 2;
  for (const LowRank model : {LowRank::cp, LowRank::tucker}) {
    for (const auto method :
         {CompletionMethod::bayes, CompletionMethod::als, CompletionMethod::sgd}) {
      if (model == LowRank::tucker && method == CompletionMethod::bayes) continue;
      options.model = model;
      options.method = method;
      EXPECT_LT(test_rmse(made, options), 0.95 * baseline)
          << name_of(model) << " " << name_of(method);
    }
  }
}

// Values in other units must be completed equally well.
TEST(Completion, least_squares_does_not_care_about_the_scale_of_the_values) {
  SyntheticRatings made = generate_ratings(ratings(20000));
  CompletionOptions options;
  options.rank = 2;
  std::vector<double> found;
  for (const double scale : {1.0, 50.0}) {
    SyntheticRatings scaled = made;
    for (double& x : scaled.train.value) x *= scale;
    for (double& x : scaled.test.value) x *= scale;
    found.push_back(test_rmse(scaled, options) / scale);
  }
  EXPECT_NEAR(found[1] / found[0], 1, 0.02);
}

TEST(Completion, a_held_out_share_stops_early_and_keeps_the_best_model) {
  const SyntheticRatings made = generate_ratings(ratings(5000));
  CompletionOptions options;
  options.rank = 8;
  options.method = CompletionMethod::sgd;
  options.lambda = {0.01};
  options.step = 0.02;
  options.decay = 1;
  options.epochs = 400;
  const double overfitted = test_rmse(made, options);
  options.validation = 0.1;
  const CompletionFit fit = fit_completion(made.train, options);
  EXPECT_EQ(fit.status, FitStatus::early_stop);
  EXPECT_EQ(std::ssize(fit.history), fit.best_epoch + options.patience);
  double best = 1e300;
  for (const EpochRecord& epoch : fit.history) best = std::min(best, *epoch.validation_rmse);
  const EntrySplit split = split_entries(made.train, 0.1, 0);
  EXPECT_EQ(root_mean_square_error(split.held_out, fit.model.predict(split.held_out)), best);
  EXPECT_LT(root_mean_square_error(made.test, fit.model.predict(made.test)), 0.95 * overfitted);
}

TEST(Completion, stops_at_the_time_limit_and_when_asked_to) {
  const SyntheticRatings made = generate_ratings(ratings(5000));
  CompletionOptions options;
  options.method = CompletionMethod::sgd;
  options.epochs = 1000000;
  options.time_limit = 0.05;
  EXPECT_EQ(fit_completion(made.train, options).status, FitStatus::time_limit);
  options.time_limit = 0;
  const auto after_three = [](const ProgressReport& report) { return report.done < 3; };
  const CompletionFit fit = fit_completion(made.train, options, {}, after_three);
  EXPECT_EQ(fit.status, FitStatus::stopped);
  EXPECT_EQ(fit.history.size(), 3u);
}

TEST(Completion, the_seed_decides_everything) {
  const SyntheticRatings made = generate_ratings(ratings(5000));
  CompletionOptions options;
  options.method = CompletionMethod::sgd;
  options.epochs = 3;
  const double first = test_rmse(made, options);
  EXPECT_EQ(test_rmse(made, options), first);
  options.seed = 1;
  EXPECT_NE(test_rmse(made, options), first);
}

TEST(Completion, scaled_slices_are_learnt_and_restored) {
  RatingModel dense = ratings(6000);  // some 25 entries of a user in a slice
  dense.users = 60;
  dense.items = 200;
  dense.months = 4;
  const SyntheticRatings made = generate_ratings(dense);
  CompletionOptions options;
  options.rank = 2;
  options.method = CompletionMethod::als;
  options.bias = BiasPart::none;
  options.scale = ValueScale::slices;
  const double constant = std::sqrt(squared_error(made.test, Biases::constant(made.train)) /
                                    static_cast<double>(made.test.size()));
  EXPECT_LT(test_rmse(made, options), 0.95 * constant);
}

TEST(Completion, gradients_that_grow_without_bound_are_a_status) {
  CompletionOptions options;
  options.method = CompletionMethod::sgd;
  options.step = 1e6;
  const CompletionFit fit = fit_completion(generate_ratings(ratings(2000)).train, options);
  EXPECT_EQ(fit.status, FitStatus::diverged);
}

TEST(Completion, refuses_what_cannot_be_learnt) {
  ObservedEntries one({2, 2, 2});
  one.append(std::vector<std::int32_t>{0, 1, 0}, 1);
  EXPECT_THROW(fit_completion(one, {}), Error);
  const SyntheticRatings made = generate_ratings(ratings(2000));
  CompletionOptions options;
  options.lambda = {1, 2};
  EXPECT_THROW(fit_completion(made.train, options), Error);
  options.lambda = {0};
  options.method = CompletionMethod::bayes;
  EXPECT_THROW(fit_completion(made.train, options), Error);
  options = {};
  options.model = LowRank::tucker;
  options.method = CompletionMethod::bayes;
  EXPECT_THROW(fit_completion(made.train, options), Error);
}

TEST(SyntheticRatings, no_place_twice_and_the_split_is_as_asked) {
  const SyntheticRatings made = generate_ratings(ratings(30000));
  EXPECT_EQ(made.train.size() + made.test.size(), 30000);
  EXPECT_EQ(made.test.size(), 6000);
  EXPECT_EQ(find_duplicates(made.train).count, 0);
  EXPECT_EQ(count_overlap(made.train, made.test), 0);
  double noise = 0;
  for (std::size_t e = 0; e < made.test_truth.size(); ++e) {
    noise += std::pow(made.test.value[e] - made.test_truth[e], 2) / 6000;
  }
  EXPECT_NEAR(std::sqrt(noise), 0.7, 0.03);
  RatingModel dense;
  dense.model = RatingLaw::tucker;
  const SyntheticRatings small = generate_ratings(dense);
  EXPECT_EQ(small.train.size(), 3200);
  EXPECT_GE(*std::min_element(small.test_truth.begin(), small.test_truth.end()), 0);
  EXPECT_LE(*std::max_element(small.test_truth.begin(), small.test_truth.end()), 1);
}

}  // namespace
}  // namespace sotto
