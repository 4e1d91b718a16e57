#include "sotto/decompose/cp_als.h"

#include <algorithm>
#include <cmath>

namespace sotto {
namespace {

// How far a sweep moves beyond its solutions.
class Extrapolation {
 public:
  double share() const { return share_; }
  void worked() {
    share_ = std::min(limit_, share_ * 1.1);
    limit_ = std::min(1.0, limit_ * 1.02);
  }
  void failed() {
    limit_ = std::max(0.05, share_ / 1.2);
    share_ = std::max(0.02, share_ / 1.6);
  }

 private:
  double share_ = 0.5, limit_ = 0.95;
};

struct Sweep {
  Factors placed;  // as the next sweep starts from them: all but the last moved on
  Factors solved;  // the solutions
  double squared_error = 0;
};

// One pass over the modes from `from`; `before` are the solutions of the last sweep.
Sweep sweep_modes(CpProblem& problem, const Factors& from, const Factors& before, double share,
                  Sign sign) {
  Sweep sweep{from, before, 0};
  const std::size_t last = from.size() - 1;
  for (std::size_t m = 0; m <= last; ++m) {
    const auto mode = static_cast<Index>(m);
    sweep.solved[m] = problem.solve(mode, sweep.placed[m], sign, sweep.squared_error);
    sweep.placed[m] = sweep.solved[m];
    if (m < last && share > 0) {
      sweep.placed[m] += share * (sweep.solved[m] - before[m]);
      if (sign == Sign::non_negative) sweep.placed[m] = sweep.placed[m].cwiseMax(0.0);
    }
    problem.place(mode, sweep.placed[m]);
  }
  if (sweep.squared_error < kTrustExpandedSquare * problem.squared_norm()) {
    sweep.squared_error = problem.squared_residual();
  }
  return sweep;
}

void place_all(CpProblem& problem, const Factors& factors) {
  for (std::size_t m = 0; m < factors.size(); ++m) {
    problem.place(static_cast<Index>(m), factors[m]);
  }
}

}  // namespace

SweepOutcome alternating_least_squares(CpProblem& problem, Factors& factors,
                                       const SweepOptions& options, const SweepReport& report) {
  constexpr double kPerfect = 1e-28;  // of |X|^2
  balance(factors);
  place_all(problem, factors);
  SweepOutcome outcome;
  Sweep best = sweep_modes(problem, factors, factors, 0, options.sign);
  outcome.sweeps = 1;
  Extrapolation extrapolation;
  for (int quiet = 0; outcome.sweeps < options.sweeps && !outcome.converged; ++outcome.sweeps) {
    Sweep next =
        sweep_modes(problem, best.placed, best.solved, extrapolation.share(), options.sign);
    if (!(next.squared_error <= best.squared_error)) {
      extrapolation.failed();
      balance(best.placed);
      place_all(problem, best.placed);
      next = sweep_modes(problem, best.placed, best.placed, 0, options.sign);
      ++outcome.sweeps;
    } else {
      extrapolation.worked();
    }
    const double decrease = best.squared_error - next.squared_error;
    quiet = decrease <= options.tolerance * std::abs(next.squared_error) ? quiet + 1 : 0;
    if (next.squared_error <= best.squared_error) best = std::move(next);
    outcome.converged = options.tolerance > 0 &&
                        (quiet >= 3 || best.squared_error <= kPerfect * problem.squared_norm());
    if (report && !report(outcome.sweeps, best.squared_error)) {
      outcome.stopped = true;
      break;
    }
  }
  factors = std::move(best.placed);
  outcome.squared_error = best.squared_error;
  return outcome;
}

}  // namespace sotto
