// CP by damped Gauss-Newton steps (Levenberg-Marquardt) on all factors at once, for complete
// tensors: where alternating least squares crawls along a valley, a few of these steps reach its
// floor.
//
// J^T J is never formed. Its product with a step V is, for mode m,
//   V_m G_m + A_m sum_{n != m} G_mn * (V_n^T A_n),
// G_m and G_mn the entrywise products of the grams of all modes but m, and but m and n (Sorber, Van
// Barel & De Lathauwer 2013). Steps are found by conjugate gradients with the G_m as
// preconditioner. Cost of a step: the MTTKRPs of all modes, and O((sum d_m) k^2 order) for each
// inner iteration.
#pragma once

#include "sotto/decompose/cp_als.h"
#include "sotto/tensor/mttkrp.h"

namespace sotto {

struct NewtonOptions {
  int steps = 100;
  double tolerance = 1e-9;  // relative decrease of the squared error
  int inner = 100;          // iterations of conjugate gradients a step
};

SweepOutcome gauss_newton(Mttkrp& products, Factors& factors, const NewtonOptions& options,
                          const SweepReport& report = {});

}  // namespace sotto
