// The options of the fit of a Gaussian mixture.
#pragma once

#include <cstdint>
#include <optional>

#include "sotto/base/export.h"
#include "sotto/base/options.h"
#include "sotto/linalg/matrix.h"
#include "sotto/moments/gaussian_mixture.h"

namespace SOTTO_API sotto {

// Every step finds the eigenpairs of each covariance matrix.
inline constexpr Index kMostFullDimensions = 1024;

struct MixtureOptions {
  std::int64_t components = 0;
  CovarianceKind covariance = CovarianceKind::common;
  std::optional<std::int64_t> refine;  // expectation-maximisation steps
  std::int64_t starts = 32;
  std::int64_t iterations = 100;
  std::int64_t seed = 0;

  OptionTable table();
  std::int64_t steps() const { return refine.value_or(5); }
  std::int64_t private_steps() const { return refine.value_or(2); }  // each is a release
  // The same where moments do not give the start.
  std::int64_t component_steps() const { return refine.value_or(200); }  // at most
  std::int64_t private_component_steps() const { return refine.value_or(4); }
  // Refuses too many dimensions for the covariances and, where their number is known, too few
  // points.
  void check(Index dim, std::optional<Index> records) const;
};

}  // namespace sotto
