#include "sotto/linalg/gemm.h"

#include <algorithm>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/base/parallel.h"
#include "sotto/linalg/kernels/narrow_gemm.h"
#include "sotto/linalg/large_matrix.h"

namespace sotto {
namespace {

// Rows of the result in a panel: enough for Eigen's blocking to pay, few enough to give every
// thread several panels.
constexpr Index kPanel = 256;
Index panels(Index rows) { return (rows + kPanel - 1) / kPanel; }

// A product of fewer flops takes less time than starting the threads.
constexpr double kWorthThreads = 4e6;

bool worth_threads(Index m, Index n, Index k) {
  return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) >
         kWorthThreads;
}

// ---- narrow products ----

using kernels::StridedMatrix;

// A block of A is what one thread works on at a time. Where the numbers of a row lie side by side
// it stays in the cache while all strips of B pass over it, and short rows make it high; where the
// numbers of a column do, the kernel cuts it further.
struct NarrowBlock {
  Index rows, depth;
};
NarrowBlock narrow_block(const StridedMatrix& a) {
  constexpr Index kRows = 48, kDepth = 512, kLongest = 8 * kDepth, kColumnRows = 512;
  if (a.row_step == 1) return {kColumnRows, a.columns};
  return {kRows * std::max<Index>(1, kLongest / std::max<Index>(1, a.columns)), kDepth};
}
constexpr Index kNarrowPartLength = 1024;
// Where the result has too few rows to share out, the sum is cut into so many parts at most.
constexpr Index kNarrowParts = 16;

StridedMatrix block_of(const StridedMatrix& a, Index row, Index rows, Index column, Index columns) {
  return {a.data + row * a.row_step + column * a.column_step, rows, columns, a.row_step,
          a.column_step};
}

// All columns, and those before the zeros at the end.
kernels::NarrowColumns columns_of(const RowMatrix& b) {
  Index used = b.cols();
  while (used > 1 && (b.col(used - 1).array() == 0).all()) --used;
  return {b.cols(), used};
}

// C = A B by so many columns of A at a time.
void narrow_rows(const StridedMatrix& a, Index depth, const double* b, double* c,
                 kernels::NarrowColumns columns) {
  std::fill_n(c, a.rows * columns.all, 0.0);
  for (Index t = 0; t < a.columns; t += depth) {
    kernels::narrow_gemm_accumulate(block_of(a, 0, a.rows, t, std::min(depth, a.columns - t)),
                                    b + t * columns.all, c, columns);
  }
}

RowMatrix padded_columns(const RowMatrix& b) {
  RowMatrix padded = RowMatrix::Zero(b.rows(), padded_narrow(b.cols()));
  padded.leftCols(b.cols()) = b;
  return padded;
}

// Cut by rows, or into parts of the sum that are added in order: by the shape alone.
void narrow_product(const StridedMatrix& a, const RowMatrix& b, RowMatrix& result) {
  const NarrowBlock block = narrow_block(a);
  const Index row_blocks = (a.rows + block.rows - 1) / block.rows;
  const Index parts = row_blocks >= kNarrowParts
                          ? 1
                          : std::clamp<Index>(a.columns / kNarrowPartLength, 1, kNarrowParts);
  const Index length = (a.columns + parts - 1) / parts;
  std::vector<RowMatrix> others(static_cast<std::size_t>(parts - 1));
  resize_large(result, a.rows, b.cols());
  for (RowMatrix& sum : others) sum.resize(a.rows, b.cols());
  const LoopRules rules{1, worth_threads(a.rows, b.cols(), a.columns)};
  const kernels::NarrowColumns columns = columns_of(b);
  parallel_for(parts * row_blocks, rules, [&](Index n) {
    const Index p = n / row_blocks, row = n % row_blocks * block.rows, first = p * length,
                last = std::min(a.columns, first + length);
    RowMatrix& sum = p == 0 ? result : others[static_cast<std::size_t>(p - 1)];
    const StridedMatrix part =
        block_of(a, row, std::min(block.rows, a.rows - row), first, last - first);
    const double* const from = b.data() + first * b.cols();
    double* const c = sum.data() + row * sum.cols();
    if (a.row_step == 1) {
      kernels::narrow_gemm_upright(part, from, c, columns);
    } else {
      narrow_rows(part, block.depth, from, c, columns);
    }
  });
  for (const RowMatrix& sum : others) result += sum;
}

RowMatrix padded_narrow_product(const StridedMatrix& a, const RowMatrix& b) {
  RowMatrix result;
  if (padded_narrow(b.cols()) == b.cols()) {
    narrow_product(a, b, result);
    return result;
  }
  narrow_product(a, padded_columns(b), result);
  return result.leftCols(b.cols());
}

StridedMatrix strided(const MatrixView& a) {
  return {a.data(), a.rows(), a.cols(), 1, a.outerStride()};
}
StridedMatrix strided_transpose(const MatrixView& a) {
  return {a.data(), a.cols(), a.rows(), a.outerStride(), 1};
}

}  // namespace

Matrix multiply(const MatrixView& a, const MatrixView& b) {
  SOTTO_REQUIRE(a.cols() == b.rows(), "cannot multiply {} x {} by {} x {}", a.rows(), a.cols(),
                b.rows(), b.cols());
  Matrix c(a.rows(), b.cols());
  parallel_for(panels(a.rows()), {1, worth_threads(a.rows(), b.cols(), a.cols())}, [&](Index p) {
    const Index first = p * kPanel, rows = std::min(kPanel, a.rows() - first);
    c.middleRows(first, rows).noalias() = a.middleRows(first, rows) * b;
  });
  return c;
}

Matrix multiply_transposed(const MatrixView& a, const MatrixView& b) {
  SOTTO_REQUIRE(a.rows() == b.rows(), "cannot multiply ({} x {})^T by {} x {}", a.rows(), a.cols(),
                b.rows(), b.cols());
  Matrix c(a.cols(), b.cols());
  parallel_for(panels(a.cols()), {1, worth_threads(a.cols(), b.cols(), a.rows())}, [&](Index p) {
    const Index first = p * kPanel, rows = std::min(kPanel, a.cols() - first);
    c.middleRows(first, rows).noalias() = a.middleCols(first, rows).transpose() * b;
  });
  return c;
}

Matrix multiply_by_transposed(const MatrixView& a, const MatrixView& b) {
  SOTTO_REQUIRE(a.cols() == b.cols(), "cannot multiply {} x {} by ({} x {})^T", a.rows(), a.cols(),
                b.rows(), b.cols());
  Matrix c(a.rows(), b.rows());
  parallel_for(panels(a.rows()), {1, worth_threads(a.rows(), b.rows(), a.cols())}, [&](Index p) {
    const Index first = p * kPanel, rows = std::min(kPanel, a.rows() - first);
    c.middleRows(first, rows).noalias() = a.middleRows(first, rows) * b.transpose();
  });
  return c;
}

RowMatrix multiply_narrow(const MatrixView& a, const RowMatrix& b) {
  SOTTO_REQUIRE(a.cols() == b.rows(), "cannot multiply {} x {} by {} x {}", a.rows(), a.cols(),
                b.rows(), b.cols());
  return padded_narrow_product(strided(a), b);
}

RowMatrix multiply_transposed_narrow(const MatrixView& a, const RowMatrix& b) {
  SOTTO_REQUIRE(a.rows() == b.rows(), "cannot multiply ({} x {})^T by {} x {}", a.rows(), a.cols(),
                b.rows(), b.cols());
  return padded_narrow_product(strided_transpose(a), b);
}

void multiply_narrow_into(const MatrixView& a, const RowMatrix& b, RowMatrix& c) {
  SOTTO_REQUIRE(a.cols() == b.rows() && padded_narrow(b.cols()) == b.cols(),
                "cannot multiply {} x {} by {} x {} in place", a.rows(), a.cols(), b.rows(),
                b.cols());
  narrow_product(strided(a), b, c);
}

void multiply_transposed_narrow_into(const MatrixView& a, const RowMatrix& b, RowMatrix& c) {
  SOTTO_REQUIRE(a.rows() == b.rows() && padded_narrow(b.cols()) == b.cols(),
                "cannot multiply ({} x {})^T by {} x {} in place", a.rows(), a.cols(), b.rows(),
                b.cols());
  narrow_product(strided_transpose(a), b, c);
}

void multiply_narrow_columns_into(const MatrixView& a, const RowMatrix& b, double* c) {
  SOTTO_REQUIRE(a.cols() == b.rows(), "cannot multiply {} x {} by {} x {}", a.rows(), a.cols(),
                b.rows(), b.cols());
  kernels::narrow_gemm_upright_columns(strided(a), b.data(), c, a.rows(), {b.cols(), b.cols()});
}

void multiply_narrow_list_into(const MatrixList& a, const RowMatrix& b, RowMatrix& c) {
  if (a.count == 1) {
    return multiply_narrow_into(Eigen::Map<const Matrix>(a.data, a.rows, a.columns), b, c);
  }
  SOTTO_REQUIRE(a.columns == b.rows() && padded_narrow(b.cols()) == b.cols(),
                "cannot multiply {} x {} by {} x {} in place", a.rows, a.columns, b.rows(),
                b.cols());
  resize_large(c, a.count * a.rows, b.cols());
  const kernels::NarrowColumns columns = columns_of(b);
  parallel_for(a.count, {1, worth_threads(c.rows(), c.cols(), a.columns)}, [&](Index n) {
    kernels::narrow_gemm_upright({a.data + n * a.rows * a.columns, a.rows, a.columns, 1, a.rows},
                                 b.data(), c.data() + n * a.rows * c.cols(), columns);
  });
}

}  // namespace sotto
