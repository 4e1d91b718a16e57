// The entries of a sparse tensor in the order of one mode's rows, and within a row in the order of
// the other modes.
#pragma once

#include <memory>
#include <vector>

#include "sotto/linalg/matrix.h"
#include "sotto/tensor/sparse_tensor.h"

namespace sotto {

class SparseFibres {
 public:
  using Coordinate = SparseTensor::Coordinate;

  // Borrows the tensor. Mode 0 is used as it lies; any other mode is copied, 8 + 4 (order - 1)
  // bytes an entry.
  SparseFibres(const SparseTensor& tensor, Index mode);

  Index mode() const { return mode_; }
  Index entries() const { return begin_.back(); }
  // Where the entries of a row begin; one more than there are rows.
  const std::vector<Index>& begin() const { return begin_; }
  // The modes other than mode(), in order.
  const std::vector<Index>& others() const { return others_; }
  // The index of an entry in mode others()[n].
  Coordinate index(Index entry, Index n) const { return index_[entry * stride_ + n]; }
  const Coordinate* indices(Index entry) const { return index_ + entry * stride_; }
  double value(Index entry) const { return value_[entry]; }

 private:
  void copy_in_row_order(const SparseTensor& tensor);

  Index mode_, stride_;
  std::vector<Index> begin_, others_;
  std::vector<Coordinate, ArrayAllocator<Coordinate>> own_index_;
  AlignedValues own_value_;
  const Coordinate* index_;
  const double* value_;
};

// The fibres of every mode, each made when it is first asked for and kept.
class FibreCache {
 public:
  explicit FibreCache(const SparseTensor& tensor)
      : tensor_(tensor), fibres_(static_cast<std::size_t>(tensor.order())) {}
  const SparseTensor& tensor() const { return tensor_; }
  const SparseFibres& of(Index mode);

 private:
  const SparseTensor& tensor_;
  std::vector<std::unique_ptr<SparseFibres>> fibres_;
};

}  // namespace sotto
