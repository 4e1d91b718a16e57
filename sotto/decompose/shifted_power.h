// The shifted symmetric higher-order power method (SS-HOPM, Kolda & Mayo 2011) with an adaptive
// shift: eigenpairs T(I,x,..,x) = lambda x and the operator norm of a symmetric tensor.
//
// x <- (T(I,x,..,x) + alpha x)/|.| raises T(x,..,x) for alpha large enough, and converges to an
// eigenpair that is a local maximum on the sphere. The shift of each start begins at zero. It
// doubles when a step would lower the value (the step is then undone) and shrinks again while steps
// succeed. So no Hessian is needed and any oracle will do.
#pragma once

#include <cstdint>

#include "sotto/base/options.h"
#include "sotto/base/progress.h"
#include "sotto/decompose/result.h"
#include "sotto/tensor/oracle.h"

namespace sotto {

struct EigenpairOptions {
  std::int64_t starts = 64;
  std::int64_t iterations = 1000;
  double tolerance =
      1e-10;            // on |T(I,x,..) - lambda x|, relative to the longest T(I,x,..) at a start
  bool minima = false;  // look for local minima instead of maxima
  std::int64_t seed = 0;
};

// The distinct eigenpairs that the starts reached, by decreasing |lambda|; `agreement` is the share
// of starts at each. Starts that did not converge are left out, and the status says whether there
// were any.
Decomposition eigenpairs(SymmetricOracle& oracle, const EigenpairOptions& options,
                         const ProgressCallback& progress = {});

// max over unit x of |T(x,..,x)|: the largest value over all starts (for even orders over maxima
// and minima). A lower bound that many starts make tight.
double operator_norm(SymmetricOracle& oracle, const EigenpairOptions& options = {});

}  // namespace sotto
