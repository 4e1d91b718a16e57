#include "sotto/tasks/rating_ways.h"

#include <fmt/format.h>

#include <utility>

namespace sotto {
namespace {

// A mechanism that is made of noisy sums: which noise, and for how many numbers.
template <class Parts>
RatingPlan for_sums(RatingPlan settings, const Parts& parts) {
  settings.noise = choose_noise(settings.target, parts.parts());
  settings.values = parts.values;
  return settings;
}

PublishedSettings published_settings(const CompleteTask& task) {
  const CompletionOptions& options = task.completion;
  PublishedSettings settings = published_defaults(options.model);
  settings.rank = options.rank;
  if (!options.lambda.empty()) settings.lambda = options.lambda[0];
  settings.core_lambda = options.core_lambda.value_or(settings.core_lambda);
  settings.step = options.step.value_or(settings.step);
  settings.epochs = options.epochs.value_or(settings.epochs);
  settings.clip = task.privacy.clip;
  settings.seed = static_cast<std::uint64_t>(options.seed);
  return settings;
}

Plan plan_with(PrivacyStatement statement, const PrivacyTarget& target, std::string method,
               std::vector<PlannedRelease> releases) {
  Plan plan;
  plan.statement = std::move(statement);
  plan.target = target;
  plan.method = std::move(method);
  plan.releases = std::move(releases);
  plan.unread = "the values of the ratings were not read";
  return plan;
}

Plan rating_plan(const RatingPlan& settings, std::string method,
                 std::vector<PlannedRelease> releases) {
  return plan_with(rating_statement(settings), settings.target, std::move(method),
                   std::move(releases));
}

// What each way releases.
struct PlanMaker {
  const CompleteTask& task;
  const RatingShape& shape;

  Plan operator()(const SumsWay& way) const {
    Plan plan = rating_plan(way.settings, "noisy sums of ratings",
                            planned_releases(way.parts, way.settings, shape));
    plan.forecasts = {error_forecast(way.parts, way.settings, shape)};
    return plan;
  }
  Plan operator()(const AlsWay& way) const {
    return rating_plan(way.settings, "alternating least squares on noisy right-hand sides",
                       planned_releases(way.parts, way.settings, shape));
  }
  Plan operator()(const GradientWay& way) const {
    return plan_with(gradient_statement(way.parts), way.parts.target,
                     "noisy gradients over samples of ratings", {planned_gradients(way.parts)});
  }
  Plan operator()(const EntriesWay& way) const {
    return rating_plan(way.settings, "the posterior of a low-rank model of noisy ratings",
                       planned_releases(way.parts, way.settings, shape));
  }
  Plan operator()(const InputWay& way) const {
    return rating_plan(way.settings,
                       fmt::format("{} on noisy ratings", name_of(chosen_method(task.completion))),
                       {planned_values(way.settings, false)});
  }
  Plan operator()(const PublishedWay& way) const {
    Plan plan =
        rating_plan(way.settings, fmt::format("{} perturbation as published", name_of(way.where)),
                    {planned_release(way.how, way.where, way.settings, shape)});
    plan.statement.claimed = published_claim(way.settings.target.epsilon);
    return plan;
  }
};

// How each way learns.
struct Fitter {
  const CompleteTask& task;
  const ObservedEntries& positions;
  RatingValues& values;
  PrivateRun& run;
  const ProgressCallback& progress;

  PrivateFit operator()(const SumsWay& way) const {
    RatingSums sums(std::move(values), way.settings, run);
    return {
        fit_private_sums(positions, way.parts, task.completion.model, task.completion.rank, sums)
            .model};
  }
  PrivateFit operator()(const AlsWay& way) const {
    RatingSums sums(std::move(values), way.settings, run);
    return {
        fit_private_als(positions, way.parts, task.completion.model, task.completion.rank, sums)};
  }
  PrivateFit operator()(const GradientWay& way) const {
    RatingGradients gradients(std::move(values), way.parts, run);
    return {fit_private_sgd(positions, way.parts, task.completion.rank,
                            static_cast<std::uint64_t>(task.completion.seed), gradients)};
  }
  PrivateFit operator()(const EntriesWay& way) const {
    RatingSums sums(std::move(values), way.settings, run);
    return {fit_noisy_ratings(positions, release_noisy_ratings(way.parts, sums),
                              way.settings.bounds, task.completion.model, task.completion.rank)};
  }
  PrivateFit operator()(const InputWay& way) const {
    ObservedEntries noisy = positions;
    noisy.value = release_values(std::move(values), way.settings, false, run).value();
    const ValueBounds& bounds = way.settings.bounds;
    CompletionFit fit =
        fit_completion(noisy, task.completion, std::pair(bounds.low, bounds.high), progress);
    return {std::move(fit.model), fit.status};
  }
  PrivateFit operator()(const PublishedWay& way) const {
    PublishedFit fit =
        fit_published(positions, std::move(values), way.settings, way.where, way.how, run);
    return {std::move(fit.model), fit.status};
  }
};

}  // namespace

RatingWay chosen_way(const CompleteTask& task, const RatingShape& shape) {
  const RatingPrivacyOptions& privacy = task.privacy;
  const double epsilon = *privacy.epsilon;
  const Index rank = task.completion.rank;
  RatingPlan settings{privacy.target(), task.bounds()};
  settings.ratings = shape.ratings;
  if (privacy.as_published) {
    return PublishedWay{settings, published_settings(task), privacy.perturb};
  }
  if (privacy.perturb == Perturbation::input) return InputWay{settings};
  if (privacy.mechanism == RatingMechanism::sgd) {
    return GradientWay{plan_private_sgd(shape, settings.target, settings.bounds, rank)};
  }
  const bool chooses = privacy.mechanism == RatingMechanism::automatic;
  if (privacy.mechanism == RatingMechanism::entries ||
      (chooses && prefers_noisy_ratings(shape, epsilon))) {
    const NoisyRatingsPlan parts = plan_noisy_ratings(shape, epsilon);
    settings.values = parts.values;
    return EntriesWay{settings, parts};
  }
  if (privacy.mechanism == RatingMechanism::als) {
    const PrivateAlsPlan parts = plan_private_als(shape, epsilon, rank);
    return AlsWay{for_sums(settings, parts), parts};
  }
  const PrivateSumsPlan parts = plan_private_sums(shape, epsilon, rank);
  return SumsWay{for_sums(settings, parts), parts};
}

Plan plan_by(const RatingWay& way, const CompleteTask& task, const RatingShape& shape) {
  return std::visit(PlanMaker{task, shape}, way);
}

PrivateFit fit_by(const RatingWay& way, const CompleteTask& task, RatedPositions ratings,
                  PrivateRun& run, const ProgressCallback& progress) {
  return std::visit(Fitter{task, ratings.positions, ratings.values, run, progress}, way);
}

}  // namespace sotto
