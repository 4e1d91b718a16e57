#include "sotto/tensor/symmetric_tensor.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sotto/base/error.h"
#include "sotto/tensor/partial_sum.h"
#include "sotto/tensor/sparse_tensor.h"

namespace sotto {

Index unique_entries(Index dim, int order) {
  // C(d+a, a+1) = C(d+a-1, a) (d+a)/(a+1): every partial product is a whole number.
  long double count = 1;
  for (int a = 0; a < order; ++a) count = count * static_cast<long double>(dim + a) / (a + 1);
  SOTTO_REQUIRE(count < 1e15L, "a symmetric tensor of order {} and dimension {} is too large",
                order, dim);
  return static_cast<Index>(std::llround(count));
}

SymmetricTensor::SymmetricTensor(Index dim, int order) : dim_(dim), order_(order) {
  SOTTO_REQUIRE(order == 3 || order == 4, "symmetric tensors have order 3 or 4, got {}", order);
  SOTTO_REQUIRE(dim >= 1, "a tensor needs at least one dimension, got {}", dim);
  packed_.assign(static_cast<std::size_t>(unique_entries(dim, order)), 0.0);
}

SymmetricTensor SymmetricTensor::from_dense(const DenseTensor& dense) {
  SOTTO_REQUIRE(dense.is_cubical(), "a symmetric tensor has equal dimensions, got {}",
                shape_text(dense.dims()));
  SymmetricTensor t(dense.dims()[0], static_cast<int>(dense.order()));
  const double* values = dense.values().data();
  const Index d = t.dim_;
  auto out = t.packed_.begin();
  // Rows along the last index are contiguous on both sides.
  for_unique_entries(d, t.order_ - 1, [&](const std::vector<Index>& lead, double) {
    Index row = 0;
    for (const Index i : lead) row = row * d + i;
    out = std::copy(values + row * d + lead.back(), values + (row + 1) * d, out);
  });
  return t;
}

SymmetricTensor SymmetricTensor::from_sparse(const SparseTensor& sparse) {
  SOTTO_REQUIRE(sparse.is_cubical(), "a symmetric tensor has equal dimensions, got {}",
                shape_text(sparse.dims()));
  SymmetricTensor t(sparse.dims()[0], static_cast<int>(sparse.order()));
  for (Index n = 0; n < sparse.nnz(); ++n) {
    const auto index = sparse.index(n);
    if (!std::is_sorted(index.begin(), index.end())) continue;
    t.packed_[t.position({index.begin(), index.end()})] += sparse.values()[n];
  }
  return t;
}

Index SymmetricTensor::position(std::vector<Index> indices) const {
  SOTTO_REQUIRE(static_cast<int>(indices.size()) == order_, "expected {} indices, got {}", order_,
                indices.size());
  std::sort(indices.begin(), indices.end());
  SOTTO_REQUIRE(indices.front() >= 0 && indices.back() < dim_,
                "index outside a tensor of dimension {}", dim_);
  // Entries before (i1, i2, ..): those with a smaller first index, then recursively in the tail.
  Index before = 0;
  Index low = 0;
  for (int a = 0; a < order_; ++a) {
    const int rest = order_ - a;
    before += unique_entries(dim_ - low, rest) - unique_entries(dim_ - indices[a], rest);
    low = indices[a];
  }
  return before;
}

void SymmetricTensor::add_rank_one(double weight, const Vector& v) {
  SOTTO_REQUIRE(v.size() == dim_, "a vector of length {} for a tensor of dimension {}", v.size(),
                dim_);
  double* out = packed_.data();
  for_unique_entries(dim_, order_ - 1, [&](const std::vector<Index>& lead, double) {
    double scale = weight;
    for (const Index i : lead) scale *= v[i];
    for (Index k = lead.back(); k < dim_; ++k) *out++ += scale * v[k];
  });
}

void SymmetricTensor::add_scaled(double scale, const SymmetricTensor& other) {
  SOTTO_REQUIRE(other.dim_ == dim_ && other.order_ == order_, "tensors of different shape");
  for (std::size_t n = 0; n < packed_.size(); ++n) packed_[n] += scale * other.packed_[n];
}

// Not inlined, so that one process and shards run the same instructions.
[[gnu::noinline]] double squares_of_slices(const TailSlices& slices, Index first, Index last) {
  double sum = 0;
  const double* entry = slices.begin(first);
  for_unique_entries(slices.dim, slices.order, first, last,
                     [&](const std::vector<Index>&, double multiplicity) {
                       sum += multiplicity * *entry * *entry;
                       ++entry;
                     });
  return sum;
}

double SymmetricTensor::frobenius_norm() const {
  const std::vector<Index> starts = slice_chunks(dim_, order_);
  std::vector<double> sums;
  for (std::size_t c = 0; c + 1 < starts.size(); ++c) {
    sums.push_back(squares_of_slices(slices(), starts[c], starts[c + 1]));
  }
  return std::sqrt(tree_sum(std::move(sums)));
}

std::vector<Index> slice_chunks(Index dim, int order) {
  const auto work = [&](Index i) { return unique_entries(dim - i, order - 1); };
  double total = 0;
  for (Index i = 0; i < dim; ++i) total += static_cast<double>(work(i));
  const Index chunks = std::clamp<Index>(dim / 12, 1, 64);
  std::vector<Index> starts{0};
  double done = 0;
  for (Index i = 0; i + 1 < dim; ++i) {
    done += static_cast<double>(work(i));
    if (done >= total * static_cast<double>(starts.size()) / static_cast<double>(chunks)) {
      starts.push_back(i + 1);
    }
  }
  starts.push_back(dim);
  return starts;
}

DenseTensor SymmetricTensor::to_dense() const {
  DenseTensor dense(std::vector<Index>(static_cast<std::size_t>(order_), dim_));
  auto values = dense.values();
  const double* entry = packed_.data();
  for_unique_entries(dim_, order_, [&](std::vector<Index> index, double) {
    do {
      Index offset = 0;
      for (const Index i : index) offset = offset * dim_ + i;
      values[static_cast<std::size_t>(offset)] = *entry;
    } while (std::next_permutation(index.begin(), index.end()));
    ++entry;
  });
  return dense;
}

}  // namespace sotto
