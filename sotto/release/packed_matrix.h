// A symmetric matrix by its unique entries i <= j, row by row: what a symmetric mechanism takes.
#pragma once

#include <span>
#include <vector>

#include "sotto/linalg/matrix.h"
#include "sotto/release/noisy.h"

namespace sotto {

class PackedMatrix {
 public:
  // entry(i, j) for i <= j.
  template <class Entry>
  PackedMatrix(Index dim, Entry entry) : dim_(dim) {
    packed_.reserve(static_cast<std::size_t>(dim * (dim + 1) / 2));
    for (Index i = 0; i < dim; ++i) {
      for (Index j = i; j < dim; ++j) packed_.push_back(entry(i, j));
    }
  }

  std::span<double> packed() { return packed_; }

  Matrix full() const {
    Matrix full(dim_, dim_);
    auto next = packed_.begin();
    for (Index i = 0; i < dim_; ++i) {
      for (Index j = i; j < dim_; ++j) full(i, j) = full(j, i) = *next++;
    }
    return full;
  }

 private:
  Index dim_;
  std::vector<double> packed_;
};

inline Noisy<Matrix> unpacked(const Noisy<PackedMatrix>& noisy) {
  return {noisy.value.full(), noisy.deviation, noisy.variance};
}

}  // namespace sotto
