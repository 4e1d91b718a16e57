// Sparse records that are kept in memory, and products with their covariance, which has d^2 numbers
// and is never written out.
//
// Cost: 4 nnz L flops for a product with L vectors. Privacy: none here.
#pragma once

#include <optional>
#include <vector>

#include "sotto/tensor/point_source.h"

namespace sotto {

class SparseRecords {
 public:
  // Reads all records of a sparse source, from its beginning. Nothing where they have more than
  // `most` entries that are not zero.
  static std::optional<SparseRecords> read(PointSource& source, Index most);

  Index records() const { return records_; }
  const Vector& mean() const { return mean_; }
  double total_variance() const { return total_variance_; }  // the trace of the covariance
  // The covariance (divided by N) times a block, d x L.
  RowMatrix covariance_times(const RowMatrix& block) const;

 private:
  std::vector<PointBlock> blocks_;
  Index records_ = 0;
  Vector mean_;
  double total_variance_ = 0;
};

}  // namespace sotto
