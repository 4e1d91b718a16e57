// Bi-scaling (Mazumder, Hastie & Tibshirani 2010), slice by slice along the last mode, as Wei et
// al. 2022 do it for each day: rows and columns of a slice are brought to mean 0 and variance 1 by
// x -> (x - alpha_i - beta_j) / (tau_i gamma_j), alternating until they are.
//
// Slices of real data are so sparse that most rows or columns have few entries. A row with a single
// entry would be scaled to 0, whatever its value. So a row or column of a slice keeps alpha 0 and
// tau 1 where it has fewer than three entries or its entries do not vary.
// Order 3 only. Cost: entries * sweeps.
#pragma once

#include <unordered_map>
#include <vector>

#include "sotto/tensor/observed.h"

namespace sotto {

class BiScaling {
 public:
  // The values are first standardised by the mean and deviation of all of them.
  BiScaling(const ObservedEntries& entries, Index sweeps = 20);

  // The scaled values at the same places.
  ObservedEntries scaled(const ObservedEntries& entries) const;
  // The value that `scaled` maps to x at this place.
  double restore(const ObservedEntries& entries, Index entry, double x) const;

  // All numbers of a scaling, to be stored. A line is one row (mode 0) or one column (mode 1) of a
  // slice: its number, that of the slice, shift and scale; in increasing order.
  struct Numbers {
    double mean = 0, deviation = 1;
    Matrix lines[2];  // n x 4
  };
  Numbers numbers() const;
  explicit BiScaling(const Numbers& numbers);

 private:
  struct Affine {
    double shift = 0, scale = 1;
  };
  // One (row, slice) or (column, slice) pair each.
  using Lines = std::unordered_map<std::uint64_t, Affine>;
  struct Place {
    Affine row, column;
  };
  Place place(const ObservedEntries& entries, Index entry) const;
  void sweep(const ObservedEntries& entries, Index mode);

  double mean_ = 0, deviation_ = 1;
  Lines lines_[2];
};

}  // namespace sotto
