// A mixture of Gaussians, and the kinds of covariances that its components have.
#pragma once

#include <array>

#include "sotto/base/enum_names.h"
#include "sotto/base/export.h"
#include "sotto/linalg/matrix.h"

namespace SOTTO_API sotto {

// One variance for all components, or for each component: a variance, a variance of each
// coordinate, a matrix.
enum class CovarianceKind { common, spherical, diagonal, full };
constexpr auto enum_names(CovarianceKind) {
  return std::to_array<EnumName<CovarianceKind>>({{CovarianceKind::common, "common"},
                                                  {CovarianceKind::spherical, "spherical"},
                                                  {CovarianceKind::diagonal, "diagonal"},
                                                  {CovarianceKind::full, "full"}});
}

// Numbers in one covariance of dimension d as it is stored.
constexpr Index covariance_size(CovarianceKind kind, Index d) {
  return kind == CovarianceKind::full ? d * d : kind == CovarianceKind::diagonal ? d : 1;
}

struct GaussianMixture {
  Matrix means;  // d x k
  Vector weights;
  double variance = 0;  // common: s^2, of one coordinate
  CovarianceKind kind = CovarianceKind::common;
  Matrix covariances = {};  // not common: covariance_size x k, one column a component

  Index dim() const { return means.rows(); }
  Index components() const { return means.cols(); }
};

}  // namespace sotto
