#include "sotto/study/private_completion.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "sotto/base/random.h"
#include "sotto/complete/fit/bi_scaling.h"
#include "sotto/complete/fit/scores.h"
#include "sotto/tasks/complete.h"

namespace sotto {
namespace {

constexpr double kSmallClip = 0.01, kLargeClip = 1;
constexpr std::uint64_t kMeanStream = 61;

ValueBounds bounds_of(const ObservedEntries& entries) {
  const auto [low, high] = std::minmax_element(entries.value.begin(), entries.value.end());
  return {*low, *high};
}

// Predictions on the scale of the test entries, clipped to the range of the training entries.
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

// A private run whose noise comes from a seed.
CompleteTask private_task(const CompletionProblem& problem, const ValueBounds& bounds,
                          double epsilon, std::uint64_t seed) {
  CompleteTask task;
  task.completion.rank = problem.settings.rank;
  task.completion.model = problem.settings.kind;
  task.file.range = text_of(ValueRange{bounds.low, bounds.high});
  task.privacy.epsilon = epsilon;
  task.privacy.insecure_seed = static_cast<std::int64_t>(seed);
  return task;
}

CompletionResult run_on(ObservedEntries entries, const CompleteTask& task) {
  return run(Sensitive<Ratings>(unlabelled(std::move(entries))), task);
}

double mean_of_training(const CompletionProblem& problem) {
  double sum = 0;
  for (const double x : problem.train.value) sum += x;
  return sum / static_cast<double>(problem.train.size());
}

double error_of_constant(const CompletionProblem& problem, double value) {
  return root_mean_square_error(problem.test,
                                std::vector<double>(problem.test.value.size(), value));
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
  CompleteTask task = private_task(problem, bounds_of(train), run.epsilon, seed);
  task.completion.method = CompletionMethod::sgd;
  task.completion.lambda = {problem.settings.lambda};
  task.completion.core_lambda = problem.settings.core_lambda;
  task.completion.step = problem.settings.step;
  task.completion.epochs = problem.settings.epochs;
  task.completion.seed = static_cast<std::int64_t>(seed);
  task.privacy.as_published = true;
  task.privacy.perturb = run.perturbed;
  task.privacy.clip = run.clip;
  const CompletionResult result = run_on(std::move(train), task);
  if (result.status == FitStatus::diverged) return std::numeric_limits<double>::quiet_NaN();
  return error_of(problem, result.model, scaling);
}

double exact_completion_error(const CompletionProblem& problem, std::uint64_t seed) {
  // Practically no noise: the noise of the output is proportional to clip / epsilon.
  return published_completion_error(problem, {Perturbation::output, 500, kSmallClip / 20}, seed);
}

double strict_completion_error(const CompletionProblem& problem, double epsilon,
                               std::uint64_t seed) {
  const CompleteTask task = private_task(problem, bounds_of(problem.train), epsilon, seed);
  return error_of(problem, run_on(problem.train, task).model, {});
}

double mean_completion_error(const CompletionProblem& problem) {
  return error_of_constant(problem, mean_of_training(problem));
}

double private_mean_completion_error(const CompletionProblem& problem, double epsilon,
                                     std::uint64_t seed) {
  const ValueBounds bounds = bounds_of(problem.train);
  SeededRandom random(seed, kMeanStream);
  const double size = -std::log(1 - random.uniform()), sign = random.uniform() < 0.5 ? -1 : 1;
  const double scale = bounds.width() / (epsilon * static_cast<double>(problem.train.size()));
  return error_of_constant(problem, std::clamp(mean_of_training(problem) + sign * size * scale,
                                               bounds.low, bounds.high));
}

const std::vector<std::string>& completion_measures() {
  static const std::vector<std::string> names = {"baseline",       "input",        "gradient_small",
                                                 "gradient_large", "output_small", "output_large",
                                                 "strict",         "mean",         "private_mean"};
  return names;
}

std::vector<double> completion_errors(const CompletionProblem& problem, double epsilon,
                                      std::uint64_t seed) {
  const auto published = [&](Perturbation where, double clip) {
    return published_completion_error(problem, {where, epsilon, clip}, seed);
  };
  return {exact_completion_error(problem, seed),
          published(Perturbation::input, kLargeClip),
          published(Perturbation::gradient, kSmallClip),
          published(Perturbation::gradient, kLargeClip),
          published(Perturbation::output, kSmallClip),
          published(Perturbation::output, kLargeClip),
          strict_completion_error(problem, epsilon, seed),
          mean_completion_error(problem),
          private_mean_completion_error(problem, epsilon, seed)};
}

}  // namespace sotto
