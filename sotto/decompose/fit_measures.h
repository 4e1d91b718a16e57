// How well a model fits, by the usual measures.
#pragma once

#include <cmath>

#include "sotto/base/export.h"
#include "sotto/linalg/matrix.h"

namespace SOTTO_API sotto {

struct FitMeasures {
  double squared_error = 0;  // |X - X^|^2 over the entries that were observed
  double squared_norm = 0;   // |X|^2 over them
  Index observed = 0;        // how many there are

  // |X - X^| / |X|.
  double relative_error() const {
    return squared_norm > 0 ? std::sqrt(squared_error / squared_norm) : 0;
  }
  // 1 - |X - X^| / |X|, the fit of TensorLy and of the Tensor Toolbox.
  double fit() const { return 1 - relative_error(); }
  // 1 - |X - X^|^2 / |X|^2, the share of the sum of squares that the model explains.
  double explained() const { return squared_norm > 0 ? 1 - squared_error / squared_norm : 1; }
};

}  // namespace sotto
