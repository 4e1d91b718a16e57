// CP by alternating least squares with extrapolation.
//
// After each mode is solved it is moved on, beyond its solution, by a share beta of its last step;
// beta grows while the error falls. When it does not fall, the sweep is thrown away and repeated
// without extrapolation (Ang, Cohen, Gillis & Hien 2020, with a restart that makes the error
// monotone). The error comes with the last mode of a sweep and costs nothing.
#pragma once

#include <functional>

#include "sotto/decompose/cp_problem.h"

namespace sotto {

struct SweepOptions {
  int sweeps = 500;
  double tolerance = 1e-9;  // relative decrease of the squared error, in three sweeps running
  Sign sign = Sign::any;
};

struct SweepOutcome {
  double squared_error = 0;
  int sweeps = 0;
  bool converged = false, stopped = false;
};

// Called after each sweep with the squared error; false stops.
using SweepReport = std::function<bool(int sweep, double squared_error)>;

SweepOutcome alternating_least_squares(CpProblem& problem, Factors& factors,
                                       const SweepOptions& options, const SweepReport& report = {});

}  // namespace sotto
