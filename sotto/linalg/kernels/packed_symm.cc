#include "sotto/linalg/kernels/packed_symm.h"

#include "sotto/linalg/kernels/lanes.h"

namespace sotto::kernels {
namespace {

// Rows [0, Rows) of the triangle against columns [0, m): `row[b]` is indexed by the column.
template <int Vectors, int Rows>
void row_panel(const double* const* row, Index m, const double* u, double* w) {
  constexpr Index kWidth = Vectors * kLanes;
  Lanes sum[Rows][Vectors];
  for (int b = 0; b < Rows; ++b) {
    for (int v = 0; v < Vectors; ++v) sum[b][v] = load(w + b * kWidth + v * kLanes);
  }
  for (int b = 0; b < Rows; ++b) {  // the triangle on the diagonal, both halves
    for (int c = b; c < Rows; ++c) {
      const double s = row[b][c];
      for (int v = 0; v < Vectors; ++v) {
        sum[b][v] += s * load(u + c * kWidth + v * kLanes);
        if (c != b) sum[c][v] += s * load(u + b * kWidth + v * kLanes);
      }
    }
  }
  for (Index k = Rows; k < m; ++k) {  // W_b += S_bk U_k
    Lanes uk[Vectors];
    for (int v = 0; v < Vectors; ++v) uk[v] = load(u + k * kWidth + v * kLanes);
    for (int b = 0; b < Rows; ++b) {
      const double s = row[b][k];
      for (int v = 0; v < Vectors; ++v) sum[b][v] += s * uk[v];
    }
  }
  for (int b = 0; b < Rows; ++b) {
    for (int v = 0; v < Vectors; ++v) store(w + b * kWidth + v * kLanes, sum[b][v]);
  }
}

// W_k += S_bk U_b for the columns right of the diagonal block.
template <int Vectors, int Rows>
void transposed_panel(const double* const* row, Index m, const double* u, double* w) {
  constexpr Index kWidth = Vectors * kLanes;
  Lanes ub[Rows][Vectors];
  for (int b = 0; b < Rows; ++b) {
    for (int v = 0; v < Vectors; ++v) ub[b][v] = load(u + b * kWidth + v * kLanes);
  }
  for (Index k = Rows; k < m; ++k) {
    Lanes wk[Vectors];
    for (int v = 0; v < Vectors; ++v) wk[v] = load(w + k * kWidth + v * kLanes);
    for (int b = 0; b < Rows; ++b) {
      const double s = row[b][k];
      for (int v = 0; v < Vectors; ++v) wk[v] += s * ub[b][v];
    }
    for (int v = 0; v < Vectors; ++v) store(w + k * kWidth + v * kLanes, wk[v]);
  }
}

template <int Vectors, int Rows>
const double* panel(const double* packed, Index m, const double* u, double* w) {
  const double* row[Rows];
  for (int b = 0; b < Rows; ++b) {
    row[b] = packed - b;  // row b starts at its own diagonal
    packed += m - b;
  }
  row_panel<Vectors, Rows>(row, m, u, w);
  transposed_panel<Vectors, Rows>(row, m, u, w);
  return packed;
}

template <int Vectors>
void accumulate(const double* packed, Index m, const double* u, double* w) {
  constexpr Index kWidth = Vectors * kLanes;
  while (m >= kRows) {
    packed = panel<Vectors, kRows>(packed, m, u, w);
    m -= kRows;
    u += kRows * kWidth;
    w += kRows * kWidth;
  }
  while (m > 0) {
    packed = panel<Vectors, 1>(packed, m, u, w);
    --m;
    u += kWidth;
    w += kWidth;
  }
}

}  // namespace

Index strip_width() { return kMaxVectors * kLanes; }
Index strip_granularity() { return kLanes; }

void packed_symm_accumulate(const double* packed, Index m, const double* u, double* w,
                            Index width) {
  switch (width / kLanes) {
    case 1:
      return accumulate<1>(packed, m, u, w);
    case 2:
      return accumulate<2>(packed, m, u, w);
#if defined(__AVX512F__)
    case 3:
      return accumulate<3>(packed, m, u, w);
    case 4:
      return accumulate<4>(packed, m, u, w);
#endif
  }
}

}  // namespace sotto::kernels
