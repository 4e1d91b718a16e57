#include "sotto/study/private_completion.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "sotto/base/error.h"
#include "sotto/complete/fit/scores.h"
#include "sotto/complete/private/sums.h"

namespace sotto {
namespace {

constexpr double kSmallClip = 0.01, kLargeClip = 1;

ValueBounds bounds_of(const ObservedEntries& entries) {
  const auto [low, high] = std::minmax_element(entries.value.begin(), entries.value.end());
  return {*low, *high};
}

// Predictions on the scale of the test entries, held within the range of the training entries.
double error_of(const CompletionProblem& problem, const CompletionModel& model,
                const std::optional<BiScaling>& scaling) {
  std::vector<double> predicted = model.predict(problem.test);
  const ValueBounds bounds = bounds_of(problem.train);
  for (std::size_t e = 0; e < predicted.size(); ++e) {
    if (scaling) {
      predicted[e] = scaling->restore(problem.test, static_cast<Index>(e), predicted[e]);
    }
    predicted[e] = std::clamp(predicted[e], bounds.low, bounds.high);
  }
  return root_mean_square_error(problem.test, predicted);
}

}  // namespace

double published_completion_error(const CompletionProblem& problem, const PublishedRun& run,
                                  std::uint64_t seed) {
  std::optional<BiScaling> scaling;
  ObservedEntries train = problem.train;
  if (problem.scaled) {
    scaling.emplace(problem.train);
    train = scaling->scaled(problem.train);
  }
  const RatingPlan plan{{run.epsilon, kTailDelta}, bounds_of(train)};
  PublishedSettings settings = problem.settings;
  settings.clip = run.clip;
  settings.seed = seed;
  PrivacyStatement statement = rating_statement(plan);
  statement.claimed = published_claim(run.epsilon);
  PrivateRun noisy(statement, NoiseKey::insecure_from_seed(seed));
  try {
    const CompletionModel model =
        fit_published(train, RatingValues(train.value), plan, run.perturbed, settings, noisy);
    return error_of(problem, model, scaling);
  } catch (const Error& error) {
    if (error.place() != "`step`") throw;
    return std::numeric_limits<double>::quiet_NaN();
  }
}

double exact_completion_error(const CompletionProblem& problem, std::uint64_t seed) {
  // As good as none: the noise of the output goes with clip / epsilon.
  return published_completion_error(problem, {Perturbed::output, 500, kSmallClip / 20}, seed);
}

double strict_completion_error(const CompletionProblem& problem, double epsilon,
                               std::uint64_t seed) {
  const Index rank = problem.settings.rank;
  RatingPlan plan{{epsilon, kTailDelta}, bounds_of(problem.train)};
  const PrivateSumsPlan parts = plan_private_sums(problem.train, epsilon, rank);
  plan.noise = choose_noise(plan.target, parts.shares());
  plan.values = parts.values;
  PrivateRun run(rating_statement(plan), NoiseKey::insecure_from_seed(seed));
  RatingSums sums(RatingValues(problem.train.value), plan, run);
  const CompletionModel model =
      fit_private_sums(problem.train, parts, problem.settings.kind, rank, sums).model;
  return error_of(problem, model, {});
}

double mean_completion_error(const CompletionProblem& problem) {
  double sum = 0;
  for (const double x : problem.train.value) sum += x;
  const std::vector<double> mean(problem.test.value.size(),
                                 sum / static_cast<double>(problem.train.size()));
  return root_mean_square_error(problem.test, mean);
}

const std::vector<std::string>& completion_measures() {
  static const std::vector<std::string> names = {"baseline",       "input",        "gradient_small",
                                                 "gradient_large", "output_small", "output_large",
                                                 "strict",         "mean"};
  return names;
}

std::vector<double> completion_errors(const CompletionProblem& problem, double epsilon,
                                      std::uint64_t seed) {
  const auto published = [&](Perturbed where, double clip) {
    return published_completion_error(problem, {where, epsilon, clip}, seed);
  };
  return {
      exact_completion_error(problem, seed),           published(Perturbed::input, kLargeClip),
      published(Perturbed::gradient, kSmallClip),      published(Perturbed::gradient, kLargeClip),
      published(Perturbed::output, kSmallClip),        published(Perturbed::output, kLargeClip),
      strict_completion_error(problem, epsilon, seed), mean_completion_error(problem)};
}

}  // namespace sotto
