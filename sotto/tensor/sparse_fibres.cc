#include "sotto/tensor/sparse_fibres.h"

#include <algorithm>
#include <numeric>

#include "sotto/base/error.h"

namespace sotto {

SparseFibres::SparseFibres(const SparseTensor& tensor, Index mode) : mode_(mode) {
  SOTTO_REQUIRE(mode >= 0 && mode < tensor.order(), "mode {} is not below the order {}", mode,
                tensor.order());
  SOTTO_REQUIRE(tensor.order() >= 3, "products of a tensor of {} need at least three modes",
                shape_text(tensor.dims()));
  for (Index m = 0; m < tensor.order(); ++m) {
    if (m != mode) others_.push_back(m);
  }
  begin_.assign(static_cast<std::size_t>(tensor.dims()[mode]) + 1, 0);
  const Index order = tensor.order();
  for (Index e = 0; e < tensor.nnz(); ++e) ++begin_[tensor.indices()[e * order + mode] + 1];
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  if (mode == 0) {
    stride_ = order;
    index_ = tensor.indices().data() + 1;
    value_ = tensor.values().data();
  } else {
    copy_in_row_order(tensor);
  }
}

// A counting sort; the entries come in lexicographic order, which it keeps within a row.
void SparseFibres::copy_in_row_order(const SparseTensor& tensor) {
  const Index order = tensor.order();
  stride_ = order - 1;
  own_index_.resize(static_cast<std::size_t>(tensor.nnz() * stride_));
  own_value_.resize(static_cast<std::size_t>(tensor.nnz()));
  std::vector<Index> next(begin_.begin(), begin_.end() - 1);
  const Coordinate* from = tensor.indices().data();
  for (Index e = 0; e < tensor.nnz(); ++e, from += order) {
    const Index place = next[from[mode_]]++;
    Coordinate* to = std::copy_n(from, mode_, own_index_.data() + place * stride_);
    std::copy_n(from + mode_ + 1, order - mode_ - 1, to);
    own_value_[place] = tensor.values()[e];
  }
  index_ = own_index_.data();
  value_ = own_value_.data();
}

const SparseFibres& FibreCache::of(Index mode) {
  auto& fibres = fibres_[static_cast<std::size_t>(mode)];
  if (!fibres) fibres = std::make_unique<SparseFibres>(tensor_, mode);
  return *fibres;
}

}  // namespace sotto
