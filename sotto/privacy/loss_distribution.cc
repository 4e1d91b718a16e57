#include "sotto/privacy/loss_distribution.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sotto/base/error.h"
#include "sotto/privacy/fft.h"
#include "sotto/privacy/numbers.h"
#include "sotto/privacy/renyi.h"

namespace sotto {
LossDistribution::LossDistribution(double theta, double step, double low, double high)
    : theta_(theta),
      step_(step),
      cell_(std::expm1(-step)),
      growth_(std::exp(theta * step)),
      first_(static_cast<std::int64_t>(std::floor(low / step))) {
  SOTTO_REQUIRE(step > 0 && high >= low && (high - low) / step < 1e7 && std::abs(low / step) < 4e15,
                "losses from {:g} to {:g} cannot be put on a grid of step {:g}", low, high, step);
  weight_.assign(static_cast<std::size_t>(std::floor((high - low) / step)) + 4, 0.0);
}

// x above the lower point of a cell of width h: shares (e^{-x} - e^{-h}) / (1 - e^{-h}) below and
// (1 - e^{-x}) / (1 - e^{-h}) above keep the P-mass, 1, and the Q-mass, e^{-loss}; tilting
// multiplies them by e^{-theta x} and e^{theta (h - x)}.
void LossDistribution::add(double loss, double weight) {
  const double index = std::floor(loss / step_);
  const auto i = static_cast<std::size_t>(
      std::clamp<std::int64_t>(static_cast<std::int64_t>(index) - first_, 0, weight_.size() - 2));
  const double x = std::clamp(loss - index * step_, 0.0, step_);
  const double above = std::expm1(-x) / cell_;
  const double tilted = weight * std::exp(-theta_ * x);
  weight_[i] += tilted * (1 - above);
  weight_[i + 1] += tilted * above * growth_;
}

double LossDistribution::normalise(double log_unit) {
  const double sum = std::accumulate(weight_.begin(), weight_.end(), 0.0);
  if (sum == 0) return 0;
  for (double& weight : weight_) weight /= sum;
  log_scale_ += log_unit + std::log(sum);
  lost_ /= sum;  // the same mass in the new unit
  return sum;
}

LossDistribution LossDistribution::regrid(double step) const {
  if (step == step_) return *this;
  LossDistribution result(theta_, step, loss(0), loss(weight_.size() - 1));
  for (std::size_t i = 0; i < weight_.size(); ++i) {
    if (weight_[i] > 0) result.add(loss(i), weight_[i]);
  }
  result.lost_ = lost_;
  result.normalise(log_scale_);
  return result;
}

LossDistribution LossDistribution::coarsen() const {
  LossDistribution result(theta_, 2 * step_, loss(0), loss(weight_.size() - 1));
  // Points of odd index lie in the middle of the new cells: one split serves all.
  const double above = cell_ / result.cell_;
  const double down = (1 - above) / growth_, up = above * growth_;
  for (std::size_t i = 0; i < weight_.size(); ++i) {
    const std::int64_t at = first_ + static_cast<std::int64_t>(i);
    const auto to = static_cast<std::size_t>((at >> 1) - result.first_);
    if (at & 1) {
      result.weight_[to] += weight_[i] * down;
      result.weight_[to + 1] += weight_[i] * up;
    } else {
      result.weight_[to] += weight_[i];
    }
  }
  result.lost_ = lost_;
  result.normalise(log_scale_);
  return result;
}

void LossDistribution::trim(double mass) {
  std::size_t begin = 0, end = weight_.size();
  double cut = 0;
  while (end - begin > 1 && cut + weight_[begin] <= mass) cut += weight_[begin++];
  double top = 0;
  while (end - begin > 1 && top + weight_[end - 1] <= mass) top += weight_[--end];
  weight_ = std::vector<double>(weight_.begin() + begin, weight_.begin() + end);
  first_ += static_cast<std::int64_t>(begin);
  lost_ += cut + top;
}

LossDistribution convolve(const LossDistribution& a, const LossDistribution& b,
                          std::size_t longest) {
  if (a.step_ < b.step_) return convolve(a.regrid(b.step_), b, longest);
  if (b.step_ < a.step_) return convolve(a, b.regrid(a.step_), longest);
  Convolution sum = fft_convolve(a.weight_, b.weight_);
  LossDistribution result = a;
  result.first_ = a.first_ + b.first_;
  result.weight_ = std::move(sum.values);
  for (double& weight : result.weight_) weight = std::fmax(weight, 0.0);
  result.lost_ = a.lost_ + b.lost_ + a.lost_ * b.lost_ + sum.error;
  result.log_scale_ = a.log_scale_ + b.log_scale_;
  result.trim(sum.error);
  result.normalise(0);
  while (result.weight_.size() > longest) result = result.coarsen();
  return result;
}

LossDistribution add_measures(const LossDistribution& a, const LossDistribution& b) {
  if (a.step_ < b.step_) return add_measures(a.regrid(b.step_), b);
  if (b.step_ < a.step_) return add_measures(a, b.regrid(a.step_));
  const std::int64_t first = std::min(a.first_, b.first_);
  const std::int64_t end = std::max(a.first_ + std::int64_t(a.weight_.size()),
                                    b.first_ + std::int64_t(b.weight_.size()));
  const double unit = std::fmax(a.log_scale_, b.log_scale_);
  LossDistribution result = a;
  result.first_ = first;
  result.weight_.assign(static_cast<std::size_t>(end - first), 0.0);
  result.lost_ = 0;
  for (const LossDistribution* part : {&a, &b}) {
    const double factor = std::exp(part->log_scale_ - unit);
    const auto shift = static_cast<std::size_t>(part->first_ - first);
    for (std::size_t i = 0; i < part->weight_.size(); ++i) {
      result.weight_[i + shift] += factor * part->weight_[i];
    }
    result.lost_ += factor * part->lost_;
  }
  result.log_scale_ = 0;
  result.normalise(unit);
  return result;
}

// With A_k = sum_{i>=k} w_i e^{-theta (l_i - l_k)}, B_k the same with 1 + theta, and D_k = A_k -
// B_k,
//   delta(l_k - x) = e^{log_scale - theta l_k} (D_k + (1 - e^{-x}) B_k)  for 0 <= x <= step,
// and D_{k-1} = e^{-theta h} (D_k + (1 - e^{-h}) B_k): sums of positive terms, from the top down.
// To this comes the bound for what was lost, taken at the lower end of the cell. delta(epsilon)
// falls, so the search ends in the first cell, from above, that the target does not clear.
double LossDistribution::epsilon(double log_delta, double inflation) const {
  const double decay = 1 / growth_, cell = -cell_;
  const double lost = lost_ * std::exp(log_hockey_factor(theta_));
  // What the sum may come to for an epsilon in the cell below l, with the lost mass at its worst
  // there.
  const auto allowed = [&](double l, double below) {
    return std::exp(log_delta - inflation - log_scale_ + theta_ * l) -
           lost * std::exp(theta_ * below);
  };
  if (loss(weight_.size() - 1) < 0) return allowed(0, 0) >= 0 ? 0 : kInfinity;
  double d = 0, b = 0, found = kInfinity;
  for (std::size_t k = weight_.size(); k-- > 0 && loss(k) >= 0;) {
    b = b * decay * (1 - cell) + weight_[k];
    const double room = allowed(loss(k), step_) - d;
    if (!(room >= 0)) break;
    const double share = room / b;
    found = share >= cell ? loss(k) - step_ : loss(k) + std::log1p(-share);
    if (share < cell) break;
    d = decay * (d + cell * b);
  }
  return std::fmax(found, 0.0);
}

double LossDistribution::log_delta(double epsilon, double inflation) const {
  double sum = 0;
  for (std::size_t k = weight_.size(); k-- > 0 && loss(k) > epsilon;) {
    const double above = loss(k) - epsilon;
    sum += weight_[k] * std::exp(-theta_ * above) * -std::expm1(-above);
  }
  sum += lost_ * std::exp(log_hockey_factor(theta_));
  return std::fmin(0.0, log_scale_ - theta_ * epsilon + std::log(sum) + inflation);
}

}  // namespace sotto
