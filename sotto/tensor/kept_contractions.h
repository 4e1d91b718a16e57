// A tensor contracted over ranges of its modes, kept while none of their factors changes: one
// contraction serves the products of all other modes, which are small beside it.
//
// Three modes have a range each, so that three passes over the tensor make two sweeps; four and
// more have two ranges, and a sweep takes two passes.
#pragma once

#include <vector>

#include "sotto/base/error.h"
#include "sotto/linalg/matrix.h"

namespace sotto {

// The modes [first, last), and whether what is kept was made of other factors.
struct ModeRange {
  Index first, last;
  bool stale = true;
  Index placed = 0;  // when a factor of these modes was placed last

  bool holds(Index mode) const { return first <= mode && mode < last; }
};

// Kept: a ModeRange, and the contraction over it.
template <class Kept>
class KeptContractions {
 public:
  KeptContractions(Index order, Index split) {
    if (order == 3) {
      for (Index m = 0; m < order; ++m) ranges_.push_back({{m, m + 1}});
    } else {
      ranges_ = {{{0, split}}, {{split, order}}};
    }
  }

  void place(Index mode) {
    ++placements_;
    for (Kept& kept : ranges_) {
      if (!kept.holds(mode)) continue;
      kept.stale = true;
      kept.placed = placements_;
    }
  }

  void make_stale() {
    for (Kept& kept : ranges_) kept.stale = true;
  }

  // A contraction that is up to date, or else the one that will stay so longest.
  Kept& for_product(Index mode) {
    Kept* best = nullptr;
    for (Kept& kept : ranges_) {
      if (kept.holds(mode)) continue;
      if (!kept.stale) return kept;
      if (best == nullptr || kept.placed > best->placed) best = &kept;
    }
    SOTTO_REQUIRE(best != nullptr, "no contraction leaves mode {}", mode);
    return *best;
  }

 private:
  Index placements_ = 0;
  std::vector<Kept> ranges_;
};

}  // namespace sotto
