// A privacy loss distribution in two measures: the bulk on a fine grid and, where the loss has a
// rare far tail, that tail on a coarse one.
//
// Subsampling at a small rate q makes losses of size q almost always and of size 1 almost never;
// one grid for both would be too coarse for the first or too long for the second. With bulk F and
// tail C,
//   (F + C) * (F' + C') = F * F' + ((F + C) * C' + C * F'),
// the bracket being the new tail: the bulk meets the coarse grid only together with a rare event.
#pragma once

#include <cstdint>
#include <optional>

#include "sotto/privacy/loss_distribution.h"

namespace sotto {

struct TwoScaleLoss {
  LossDistribution bulk;
  std::optional<LossDistribution> tail;

  // One grid, the coarser of the two.
  LossDistribution flat() const { return tail ? add_measures(bulk, *tail) : bulk; }

  // As in LossDistribution, each measure on its own grid.
  double epsilon(double log_delta, double inflation) const;
};

// The sum of two independent losses, each measure kept to at most `longest` points.
TwoScaleLoss convolve(const TwoScaleLoss& a, const TwoScaleLoss& b, std::size_t longest);

// The sum of `count` independent copies, by squaring; grids coarsen as the sum widens.
TwoScaleLoss self_convolve(const TwoScaleLoss& one, std::int64_t count);

}  // namespace sotto
