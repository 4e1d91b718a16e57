// A mixture of Gaussians with one spherical variance.
#pragma once

#include "sotto/base/export.h"
#include "sotto/linalg/matrix.h"

namespace SOTTO_API sotto {

struct GaussianMixture {
  Matrix means;  // d x k
  Vector weights;
  double variance = 0;  // s^2, of one coordinate

  Index dim() const { return means.rows(); }
  Index components() const { return means.cols(); }
};

}  // namespace sotto
