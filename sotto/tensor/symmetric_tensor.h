// A symmetric tensor of order 3 or 4, stored as its unique entries only: C(d+p-1, p) numbers.
//
// Entries T_{i1..ip} with i1 <= .. <= ip are kept in lexicographic order. So for fixed leading
// indices (one for order 3, two for order 4) the rest is the packed upper triangle of a symmetric
// matrix, the "tail slice" S: T[i, i:, i:] or T[i, j, j:, j:]. All algorithms run over tail slices,
// by one identity. With the first row of S scaled down so that each unique entry counts once (S~),
//     T = Sym( sum over slices of  c  e_prefix (x) S~ ),
//     T(u,..,u) = sum c (prod u_prefix) u^T S~ u,
// where c = 3 for order 3, and 12 (i < j) or 6 (i = j) for order 4.
#pragma once

#include <span>
#include <vector>

#include "sotto/base/export.h"
#include "sotto/linalg/matrix.h"
#include "sotto/tensor/dense_tensor.h"

namespace SOTTO_API sotto {

class SparseTensor;

// One tail slice and how it enters the identity above.
struct TailSlice {
  const double* packed;            // upper triangle of S, (dim - first) rows
  Index first;                     // index of the first row of S
  Index prefix[2];                 // the leading indices; order - 2 of them
  double coefficient;              // c
  double row_scale, corner_scale;  // S~ = S but for its first row (off the diagonal, on it)
};

// C(d+p-1, p). Refuses sizes that cannot be addressed.
Index unique_entries(Index dim, int order);

// The same for order 3 and 4, of a size that is known to be addressable.
inline Index packed_size(Index rows, int order) {
  return order == 3 ? rows * (rows + 1) * (rows + 2) / 6
                    : rows * (rows + 1) / 2 * ((rows + 2) * (rows + 3) / 2) / 6;
}

// Stored slices, borrowed: those of all leading indices, or of some that follow one another.
struct TailSlices {
  Index dim = 0;
  int order = 3;
  const double* packed = nullptr;
  Index before = 0;  // entries of the leading indices that come before them

  // Where the slices of leading index i begin.
  const double* begin(Index i) const {
    return packed + (packed_size(dim, order) - packed_size(dim - i, order) - before);
  }
  // Calls visit(slice) for every slice whose first leading index is i, in storage order.
  template <class Visit>
  void visit(Index i, Visit visit) const;
};

// Leading indices cut into chunks of about equal work: chunk c begins with starts[c]. Sums over a
// tensor join over the chunks in a fixed tree (partial_sum.h). The cut depends on the shape alone,
// so they have the same bits for any number of threads and of shards.
std::vector<Index> slice_chunks(Index dim, int order);

class SymmetricTensor {
 public:
  SymmetricTensor(Index dim, int order);  // all zero

  // The unique entries of a symmetric tensor. Entries outside i1 <= .. <= ip are not read: check
  // max_asymmetry() or symmetrise first.
  static SymmetricTensor from_dense(const DenseTensor& dense);
  static SymmetricTensor from_sparse(const SparseTensor& sparse);

  Index dim() const { return dim_; }
  int order() const { return order_; }
  std::span<double> packed() { return packed_; }
  std::span<const double> packed() const { return packed_; }

  // Position of an entry in packed(); the indices may come in any order.
  Index position(std::vector<Index> indices) const;
  double at(const std::vector<Index>& indices) const { return packed_[position(indices)]; }

  void add_rank_one(double weight, const Vector& v);  // T += weight v^(x)p
  void add_scaled(double scale, const SymmetricTensor& other);
  double frobenius_norm() const;
  DenseTensor to_dense() const;

  TailSlices slices() const { return {dim_, order_, packed_.data()}; }

 private:
  Index dim_;
  int order_;
  std::vector<double> packed_;
};

// Calls visit(indices, multiplicity) for each unique entry in storage order; `first`, `last`: of
// the leading indices first .. last-1.
template <class Visit>
void for_unique_entries(Index dim, int order, Index first, Index last, Visit visit);
template <class Visit>
void for_unique_entries(Index dim, int order, Visit visit) {
  for_unique_entries(dim, order, 0, dim, visit);
}

// The sum of the squares of all entries whose sorted index begins with first .. last-1.
double squares_of_slices(const TailSlices& slices, Index first, Index last);

template <class Visit>
void TailSlices::visit(Index i, Visit visit) const {
  const Index d = dim;
  const double* slice = begin(i);
  if (order == 3) {
    visit(TailSlice{slice, i, {i, i}, 3.0, 0.5, 1.0 / 3.0});
    return;
  }
  for (Index j = i; j < d; ++j) {
    const bool equal = i == j;
    visit(TailSlice{slice,
                    j,
                    {i, j},
                    equal ? 6.0 : 12.0,
                    equal ? 1.0 / 3.0 : 0.5,
                    equal ? 1.0 / 6.0 : 1.0 / 3.0});
    slice += (d - j) * (d - j + 1) / 2;
  }
}

template <class Visit>
void for_unique_entries(Index dim, int order, Index first, Index last, Visit visit) {
  std::vector<Index> index(static_cast<std::size_t>(order), first);
  if (first >= last) return;
  const auto multiplicity = [&] {
    double m = 1;
    int run = 0;
    for (int a = 0; a < order; ++a) {
      run = (a > 0 && index[a] == index[a - 1]) ? run + 1 : 1;
      m = m * (a + 1) / run;
    }
    return m;
  };
  while (true) {
    visit(index, multiplicity());
    int a = order - 1;
    while (a >= 0 && index[a] == dim - 1) --a;
    if (a < 0) return;
    const Index next = index[a] + 1;
    for (int b = a; b < order; ++b) index[b] = next;
    if (index[0] >= last) return;
  }
}

}  // namespace sotto
