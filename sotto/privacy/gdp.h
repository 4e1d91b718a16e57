// Gaussian differential privacy: the exact account of any adaptive sequence of Gaussian releases.
//
// Releases with sensitivities Delta_i and deviations s_i, each chosen after seeing the ones before,
// are together mu-GDP with mu^2 = sum (Delta_i / s_i)^2 (Dong, Roth, Su 2019, Corollary 3.3), and
//   delta(epsilon) = Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu)
// exactly (Balle, Wang 2018, Theorem 8). Evaluated in logarithms, so that neither epsilon = 1e6 nor
// delta = 1e-300 is out of reach; every result is rounded to the safe side. See gdp.md.
// Cost: microseconds for delta, below a millisecond for the inverses.
#pragma once

#include <cstdint>

namespace sotto {

// An upper bound of log delta(epsilon; mu), tight to rounding. epsilon >= 0, mu >= 0.
double gdp_log_delta(double epsilon, double mu);

// The same as a number; never below the exact value, 0 only where that is below 1e-307.
double gdp_delta(double epsilon, double mu);

// The smallest epsilon such that mu-GDP implies (epsilon, delta)-DP, rounded up.
double gdp_epsilon(double mu, double delta);

// The largest mu that implies (epsilon, delta)-DP, rounded down.
double gdp_mu(double epsilon, double delta);

// The smallest noise multiplier (deviation / sensitivity) for `count` releases, rounded up.
double gdp_noise_multiplier(double epsilon, double delta, std::int64_t count);

}  // namespace sotto
