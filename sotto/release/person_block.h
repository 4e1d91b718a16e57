// Blocks to which every person contributes a norm of at most one, rounded to whole units: their
// sensitivity, and how they are published. Proof: private_people.md.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/linalg/matrix.h"
#include "sotto/moments/sum_over_people.h"
#include "sotto/privacy/gaussian.h"
#include "sotto/release/calibration.h"
#include "sotto/release/private_people.h"
#include "sotto/release/private_run.h"
#include "sotto/release/rounding.h"

namespace sotto {

// private_people.md, 2: what is given may be this large.
inline constexpr double kLargestGiven = 1e30;

inline double person_sensitivity(double numbers) {
  return kSafeLong + std::sqrt(numbers) * kPersonUnit / 2;
}

inline void require_person_numbers(Index numbers) {
  SOTTO_REQUIRE(numbers >= 1 && numbers <= kMostPersonNumbers,
                "a release of people has at most {} numbers, this one would have {}",
                kMostPersonNumbers, numbers);
}

template <class Given>
void require_moderate(const Given& given, double least) {
  SOTTO_REQUIRE(given.size() > 0 && given.allFinite() && given.minCoeff() >= least &&
                    given.maxCoeff() <= kLargestGiven,
                "what a release is asked for must lie between {} and {}", least, kLargestGiven);
}

template <class Block>
Released<Noisy<Block>> publish_person_block(PrivateRun& run, const char* what, double mu,
                                            Block sums) {
  const auto count = static_cast<std::int64_t>(sums.size());
  const auto numbers = static_cast<double>(count);
  const double sensitivity = person_sensitivity(numbers);
  const GaussianMechanism mechanism(what, sensitivity,
                                    deviation_for({sensitivity, std::sqrt(numbers)}, mu), count);
  return run.publish(mechanism, std::move(sums));
}

// A symmetric matrix, with isometric noise.
Released<Noisy<Matrix>> publish_person_matrix(PrivateRun& run, const char* what, double mu,
                                              const Matrix& sums);

}  // namespace sotto
