// Renyi divergences of every cost, and what they say about (epsilon, delta).
//
// For a privacy loss L under P, Lambda(theta) = log E_P e^{theta L} = theta D_{1+theta}(P||Q) adds
// up over adaptive releases, and for every theta > 0
//   delta(epsilon) <= e^{Lambda(theta) - theta epsilon} theta^theta / (1+theta)^{1+theta}
// (Canonne, Kamath, Steinke 2020, Proposition 12, alpha = 1 + theta): the best theta gives the RDP
// account, and with Lambda = theta (1 + theta) rho the tight zCDP conversion. The same theta is the
// exponential tilt under which the PLD accountant works. Orders are real, not from a list.
#pragma once

#include <functional>
#include <span>

#include "sotto/privacy/release_record.h"

namespace sotto {

// Neighbours remove or add a record; only subsampled costs tell the two apart.
enum class Direction { remove, add };

// Lambda(theta) of one release, an upper bound tight to rounding. theta > 0.
double renyi_log_moment(const Cost& cost, double theta, Direction direction);

// The sum over a list.
double renyi_log_moment(std::span<const Spend> spends, double theta, Direction direction);

struct RenyiBound {
  double epsilon;
  double theta;  // the order at which it is reached, less one
};

// log of theta^theta / (1+theta)^{1+theta}: the largest value of e^{-theta x}(1 - e^{-x}), x >= 0.
double log_hockey_factor(double theta);

// The least epsilon >= 0 over all theta, for a convex log_moment.
RenyiBound renyi_epsilon(const std::function<double(double)>& log_moment, double delta);

// The theta at which the saddle-point approximation of delta(epsilon) meets `delta` (Alghamdi et
// al. 2023): where an exponential tilt centres the loss on the epsilon that is sought. A good place
// to compute at, not a bound.
double saddle_theta(const std::function<double(double)>& log_moment, double delta);

// RDP account of a list: the worse of the two directions.
double rdp_epsilon(std::span<const Spend> spends, double delta);

// rho-zCDP (Bun, Steinke 2016) to epsilon, and the largest rho that keeps (epsilon, delta).
double zcdp_epsilon(double rho, double delta);
double zcdp_rho(double epsilon, double delta);

// The zCDP parameter of a cost: mu^2/2 or epsilon^2/2. Subsampled costs have none: NaN.
double zcdp_rho_of(const Cost& cost);

}  // namespace sotto
