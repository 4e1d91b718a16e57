// Sparse matrices of counts, row by row, and their products with dense blocks.
//
// The second factor is stored row by row, so that an entry of the sparse one costs one pass over a
// row of contiguous numbers. One thread computes each row of a result, in the order of storage: the
// answer is the same for any number of threads. For A^T B, transpose A once.
// Cost: 2 nnz L flops, and as many bytes of gathered rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/linalg/matrix.h"

namespace sotto {

// Row r has the entries begin[r] .. begin[r+1]-1.
struct CountView {
  Index cols = 0;
  std::span<const std::int64_t> begin;
  std::span<const std::int32_t> column;
  std::span<const std::int32_t> count;

  Index rows() const { return static_cast<Index>(begin.size()) - 1; }
};

struct CountMatrix {
  Index cols = 0;
  std::vector<std::int64_t> begin;
  std::vector<std::int32_t> column;
  std::vector<std::int32_t> count;

  CountView view() const { return {cols, begin, column, count}; }
};

// Long sums are taken in pieces, and each piece is summed before it is added to those before it. A
// number then passes at most sum_depth(entries) additions, which is what a bound on rounding errors
// needs.
inline constexpr std::int64_t kSumPiece = 1024;
inline Index sum_depth(Index entries) {
  return std::min<Index>(entries, kSumPiece) + entries / kSumPiece + 1;
}
template <class Use>
void for_pieces(std::int64_t begin, std::int64_t end, Use use) {
  for (std::int64_t first = begin; first < end; first += kSumPiece) {
    use(first, std::min(first + kSumPiece, end));
  }
}

// Columns of the result increase within each row.
CountMatrix transposed(const CountView& a);

// A B.
RowMatrix multiply(const CountView& a, const RowMatrix& b);

// A diag(scale) B.
RowMatrix multiply(const CountView& a, const Vector& scale, const RowMatrix& b);

// A scale.
Vector multiply(const CountView& a, const Vector& scale);

}  // namespace sotto
