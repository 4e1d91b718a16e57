// The Poisson-subsampled Gaussian mechanism: each record enters a step independently with a fixed
// rate, and the sum over those that entered is released with Gaussian noise.
//
// Neighbours add or remove one record. Cost for the accountant: noise multiplier and rate (Balle,
// Barthe & Gaboardi 2018; Zhu, Dong & Wang 2022). The sample must stay secret. Proof:
// subsampled_gaussian.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sotto/privacy/gaussian.h"
#include "sotto/privacy/release_record.h"
#include "sotto/privacy/samplers.h"
#include "sotto/privacy/secure_stream.h"

namespace sotto {

class SubsampledGaussianMechanism {
 public:
  // `step` releases the sum over one sample; its sensitivity is that of adding or removing one
  // record of the sample. `population` is a public bound on the number of records.
  SubsampledGaussianMechanism(GaussianMechanism step, double sampling_rate,
                              std::int64_t population);

  Cost cost() const { return record_.cost; }
  const ReleaseRecord& record() const { return record_; }

  // Which of `records` enter this step. Secret, to be forgotten after it.
  std::vector<std::size_t> sample(std::int64_t records, NoiseStream stream) const;

  // The sum over the sample, with noise.
  template <NumberBlock Block>
  Block release(Block sum, NoiseStream stream) const {
    return step_.release(std::move(sum), std::move(stream));
  }
  double variance() const { return step_.variance(); }

 private:
  GaussianMechanism step_;
  PoissonSampler sampler_;
  std::int64_t population_;
  ReleaseRecord record_;
};

}  // namespace sotto
