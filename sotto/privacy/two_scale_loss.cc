#include "sotto/privacy/two_scale_loss.h"

#include <algorithm>
#include <cmath>

namespace sotto {
namespace {

// Lengths kept while squaring: fine at first, where a loss is far from a bell, then enough to leave
// a step below 1/512 of a deviation, or 1/256 where the count alone makes the sum a bell.
constexpr std::size_t kFirst = std::size_t{1} << 15;
constexpr std::size_t kLater = std::size_t{1} << 14;
constexpr std::size_t kMany = std::size_t{1} << 13;
constexpr std::int64_t kManyCopies = 100000;

TwoScaleLoss square(const TwoScaleLoss& a, std::size_t longest) {
  TwoScaleLoss result{convolve(a.bulk, a.bulk, longest), {}};
  if (!a.tail) return result;
  LossDistribution twice = a.bulk;  // (2F + C) * C
  twice.scale(std::log(2.0));
  result.tail = convolve(add_measures(twice, *a.tail), *a.tail, longest);
  return result;
}

// A tail no coarser than the bulk has served its purpose; a bulk that has become a rarity is lost.
TwoScaleLoss simplified(TwoScaleLoss loss) {
  if (loss.tail && loss.bulk.log_scale() < loss.tail->log_scale() - 60) {
    loss.tail->lose(std::exp(loss.bulk.log_scale() - loss.tail->log_scale()));
    return {std::move(*loss.tail), {}};
  }
  if (loss.tail && loss.bulk.step() >= loss.tail->step()) return {loss.flat(), {}};
  return loss;
}

}  // namespace

TwoScaleLoss convolve(const TwoScaleLoss& a, const TwoScaleLoss& b, std::size_t longest) {
  TwoScaleLoss result{convolve(a.bulk, b.bulk, longest), {}};
  if (b.tail) result.tail = convolve(a.flat(), *b.tail, longest);
  if (a.tail) {
    const LossDistribution rest = convolve(*a.tail, b.bulk, longest);
    result.tail = result.tail ? add_measures(*result.tail, rest) : rest;
  }
  return simplified(std::move(result));
}

double TwoScaleLoss::epsilon(double log_delta, double inflation) const {
  if (!tail) return bulk.epsilon(log_delta, inflation);
  const double enough = flat().epsilon(log_delta, inflation);
  if (!std::isfinite(enough)) return enough;
  double low = 0, high = enough;
  for (int i = 0; i < 60 && high - low > 1e-14 * high; ++i) {
    const double middle = (low + high) / 2;
    const double a = bulk.log_delta(middle, inflation), b = tail->log_delta(middle, inflation);
    const double sum = std::fmax(a, b) + std::log1p(std::exp(-std::abs(a - b)));
    (sum <= log_delta ? high : low) = middle;
  }
  return high;
}

TwoScaleLoss self_convolve(const TwoScaleLoss& one, std::int64_t count) {
  std::optional<TwoScaleLoss> sum;
  TwoScaleLoss power = one;
  const std::size_t later = count < kManyCopies ? kLater : kMany;
  for (std::size_t longest = kFirst;; longest = std::max(longest / 2, later)) {
    if (count & 1) sum = sum ? convolve(*sum, power, longest) : power;
    count >>= 1;
    if (count == 0) return *std::move(sum);
    power = simplified(square(power, longest));
  }
}

}  // namespace sotto
