#include "sotto/linalg/kernels/narrow_gemm.h"

#include <algorithm>
#include <vector>

#include "sotto/linalg/kernels/lanes.h"

namespace sotto::kernels {
namespace {

// Rows of B used at a time, so that they stay in the cache: 128 KB at 32 columns.
constexpr Index kDepth = 512;

// Rows x (Vectors lanes) of C; b and c have `stride` numbers a row.
template <int Vectors, int Rows>
void tile(const StridedMatrix& a, const double* b, double* c, Index stride) {
  Lanes sum[Rows][Vectors];
  for (int r = 0; r < Rows; ++r) {
    for (int v = 0; v < Vectors; ++v) sum[r][v] = load(c + r * stride + v * kLanes);
  }
  const double* column = a.data;
  for (Index t = 0; t < a.columns; ++t, column += a.column_step, b += stride) {
    Lanes bt[Vectors];
    for (int v = 0; v < Vectors; ++v) bt[v] = load(b + v * kLanes);
    for (int r = 0; r < Rows; ++r) {
      const double s = column[r * a.row_step];
      for (int v = 0; v < Vectors; ++v) sum[r][v] += s * bt[v];
    }
  }
  for (int r = 0; r < Rows; ++r) {
    for (int v = 0; v < Vectors; ++v) store(c + r * stride + v * kLanes, sum[r][v]);
  }
}

// A strip of Vectors lanes of C, all rows, in slices of kDepth rows of B.
template <int Vectors>
void strip(const StridedMatrix& a, const double* b, double* c, Index stride) {
  for (Index first = 0; first < a.columns; first += kDepth) {
    StridedMatrix slice = a;
    slice.data += first * a.column_step;
    slice.columns = std::min(kDepth, a.columns - first);
    Index row = 0;
    for (; row + kRows <= a.rows; row += kRows, slice.data += kRows * a.row_step) {
      tile<Vectors, kRows>(slice, b + first * stride, c + row * stride, stride);
    }
    for (; row < a.rows; ++row, slice.data += a.row_step) {
      tile<Vectors, 1>(slice, b + first * stride, c + row * stride, stride);
    }
  }
}

// Works on as many full vectors as there are. Returns the number of columns done.
Index full_strips(const StridedMatrix& a, const double* b, double* c, Index n) {
  Index done = 0;
  for (; n - done >= kMaxVectors * kLanes; done += kMaxVectors * kLanes) {
    strip<kMaxVectors>(a, b + done, c + done, n);
  }
  switch ((n - done) / kLanes) {
#if defined(__AVX512F__)
    case 3:
      strip<3>(a, b + done, c + done, n);
      return done + 3 * kLanes;
    case 2:
      strip<2>(a, b + done, c + done, n);
      return done + 2 * kLanes;
#endif
    case 1:
      strip<1>(a, b + done, c + done, n);
      return done + kLanes;
    default:
      return done;
  }
}

// The last columns, fewer than a vector, on copies padded with zeros.
void last_columns(const StridedMatrix& a, const double* b, double* c, Index n, Index first) {
  const Index width = n - first;
  std::vector<double> wide_b(static_cast<std::size_t>(a.columns * kLanes));
  std::vector<double> wide_c(static_cast<std::size_t>(a.rows * kLanes));
  for (Index t = 0; t < a.columns; ++t) {
    std::copy_n(b + t * n + first, width, wide_b.data() + t * kLanes);
  }
  strip<1>(a, wide_b.data(), wide_c.data(), kLanes);
  for (Index i = 0; i < a.rows; ++i) {
    for (Index j = 0; j < width; ++j)
      c[i * n + first + j] += wide_c[static_cast<std::size_t>(i * kLanes + j)];
  }
}

}  // namespace

void narrow_gemm_accumulate(const StridedMatrix& a, const double* b, double* c, Index n) {
  const Index done = full_strips(a, b, c, n);
  if (done < n) last_columns(a, b, c, n, done);
}

}  // namespace sotto::kernels
