// A sparse tensor of order 1 to 8 as a list of coordinates (COO): indices counted from 0, sorted
// lexicographically, no coordinate twice. Entries not listed are 0; a listed value may be 0.
//
// Cost: construction sorts (nnz log nnz, linear when already sorted). The contractions take
// 2 * order * nnz * L flops for a block of L vectors. They run over fixed chunks of entries whose
// partial sums are added in order, so the answer is the same, to the last bit, for any number of
// threads.
//
// Privacy: none. The caller wraps data from a person's file as Sensitive.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "sotto/base/export.h"
#include "sotto/base/options.h"
#include "sotto/linalg/matrix.h"
#include "sotto/tensor/dense_tensor.h"

namespace SOTTO_API sotto {

// What to do with two entries at one place.
enum class Duplicates { refuse, sum };

class SparseTensor {
 public:
  using Coordinate = std::int32_t;  // every dimension is at most 2^31 - 1

  // `indices` holds order coordinates for each value, entry by entry.
  SparseTensor(std::vector<Index> dims, std::vector<Coordinate> indices, std::vector<double> values,
               Duplicates duplicates);
  // The entries that are not 0.
  static SparseTensor from_dense(const DenseTensor& dense);

  Index order() const { return static_cast<Index>(dims_.size()); }
  const std::vector<Index>& dims() const { return dims_; }
  Index nnz() const { return static_cast<Index>(values_.size()); }
  bool is_cubical() const;

  std::span<const Coordinate> indices() const { return indices_; }
  std::span<const Coordinate> index(Index entry) const {
    return indices().subspan(entry * order(), order());
  }
  std::span<const double> values() const { return values_; }
  // The value at one place, 0 where nothing is stored; log nnz steps.
  double at(std::span<const Index> index) const;

  bool has_nonfinite() const { return !all_finite(values_); }

  // Refuses a dense tensor of more than `max_entries` entries.
  DenseTensor to_dense(Index max_entries) const;

  // As for DenseTensor; places that are not stored count as 0.
  Asymmetry max_asymmetry() const;
  // Has up to order! times as many entries.
  SparseTensor symmetrised() const;

  // One factor of dims[m] x L for each mode m. Column l of the result (dims[mode] x L) is the
  // tensor contracted with column l of every factor but that of `mode`, whose values are not read.
  // Mode 0 uses the entries in their order; any other mode costs a counting sort of them.
  Matrix contract_all_but(Index mode, std::span<const Matrix> factors) const;
  // Number l is the tensor contracted with column l of every factor.
  Vector values(std::span<const Matrix> factors) const;

 private:
  std::vector<Matrix> factors_by_row(std::span<const Matrix> factors) const;
  std::vector<Index> entries_by_row(Index mode) const;

  std::vector<Index> dims_;
  std::vector<Coordinate> indices_;
  std::vector<double> values_;
};

// A tensor as it came from a file.
using AnyTensor = std::variant<DenseTensor, SparseTensor>;

inline const std::vector<Index>& dims_of(const AnyTensor& tensor) {
  return std::visit([](const auto& t) -> const std::vector<Index>& { return t.dims(); }, tensor);
}

// For methods that work on symmetric tensors.
struct SymmetryOptions {
  bool symmetrize = false;
  double symmetry_tolerance = 1e-8;  // relative to the largest entry

  OptionTable table();
};

}  // namespace sotto
