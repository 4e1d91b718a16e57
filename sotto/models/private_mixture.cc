#include "sotto/models/private_mixture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sotto/base/error.h"
#include "sotto/models/least_epsilon.h"
#include "sotto/models/private_components.h"

namespace sotto {
namespace {

double reach_of(const MixtureSpectrum& spectrum, const MixtureTuning& tuning) {
  const auto q = static_cast<double>(spectrum.values.size());
  return tuning.reach * std::sqrt(q + spectrum.variance * spectrum.values.cwiseInverse().sum());
}

ContributionClip clip_of(const GaussianMixture& mixture, const MixtureTuning& tuning) {
  const double offset =
      std::sqrt(mixture.variance) * (std::sqrt(static_cast<double>(mixture.dim())) + tuning.tail);
  const double scale = tuning.count_share * offset;
  return {scale, std::hypot(offset, scale)};
}

std::vector<double> step_shares(std::int64_t steps, const MixtureTuning& tuning) {
  std::vector<double> shares(static_cast<std::size_t>(steps));
  double total = 0;
  for (std::size_t step = 0; step < shares.size(); ++step) {
    const double way = steps > 1 ? static_cast<double>(step) / static_cast<double>(steps - 1) : 0;
    total += shares[step] = std::pow(tuning.growth, way);
  }
  for (double& share : shares) share *= tuning.refine_share / total;
  return shares;
}

constexpr const char* kOfItsClip = "of its clip";

// `sensitivity` is that of the sum over the records, in units of `noise_unit`.
// As maximise(), for counts that noise may have made small or negative. The variance does not
// change.
GaussianMixture noisy_maximise(const GaussianMixture& mixture, const MixtureSums& sums) {
  GaussianMixture next = mixture;
  const double least = 0.1 / static_cast<double>(mixture.components());
  for (Index i = 0; i < mixture.components(); ++i) {
    // Noise divided by a small count must not throw a mean far off.
    next.means.col(i) += sums.offsets.col(i) / std::max(sums.counts[i], least * mixture.weights[i]);
  }
  next.weights = sums.counts.cwiseMax(least * mixture.weights);
  next.weights /= next.weights.sum();
  return next;
}

// Scales the shares to one, and sets what every release costs and its noise.
void set_costs(PrivateMixturePlan& plan) {
  double total = 0;
  std::int64_t values = 0;
  for (const MixtureRelease& release : plan.releases) {
    total += release.planned.share;
    values += release.planned.values;
  }
  const double mu = affordable_mu(target_of_moments(plan.target, plan.norm), 1, values);
  for (MixtureRelease& release : plan.releases) {
    release.planned.share /= total;
    // Slightly less, to allow for rounding in the shares.
    release.mu = mu * std::sqrt(release.planned.share) * (1 - 0x1p-40);
    *release.planned.noise /= release.mu * static_cast<double>(*plan.shape.records);
  }
}

}  // namespace

MixtureRelease mixture_release(const std::string& what, std::int64_t values, double share,
                               double sensitivity, const std::string& noise_unit) {
  MixtureRelease release;
  release.planned.what = what;
  release.planned.mechanism = "gaussian";
  release.planned.values = values;
  release.planned.share = share;
  release.planned.noise = sensitivity;
  release.planned.noise_unit = noise_unit;
  return release;
}

void draw_means_into_ball(GaussianMixture& mixture, double radius) {
  for (Index i = 0; i < mixture.components(); ++i) {
    const double norm = mixture.means.col(i).norm();
    if (norm > radius) mixture.means.col(i) *= radius / norm;
  }
}

PrivateMixturePlan plan_private_mixture(const PublicPointShape& shape, const RecordNorm& norm,
                                        const PrivacyTarget& target, const MixtureOptions& options,
                                        const MixtureTuning& tuning) {
  require_points(shape, norm);
  options.check(shape.dim, shape.records);
  const Index d = shape.dim, k = options.components, q = k - 1;
  const bool from_moments = starts_from_moments(options, d);
  PrivateMixturePlan plan{
      shape,
      norm,
      target,
      k,
      from_moments ? options.private_steps() : options.private_component_steps(),
      tuning,
      {},
      from_moments,
      options.covariance};
  auto& list = plan.releases;
  if (!from_moments) {
    list = component_releases(d, options);
    set_costs(plan);
    return plan;
  }
  list.push_back(mixture_release(kPointMeanRelease, d, tuning.mean_share, 2, "max-norm"));
  list.push_back(mixture_release(kPointSecondRelease, d * (d + 1) / 2, tuning.second_share,
                                 std::sqrt(2.0), "max-norm^2"));
  if (k > 1) {
    list.push_back(mixture_release(point_third_release(q), q * (q + 1) * (q + 2) / 6,
                                   tuning.third_share, 2, kOfItsClip));
  }
  for (const double share : step_shares(plan.steps, tuning)) {
    list.push_back(mixture_release(kPointExpectationRelease, k * (d + 1), share, 2, kOfItsClip));
  }
  set_costs(plan);
  return plan;
}

Plan run_plan(const PrivateMixturePlan& plan) {
  Plan whole;
  const Index records = *plan.shape.records;
  whole.statement = point_statement(records, plan.shape.dim, plan.norm, plan.target.delta);
  whole.target = plan.target;
  whole.method = plan.from_moments
                     ? "noise on the moments and on every expectation step"
                     : "noise on every expectation step, from a density of the points with noise";
  whole.settings = {{"components", plan.components},
                    {"covariance", std::string(name_of(plan.covariance))},
                    {"refine", plan.steps},
                    {"records", records},
                    {"dim", plan.shape.dim}};
  double left = 1;
  if (const auto bound = planned_norm_bound(records, plan.norm, plan.target)) {
    whole.releases.push_back(*bound);
    left -= bound->share;
  }
  for (const MixtureRelease& release : plan.releases) {
    whole.releases.push_back(release.planned);
    whole.releases.back().share *= left;
  }
  whole.held_by_budget = true;
  whole.pure_epsilon = norm_epsilon(plan.target, plan.norm);
  return whole;
}

std::optional<MixtureForecast> forecast_mixture(const PrivateMixturePlan& plan) {
  if (plan.steps == 0) return {};
  const auto d = static_cast<double>(plan.shape.dim), k = static_cast<double>(plan.components);
  const auto n = static_cast<double>(*plan.shape.records);
  // The last step decides: its sums, divided by the share 1/k of a component.
  const double of_clip = k * *plan.releases.back().planned.noise;
  const auto with = [&](double noise, double of_variances) {
    return MixtureForecast{std::sqrt(d * (noise * noise + k / n)),
                           d * noise * noise / 2 + of_variances};
  };
  if (plan.from_moments) {
    GaussianMixture unit;
    unit.means = Matrix::Zero(plan.shape.dim, 1);
    unit.variance = 1;
    return with(of_clip * clip_of(unit, plan.tuning).norm, 0);
  }
  const ComponentClip clip = component_clip(plan.covariance, plan.shape.dim).clip;
  const double noise = of_clip * clip.norm, second = noise / clip.second_scale;
  // The loss by a small error E of a covariance of one is |E|^2/4, in Frobenius norm: of S = z z^T,
  // whose entries off the diagonal have half the variance; of z_j^2; of |z|^2 / sqrt(d).
  const double numbers = plan.covariance == CovarianceKind::full       ? d * (d + 1) / 2
                         : plan.covariance == CovarianceKind::diagonal ? d
                         : plan.covariance == CovarianceKind::common   ? 1 / k
                                                                       : 1;
  return with(noise, second * second * numbers / 4);
}

double expected_mixture_epsilon(const PublicPointShape& shape, const RecordNorm& norm,
                                const PrivacyTarget& target, const MixtureOptions& options) {
  constexpr double kMostLoss = 0.05;  // twice as much for components of unequal weight
  return least_epsilon([&](double epsilon) {
    const auto at =
        forecast_mixture(plan_private_mixture(shape, norm, {epsilon, target.delta}, options));
    return !at || at->loss <= kMostLoss;
  });
}

PrivateMixtureFit fit_private_mixture(PrivatePoints& points, const PrivateMixturePlan& plan,
                                      const MixtureOptions& options,
                                      const ProgressCallback& progress) {
  const Index k = options.components;
  options.check(points.dim(), points.records());
  if (!plan.from_moments) return fit_private_components(points, plan, options, progress);
  auto next = plan.releases.begin();
  const Vector mean = points.mean((next++)->mu).value().value;
  const Noisy<Matrix> second = points.second_moment((next++)->mu).value();
  MixtureSpectrum spectrum = mixture_spectrum(mean, second.value - mean * mean.transpose(), k,
                                              {points.records(), second.deviation});
  // A variance below the noise of its own estimate is not known.
  spectrum.variance = std::max(spectrum.variance, second.deviation);
  std::optional<SymmetricTensor> third;
  if (k > 1) {
    third =
        points.third_moment(mean, spectrum.whiten(), reach_of(spectrum, plan.tuning), (next++)->mu)
            .value()
            .value;
  }
  const Decomposition components = decompose_mixture(third, options, progress);
  PrivateMixtureFit fit{recover_mixture(spectrum, components), spectrum.rank, components.status};
  draw_means_into_ball(fit.mixture, points.max_norm());
  for (; fit.status != Status::stopped && next != plan.releases.end(); ++next) {
    if (!report_progress(progress, {"refinement", next - plan.releases.begin(),
                                    static_cast<std::int64_t>(plan.releases.size())})) {
      fit.status = Status::stopped;
      break;
    }
    const MixtureSums sums =
        points.expectation(fit.mixture, clip_of(fit.mixture, plan.tuning), next->mu).value();
    fit.mixture = noisy_maximise(fit.mixture, sums);
    draw_means_into_ball(fit.mixture, points.max_norm());
  }
  sort_by_weight(fit.mixture);
  return fit;
}

}  // namespace sotto
