#include "sotto/privacy/subsampled_gaussian.h"

#include <algorithm>
#include <utility>

#include "sotto/base/error.h"

namespace sotto {

SubsampledGaussianMechanism::SubsampledGaussianMechanism(GaussianMechanism step,
                                                         double sampling_rate,
                                                         std::int64_t population)
    : step_(std::move(step)),
      sampler_(sampling_rate),
      population_(population),
      record_(step_.record()) {
  SOTTO_REQUIRE(population >= 1, "the population must be positive, got {}", population);
  const double mu = std::get<GaussianCost>(record_.cost).mu;
  record_.mechanism = "subsampled gaussian";
  record_.cost =
      SubsampledGaussianCost{1 / (mu * kRoundUp), std::min(1.0, sampling_rate * kRoundUp)};
  // One geometric gap is drawn for each sampled record, and one more.
  const double gaps = static_cast<double>(population) + 1;
  record_.precision.epsilon += 2 * gaps * IntegerZiggurat::kRelativeError;
  record_.precision.delta = std::min(1.0, record_.precision.delta + gaps * 1e-303);
  record_.note = fmt::format("Poisson sample, rate {}", sampling_rate);
}

std::vector<std::size_t> SubsampledGaussianMechanism::sample(std::int64_t records,
                                                             NoiseStream stream) const {
  SOTTO_REQUIRE(records >= 0 && records <= population_,
                "there are more records than the population of {} that was declared", population_);
  return sampler_.sample(stream, static_cast<std::size_t>(records));
}

}  // namespace sotto
