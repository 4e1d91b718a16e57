// A privacy loss distribution on a grid, exponentially tilted, with its own error bound.
//
// The measure p of the loss L under P is kept as weights w_k of p_k e^{theta l_k} / e^{log_scale}
// on l_k = k * step: tilted to where delta is decided, so that relative accuracy is spent there,
// however small delta is. Three facts make every operation an upper bound of delta (proofs in
// pld.md):
// - an atom between two grid points is split so that the masses under P and under Q are both kept;
//   the split pair dominates the atom (connect the dots, Doroshenko et al. 2022);
// - what is cut off or rounded away, measured in tilted mass, is added to `lost`; it can raise
//   delta(epsilon) by at most lost * e^{log_scale - theta epsilon} theta^theta/(1+theta)^{1+theta};
// - convolution errors are bounded in the sum of absolute values and added to `lost` as well.
#pragma once

#include <cstdint>
#include <vector>

namespace sotto {

class LossDistribution {
 public:
  // An empty grid over [low, high]; atoms come by add(), then normalise().
  LossDistribution(double theta, double step, double low, double high);

  // Adds an atom of tilted mass `weight` at `loss`.
  void add(double loss, double weight);

  // Scales the weights to sum 1; they were given in units of e^{log_unit}. Returns their old sum.
  double normalise(double log_unit);

  // Counts tilted mass, in units of the sum of weights, as missing.
  void lose(double mass) { lost_ += mass; }

  // Multiplies the measure by e^{log_factor}.
  void scale(double log_factor) { log_scale_ += log_factor; }

  double theta() const { return theta_; }
  double step() const { return step_; }
  double width() const { return step_ * static_cast<double>(weight_.size()); }
  double lost() const { return lost_; }
  double log_scale() const { return log_scale_; }

  // The same on another step, as an upper bound; exact where the points coincide.
  LossDistribution regrid(double step) const;

  // The smallest epsilon >= 0 with delta(epsilon) <= delta, or infinity where `lost` forbids it.
  // `inflation` is the logarithm of a factor on delta.
  double epsilon(double log_delta, double inflation) const;

  // log delta(epsilon), an upper bound.
  double log_delta(double epsilon, double inflation) const;

  // The sum of independent losses. Both must have the same theta; the finer is coarsened.
  friend LossDistribution convolve(const LossDistribution& a, const LossDistribution& b,
                                   std::size_t longest);
  friend LossDistribution add_measures(const LossDistribution& a, const LossDistribution& b);

 private:
  double loss(std::size_t i) const { return step_ * static_cast<double>(first_ + std::int64_t(i)); }
  LossDistribution coarsen() const;  // to twice the step
  void trim(double mass);

  double theta_;
  double step_;
  double cell_;         // e^{-step} - 1
  double growth_;       // e^{theta step}
  std::int64_t first_;  // weight_[i] stands at (first_ + i) * step_
  std::vector<double> weight_;
  double log_scale_ = 0;
  double lost_ = 0;
};

LossDistribution convolve(const LossDistribution& a, const LossDistribution& b,
                          std::size_t longest);

// The sum of two measures (not of losses), on the coarser of the two steps.
LossDistribution add_measures(const LossDistribution& a, const LossDistribution& b);

}  // namespace sotto
