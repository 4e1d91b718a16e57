// A dense tensor of order 1 to 8: its dimensions and its values in one array, last index fastest (C
// order). A plain container for tensors from files and for non-symmetric methods; symmetric methods
// work on the packed form.
//
// Cost: the checks and copies below visit every entry once. Those over all permutations of the
// indices go block by block, so that the up to order! places of one entry are in the cache
// together. A tensor of 400 x 400 x 400 takes about a second.
//
// Privacy: none. The caller wraps data from a person's file as Sensitive.
#pragma once

#include <concepts>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sotto/base/export.h"
#include "sotto/linalg/matrix.h"

namespace SOTTO_API sotto {

inline constexpr Index max_tensor_order = 8;

// The product of the dimensions. Throws, naming `place`, unless the order is 1 to 8, every
// dimension is positive and the product fits an Index.
Index checked_entry_count(std::span<const Index> dims, const std::string& place = {});

// "4 x 5 x 6", for messages.
std::string shape_text(std::span<const Index> dims);

bool all_finite(std::span<const double> values);

// The sum of the squares, the same for any number of threads.
double squared_norm(std::span<const double> values);

// The largest difference between two entries whose indices are permutations of each other:
// value = T[larger] - T[smaller]. Both places are empty when the tensor is symmetric.
struct Asymmetry {
  double value = 0;
  std::vector<Index> larger;
  std::vector<Index> smaller;
};

class DenseTensor {
 public:
  // All zero.
  explicit DenseTensor(std::vector<Index> dims);
  DenseTensor(std::vector<Index> dims, const std::vector<double>& values);
  // Takes the values over. A template, so that lists in braces mean the constructor above.
  template <std::same_as<AlignedValues> Values>
  DenseTensor(std::vector<Index> dims, Values values)
      : dims_(std::move(dims)), values_(std::move(values)) {
    check();
  }

  // From values in Fortran order (first index fastest).
  static DenseTensor from_fortran(std::vector<Index> dims, std::span<const double> values);

  Index order() const { return static_cast<Index>(dims_.size()); }
  const std::vector<Index>& dims() const { return dims_; }
  Index size() const { return static_cast<Index>(values_.size()); }
  bool is_cubical() const;

  std::span<const double> values() const { return values_; }
  std::span<double> values() { return values_; }
  double* data() { return values_.data(); }

  // Checked access. `position` is the place of an index in values(), `index_of` its inverse.
  Index position(std::span<const Index> index) const;
  std::vector<Index> index_of(Index position) const;
  double& at(std::span<const Index> index) { return values_[position(index)]; }
  double at(std::span<const Index> index) const { return values_[position(index)]; }
  double& at(std::initializer_list<Index> index) { return at(std::span(index)); }
  double at(std::initializer_list<Index> index) const { return at(std::span(index)); }

  bool has_nonfinite() const { return !all_finite(values_); }

  // For cubical tensors with finite values, over all permutations of the indices.
  Asymmetry max_asymmetry() const;
  // Each entry becomes the mean over the permutations of its indices. Entries that agree already
  // stay as they are, to the last bit.
  DenseTensor symmetrised() const;

 private:
  void check() const;

  std::vector<Index> dims_;
  AlignedValues values_;
};

}  // namespace sotto
