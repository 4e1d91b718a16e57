#include "sotto/complete/private/published.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/complete/kernels/blocks.h"
#include "sotto/privacy/samplers.h"
#include "sotto/privacy/vector.h"
#include "sotto/release/unproved_values.h"

namespace sotto {
namespace {

constexpr std::uint64_t kOrderStream = 47;

// Changes the gradient of a row of the third mode before the step is taken.
using GradientHook = std::function<void(Vector&)>;

// One entry: the prediction and its slopes, by definition.
struct Entry {
  std::array<Vector, 3> row, slope;
  double value = 0;

  Entry(const CompletionModel& model, const ObservedEntries& positions, Index e) {
    for (std::size_t m = 0; m < 3; ++m) {
      const auto r = positions.row(static_cast<Index>(m), e);
      row[m] = model.factors[m].row(r).head(model.rank);
    }
    if (model.kind == LowRank::cp) {
      for (std::size_t m = 0; m < 3; ++m) {
        slope[m] = row[(m + 1) % 3].cwiseProduct(row[(m + 2) % 3]);
      }
    } else {
      contract(model);
    }
    value = slope[0].dot(row[0]);
  }

 private:
  void contract(const CompletionModel& model) {
    for (Vector& s : slope) s = Vector::Zero(model.rank);
    for (Index p = 0; p < model.rank; ++p) {
      for (Index q = 0; q < model.rank; ++q) {
        const auto g = model.core.row(p * model.rank + q).head(model.rank);
        const double along = g.dot(row[2]);
        slope[0][p] += along * row[1][q];
        slope[1][q] += along * row[0][p];
        slope[2] += (row[0][p] * row[1][q]) * g.transpose();
      }
    }
  }
};

void step_core(CompletionModel& model, const Entry& entry, double error,
               const PublishedSettings& settings) {
  const double keep = 1 - 2 * settings.step * settings.core_lambda;
  const double gain = 2 * settings.step * error;
  for (Index p = 0; p < model.rank; ++p) {
    for (Index q = 0; q < model.rank; ++q) {
      auto g = model.core.row(p * model.rank + q).head(model.rank);
      g = keep * g + (gain * entry.row[0][p] * entry.row[1][q]) * entry.row[2].transpose();
    }
  }
}

void step(CompletionModel& model, const ObservedEntries& positions, Index e, double value,
          const PublishedSettings& settings, const GradientHook& hook) {
  const Entry entry(model, positions, e);
  const double error = value - entry.value;
  for (std::size_t m = 0; m < 3; ++m) {
    if (model.holds(static_cast<Index>(m))) continue;
    Vector gradient = -2 * error * entry.slope[m] + 2 * settings.lambda * entry.row[m];
    if (m == 2 && hook) hook(gradient);
    model.factors[m].row(positions.row(static_cast<Index>(m), e)).head(model.rank) -=
        settings.step * gradient.transpose();
  }
  if (model.kind == LowRank::tucker) step_core(model, entry, error, settings);
}

// Rows whose products vary around the middle of [0, 1].
CompletionModel first_model(const ObservedEntries& positions, const PublishedSettings& settings) {
  Start start;
  const double level = std::cbrt(0.5 / static_cast<double>(settings.rank));
  start.centre.assign(3, level);
  start.spread = 0.1;
  start.seed = settings.seed;
  return start_model(settings.kind, settings.rank, positions.dims, start);
}

void descend(CompletionModel& model, const ObservedEntries& positions,
             const std::vector<double>& values, const PublishedSettings& settings,
             const GradientHook& hook) {
  std::vector<std::int32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  for (Index epoch = 0; epoch < settings.epochs; ++epoch) {
    SeededRandom random(settings.seed, kOrderStream + static_cast<std::uint64_t>(epoch));
    shuffle(std::span(order), random);
    for (const std::int32_t e : order) {
      step(model, positions, e, values[static_cast<std::size_t>(e)], settings, hook);
    }
  }
}

// Vectors of density ~ exp(-beta |n|), thousands at a time: sqrt(2 Gamma((d+1)/2)) / beta times a
// standard normal vector (privacy/vector.md). They are drawn in real arithmetic. VectorMechanism
// would lay out a new grid for each vector, an epoch draws as many vectors as there are entries,
// and no grid could prove what Algorithm 2 claims.
class VectorNoise {
 public:
  VectorNoise(double beta, Index dimension, PrivateRun& run)
      : beta_(beta), normal_(dimension, kBlock), radius_(kBlock), run_(run) {}

  auto next() {
    if (used_ == kBlock) refill();
    const Index i = used_++;
    return radius_[i] * normal_.col(i);
  }

 private:
  static constexpr Index kBlock = 4096;

  void refill() {
    fill_gaussian(run_.noise_without_proof(), 1,
                  {normal_.data(), static_cast<std::size_t>(normal_.size())});
    const NoiseStream stream = run_.noise_without_proof();
    WordSource words(stream, 0);
    for (double& r : radius_) r = std::sqrt(2 * gamma_of_half(normal_.rows() + 1, words)) / beta_;
    used_ = 0;
  }

  double beta_;
  Matrix normal_;
  Vector radius_;
  PrivateRun& run_;
  Index used_ = kBlock;
};

VectorMechanism gradient_mechanism(const PublishedSettings& settings, double epsilon) {
  return VectorMechanism("gradient of a row of the third mode, at every step", 2 * settings.clip,
                         epsilon / (2 * settings.clip), settings.rank);
}

VectorMechanism output_mechanism(const PublishedSettings& settings, double epsilon) {
  const double reach = 2 * static_cast<double>(settings.epochs) * settings.clip * settings.step;
  return VectorMechanism("row of the factor of the third mode", reach, epsilon / reach,
                         settings.rank);
}

// Algorithm 2: the gradient clipped to m, with noise of density ~ exp(-epsilon |n| / 2m).
void descend_with_noise(CompletionModel& model, const ObservedEntries& positions,
                        const std::vector<double>& values, const PublishedSettings& settings,
                        double epsilon, PrivateRun& run) {
  const PlannedReleases steps(run, gradient_mechanism(settings, epsilon).record(),
                              settings.epochs * positions.size());
  VectorNoise noise(epsilon / (2 * settings.clip), settings.rank, run);
  descend(model, positions, values, settings, [&](Vector& gradient) {
    gradient /= std::max(1.0, gradient.norm() / settings.clip);
    gradient += noise.next();
  });
}

// Algorithm 3: noise of density ~ exp(-epsilon |n| / (2 epochs L step)) on each row of the third.
void add_output_noise(CompletionModel& model, const PublishedSettings& settings, double epsilon,
                      PrivateRun& run) {
  const VectorMechanism mechanism = output_mechanism(settings, epsilon);
  FactorRows& rows = model.factors[2];
  PlannedReleases releases(run, mechanism.record(), rows.rows());
  for (Index k = 0; k < rows.rows(); ++k) {
    const Vector exact = rows.row(k).head(settings.rank);
    rows.row(k).head(settings.rank) = releases.publish(mechanism, exact).value().value.transpose();
  }
}

// Why Algorithms 2 and 3 guarantee nothing (docs/published-claims.md).
const char* fault_of(Perturbation where) {
  return where == Perturbation::gradient
             ? "the factors of the first two modes, and a core, follow the ratings without noise; "
               "and one epsilon is claimed for all steps as if the noise were drawn once, at the "
               "optimum"
             : "the sensitivity is one of convex objectives, and this one is not convex; and the "
               "factors of the first two modes, and a core, are released without noise";
}

void require_published(Perturbation where, Index order) {
  SOTTO_REQUIRE(where == Perturbation::input || where == Perturbation::gradient ||
                    where == Perturbation::output,
                "'{}' is no published perturbation", name_of(where));
  SOTTO_REQUIRE(order == 3, "the published methods take tensors of order 3, got {}", order);
}

// From [0, 1] back to the range of the values.
void restore_scale(CompletionModel& model, const ValueBounds& bounds) {
  if (model.kind == LowRank::cp) {
    model.factors[0] *= bounds.width();
  } else {
    model.core *= bounds.width();
  }
  model.biases.mean = bounds.low;
  model.unknown_value = bounds.middle();
  model.range = std::pair(bounds.low, bounds.high);
}

}  // namespace

PublishedSettings published_defaults(LowRank kind) {
  PublishedSettings settings;
  settings.kind = kind;
  if (kind == LowRank::tucker) settings.step = 0.003;
  return settings;
}

PrivacyClaim published_claim(double epsilon) { return {epsilon, 0}; }

PlannedRelease planned_release(const PublishedSettings& settings, Perturbation where,
                               const RatingPlan& plan, const RatingShape& shape) {
  require_published(where, std::ssize(shape.dims));
  const double epsilon = plan.target.epsilon;
  if (where == Perturbation::gradient) {
    return planned(gradient_mechanism(settings, epsilon).record(), 1,
                   settings.epochs * shape.ratings);
  }
  if (where == Perturbation::output) {
    return planned(output_mechanism(settings, epsilon).record(), 1, shape.dims[2]);
  }
  return planned_values(plan, true);
}

PublishedFit fit_published(const ObservedEntries& positions, RatingValues values,
                           const RatingPlan& plan, Perturbation where,
                           const PublishedSettings& settings, PrivateRun& run) {
  require_published(where, positions.order());
  std::vector<double> seen =
      where == Perturbation::input
          ? release_values(std::move(values), plan, true, run).value()
          : values_without_guarantee(std::move(values), plan.bounds, fault_of(where), run);
  SOTTO_REQUIRE(std::ssize(seen) == positions.size(), "one value a position is needed");
  for (double& x : seen) x = (x - plan.bounds.low) / plan.bounds.width();
  PublishedFit fit{first_model(positions, settings)};
  const double epsilon = plan.target.epsilon;
  if (where == Perturbation::gradient) {
    descend_with_noise(fit.model, positions, seen, settings, epsilon, run);
  } else {
    descend(fit.model, positions, seen, settings, {});
  }
  const auto is_finite = [](const FactorRows& factor) { return factor.allFinite(); };
  if (!std::all_of(fit.model.factors.begin(), fit.model.factors.end(), is_finite)) {
    fit.status = FitStatus::diverged;
    return fit;
  }
  if (where == Perturbation::output) add_output_noise(fit.model, settings, epsilon, run);
  restore_scale(fit.model, plan.bounds);
  return fit;
}

}  // namespace sotto
