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

  // One tail slice and how it enters the identity above.
  struct Slice {
    const double* packed;            // upper triangle of S, (dim - first) rows
    Index first;                     // index of the first row of S
    Index prefix[2];                 // the leading indices; order - 2 of them
    double coefficient;              // c
    double row_scale, corner_scale;  // S~ = S but for its first row (off the diagonal, on it)
  };
  // Calls visit(slice) for every slice whose first leading index is i, in storage order.
  template <class Visit>
  void for_slices(Index i, Visit visit) const;

 private:
  Index dim_;
  int order_;
  std::vector<double> packed_;
};

// C(d+p-1, p). Refuses sizes that cannot be addressed.
Index unique_entries(Index dim, int order);

// Calls visit(indices, multiplicity) for each unique entry in storage order.
template <class Visit>
void for_unique_entries(Index dim, int order, Visit visit);

template <class Visit>
void SymmetricTensor::for_slices(Index i, Visit visit) const {
  const Index d = dim_;
  const Index rows = d - i;
  if (order_ == 3) {
    const Index offset = static_cast<Index>(packed_.size()) - rows * (rows + 1) * (rows + 2) / 6;
    visit(Slice{packed_.data() + offset, i, {i, i}, 3.0, 0.5, 1.0 / 3.0});
    return;
  }
  Index offset = static_cast<Index>(packed_.size()) -
                 rows * (rows + 1) / 2 * ((rows + 2) * (rows + 3) / 2) / 6;
  for (Index j = i; j < d; ++j) {
    const bool equal = i == j;
    visit(Slice{packed_.data() + offset,
                j,
                {i, j},
                equal ? 6.0 : 12.0,
                equal ? 1.0 / 3.0 : 0.5,
                equal ? 1.0 / 6.0 : 1.0 / 3.0});
    offset += (d - j) * (d - j + 1) / 2;
  }
}

template <class Visit>
void for_unique_entries(Index dim, int order, Visit visit) {
  std::vector<Index> index(static_cast<std::size_t>(order), 0);
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
  }
}

}  // namespace sotto
