// The Poisson-subsampled Gaussian mechanism as an integral that can be trusted.
//
// With sampling rate q, noise multiplier sigma and m = 1/sigma, the two worst-case outputs are, in
// units of the noise, Q = N(0,1) and P = (1-q) N(0,1) + q N(m,1) (Mironov, Talwar, Zhang 2019),
// with
//   l(z) = log dP/dQ = log(1 - q + q e^{m z - m^2/2}),
// increasing in z. Removing a record has the privacy loss l under P, adding one -l under Q. All
// that accountants need of either are integrals of Q(z) e^{s l(z)}: s = 1 + theta and s = -theta.
// They are taken by Gauss-Legendre panels sized by the local scale of the integrand, so that every
// node carries a relative error below `relative_error(s)`; no term is negative, nothing cancels.
#pragma once

#include <functional>
#include <limits>
#include <vector>

namespace sotto {

class SampledGaussian {
 public:
  // Requires noise_multiplier >= kLeastNoise: below it, sampling is not worth an accountant.
  // All integrals end at z = cap, beyond which P has at most the mass asked of cap_for().
  SampledGaussian(double noise_multiplier, double sampling_rate,
                  double cap = std::numeric_limits<double>::infinity());
  static constexpr double kLeastNoise = 0.01;

  // A point above which P((z, inf)) <= mass, by Phi(-x) <= e^{-x^2/2} / 2.
  static double cap_for(double noise_multiplier, double sampling_rate, double mass);

  double log_ratio(double z) const;              // l(z)
  double where(double log_ratio) const;          // its inverse; -infinity below the range
  double log_density(double z, double s) const;  // -z^2/2 + s l(z), without the constant

  // Where log_density lies within `depth` of its maximum: one interval, or two around two modes.
  // Outside, int Q e^{s l - peak} is below kOutside e^{-depth}: the valley and the slopes are
  // shorter than the cap, or than |s| m.
  struct Interval {
    double low, high;
  };
  struct Support {
    std::vector<Interval> intervals;
    double peak;  // the maximum of log_density
  };
  Support support(double s, double depth) const;
  static constexpr double kOutside = 1e4;

  // A grid of losses: multiples of `step` up to `edge` and of `tail_step` beyond; 0 stands for
  // none.
  struct Cells {
    double step = 0;
    double edge = std::numeric_limits<double>::infinity();
    double tail_step = 0;
  };

  // Calls visit(l, w) for nodes with sum w g(l) = int Q e^{s l - peak} g(l) dz, for any g that is
  // smooth within each cell of l.
  using Visit = std::function<void(double log_ratio, double weight)>;
  void integrate(double s, const Support& over, const Cells& cells, const Visit& visit) const;

  // log int Q e^{s l}, an upper bound tight to rounding.
  double log_moment(double s) const;

  double relative_error(double s) const;

 private:
  double weight_of_p(double z) const;  // q e^{..} / (1 - q + q e^{..}) = l'(z) / m
  double slope(double z, double s) const;
  double panel_scale(double z, double s) const;
  double border_after(double z, const Cells& cells) const;

  double m_;
  double q_;
  double cap_;
  double corner_;  // where l bends: real part of the nearest singularities of l, at height pi/m
};

}  // namespace sotto
