// The ways to a private model of ratings, unit rating: which one a task takes, what it releases,
// and how it learns. One of them is chosen by options and public numbers; the run and the plan that
// announces it are made of the same one.
#pragma once

#include <variant>

#include "sotto/base/progress.h"
#include "sotto/complete/private/als.h"
#include "sotto/complete/private/noisy_ratings.h"
#include "sotto/complete/private/published.h"
#include "sotto/complete/private/sgd.h"
#include "sotto/complete/private/sums.h"
#include "sotto/release/plan.h"
#include "sotto/release/private_run.h"
#include "sotto/tasks/complete.h"

namespace sotto {

struct SumsWay {
  RatingPlan settings;
  PrivateSumsPlan parts;
};
struct AlsWay {
  RatingPlan settings;
  PrivateAlsPlan parts;
};
struct GradientWay {
  GradientPlan parts;
};
// Noise on every rating; then a posterior, with the sum of all ratings, or the solver of the
// options.
struct EntriesWay {
  RatingPlan settings;
  NoisyRatingsPlan parts;
};
struct InputWay {
  RatingPlan settings;
};
struct PublishedWay {
  RatingPlan settings;
  PublishedSettings how;
  Perturbation where;
};
using RatingWay = std::variant<SumsWay, AlsWay, GradientWay, EntriesWay, InputWay, PublishedWay>;

RatingWay chosen_way(const CompleteTask& task, const RatingShape& shape);

Plan plan_by(const RatingWay& way, const CompleteTask& task, const RatingShape& shape);

struct PrivateFit {
  CompletionModel model;
  FitStatus status = FitStatus::completed;
};

// Positions are public; the values in them are not looked at.
struct RatedPositions {
  const ObservedEntries& positions;
  RatingValues values;
};

PrivateFit fit_by(const RatingWay& way, const CompleteTask& task, RatedPositions ratings,
                  PrivateRun& run, const ProgressCallback& progress);

}  // namespace sotto
