#include "sotto/linalg/kernels/narrow_gemm.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "sotto/linalg/kernels/lanes.h"

namespace sotto::kernels {
namespace {

// Rows of B used at a time, so that they stay in the cache: 128 KB at 32 columns.
constexpr Index kDepth = 512;

// Asks for what this tile reads next where its rows are long, else for what later tiles read, in
// one run: the hardware loses a matrix at every turn. GCC takes a function that only prefetches for
// one without effects and drops its calls, unless it is inlined at once.
template <int Rows>
[[gnu::always_inline]] inline void prefetch(const StridedMatrix& a, const double* column, Index t) {
  constexpr Index kLine = 8, kAlong = 128, kLongRow = 4 * kAlong, kTiles = 4;
  if (a.row_step < kLongRow) {
    const double* later = a.data + kTiles * Rows * a.row_step + t * Rows;
    for (Index line = 0; line < Rows; line += kLine) __builtin_prefetch(later + line, 0, 2);
  } else if (t % kLine == 0) {
    for (int r = 0; r < Rows; ++r) __builtin_prefetch(column + r * a.row_step + kAlong);
  }
}

// Rows x (Vectors lanes, and half of them more where `Half`) of C; b and c have `stride` numbers a
// row.
template <int Vectors, bool Half, int Rows>
void tile(const StridedMatrix& a, const double* b, double* c, Index stride) {
  constexpr int kHalfAt = Vectors * kLanes;
  Lanes sum[Rows][std::max(Vectors, 1)];
  HalfLanes half[Rows];
  for (int r = 0; r < Rows; ++r) {
    for (int v = 0; v < Vectors; ++v) sum[r][v] = load(c + r * stride + v * kLanes);
    if constexpr (Half) half[r] = load_half(c + r * stride + kHalfAt);
  }
  const double* column = a.data;
  for (Index t = 0; t < a.columns; ++t, column += a.column_step, b += stride) {
    Lanes bt[std::max(Vectors, 1)];
    HalfLanes half_bt = {};
    prefetch<Rows>(a, column, t);
    for (int v = 0; v < Vectors; ++v) bt[v] = load(b + v * kLanes);
    if constexpr (Half) half_bt = load_half(b + kHalfAt);
    for (int r = 0; r < Rows; ++r) {
      const double s = column[r * a.row_step];
      for (int v = 0; v < Vectors; ++v) sum[r][v] += s * bt[v];
      if constexpr (Half) half[r] += s * half_bt;
    }
  }
  for (int r = 0; r < Rows; ++r) {
    for (int v = 0; v < Vectors; ++v) store(c + r * stride + v * kLanes, sum[r][v]);
    if constexpr (Half) store_half(c + r * stride + kHalfAt, half[r]);
  }
}

// Rows of a tile of so many vectors: as many accumulators as the registers hold beside a row of B
// and a number of A.
constexpr int rows_of_tile(int vectors) {
#if defined(__AVX512F__)
  return vectors == 4 ? 6 : vectors == 3 ? 8 : 12;
#elif defined(__AVX__)
  return vectors == 3 ? 4 : vectors == 2 ? 6 : 8;
#else
  return vectors == 3 ? 4 : vectors == 2 ? 4 : 8;
#endif
}

// A strip of Vectors lanes of C, all rows, in slices of kDepth rows of B.
template <int Vectors, bool Half = false>
void strip(const StridedMatrix& a, const double* b, double* c, Index stride) {
  constexpr int kTileRows = rows_of_tile(Vectors + (Half ? 1 : 0));
  for (Index first = 0; first < a.columns; first += kDepth) {
    StridedMatrix slice = a;
    slice.data += first * a.column_step;
    slice.columns = std::min(kDepth, a.columns - first);
    Index row = 0;
    for (; row + kTileRows <= a.rows; row += kTileRows, slice.data += kTileRows * a.row_step) {
      tile<Vectors, Half, kTileRows>(slice, b + first * stride, c + row * stride, stride);
    }
    for (; row < a.rows; ++row, slice.data += a.row_step) {
      tile<Vectors, Half, 1>(slice, b + first * stride, c + row * stride, stride);
    }
  }
}

// Each strip reads A once, so there are as few as possible and all of about the same width.
constexpr Index kWidestStrip = kLanes == 8 ? 4 : 3;

void strip_with_half(Index vectors, const StridedMatrix& a, const double* b, double* c,
                     Index stride) {
  switch (vectors) {
#if defined(__AVX512F__)
    case 3:
      return strip<3, true>(a, b, c, stride);
#endif
    case 2:
      return strip<2, true>(a, b, c, stride);
    case 1:
      return strip<1, true>(a, b, c, stride);
    default:
      return strip<0, true>(a, b, c, stride);
  }
}

// Works on as many full vectors as there are, and half a one. Returns the number of columns done.
Index full_strips(const StridedMatrix& a, const double* b, double* c, Index n) {
  const bool half = n % kLanes >= kHalfLanes;
  const Index vectors = n / kLanes + (half ? 1 : 0);
  const Index strips = (vectors + kWidestStrip - 1) / kWidestStrip;
  Index done = 0;
  for (Index s = 0; s < strips; ++s) {
    const Index width = (vectors * (s + 1)) / strips - (vectors * s) / strips;
    if (half && s + 1 == strips) {
      strip_with_half(width - 1, a, b + done, c + done, n);
      return n / kHalfLanes * kHalfLanes;
    }
    switch (width) {
#if defined(__AVX512F__)
      case 4:
        strip<4>(a, b + done, c + done, n);
        break;
#endif
      case 3:
        strip<3>(a, b + done, c + done, n);
        break;
      case 2:
        strip<2>(a, b + done, c + done, n);
        break;
      default:
        strip<1>(a, b + done, c + done, n);
    }
    done += width * kLanes;
  }
  return done;
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

// ---- rows side by side ----

// Where the rows of A lie side by side, registers run along them: C^T += B^T A^T, with a block of
// C^T in the cache. While a block of A is worked on, the next one is asked for, in runs as long as
// a block: the hardware sees only the short pieces that a tile takes from many columns.
constexpr Index kBlockRows = 512, kBlockDepth = 32;
constexpr Index kSumRow = kBlockRows + 16;  // of C^T: no power of two, which would crowd the cache
constexpr int kRowVectors = 2;
constexpr Index kTileRows = kRowVectors * kLanes;
constexpr int kMostColumns = kLanes == 8 ? 12 : 6;  // as many sums as registers hold beside A
constexpr Index kLine = 8;

// The sums of a block: where they begin, and whether they begin at zero.
struct UprightSums {
  double* ct;
  bool fresh;
};

// Asks for a block, kTileRows numbers at a time, for the second cache.
class BlockAhead {
 public:
  // What comes behind the columns of `block`.
  explicit BlockAhead(const StridedMatrix& block)
      : at_(block.data + block.columns * block.column_step),
        to_next_(block.column_step >= kBlockRows ? block.column_step - kBlockRows : 0) {}

  [[gnu::always_inline]] void ask() {
    for (Index line = 0; line < kTileRows; line += kLine) __builtin_prefetch(at_ + line, 0, 2);
    at_ += kTileRows;
    left_ -= kTileRows;
    if (left_ > 0) return;
    at_ += to_next_;
    left_ = kBlockRows;
  }

 private:
  const double* at_;
  Index to_next_, left_ = kBlockRows;
};

// kTileRows rows of Columns rows of C^T, kSumRow apart; rows of B have `stride` numbers. Each step
// asks for numbers of the next block, and of the next tile.
template <int Columns>
void upright_tile(const StridedMatrix& a, const double* b, Index stride, UprightSums sums,
                  BlockAhead& ahead) {
  double* const ct = sums.ct;
  static constexpr double kZeros[kTileRows] = {};
  const double* const from = sums.fresh ? kZeros : ct;
  const Index from_row = sums.fresh ? 0 : kSumRow;
  Lanes sum[Columns][kRowVectors];
  for (int j = 0; j < Columns; ++j) {
    for (int v = 0; v < kRowVectors; ++v) sum[j][v] = load(from + j * from_row + v * kLanes);
  }
  const double* column = a.data;
  for (Index t = 0; t < a.columns; ++t, column += a.column_step, b += stride) {
    ahead.ask();
    for (Index line = 0; line < kTileRows; line += kLine) {
      __builtin_prefetch(column + kTileRows + line);
    }
    Lanes x[kRowVectors];
    for (int v = 0; v < kRowVectors; ++v) x[v] = load(column + v * kLanes);
    for (int j = 0; j < Columns; ++j) {
      for (int v = 0; v < kRowVectors; ++v) sum[j][v] += b[j] * x[v];
    }
  }
  for (int j = 0; j < Columns; ++j) {
    for (int v = 0; v < kRowVectors; ++v) store(ct + j * kSumRow + v * kLanes, sum[j][v]);
  }
}

// The last rows, fewer than a tile, on a copy with zeros below.
template <int Columns>
void upright_end(const StridedMatrix& a, const double* b, Index stride, UprightSums sums) {
  double copy[kBlockDepth * kTileRows] = {};
  for (Index t = 0; t < a.columns; ++t) {
    std::copy_n(a.data + t * a.column_step, a.rows, copy + t * kTileRows);
  }
  const StridedMatrix tile{copy, kTileRows, a.columns, 1, kTileRows};
  BlockAhead nothing({copy, kTileRows, 0, 1, 0});
  upright_tile<Columns>(tile, b, stride, sums, nothing);
}

// All rows of a block of A.
template <int Columns>
void upright_strip(const StridedMatrix& a, const double* b, Index stride, UprightSums sums) {
  BlockAhead ahead(a);
  StridedMatrix rest = a;
  for (; rest.rows >= kTileRows; rest.rows -= kTileRows, rest.data += kTileRows) {
    upright_tile<Columns>(rest, b, stride, sums, ahead);
    sums.ct += kTileRows;
  }
  if (rest.rows > 0) upright_end<Columns>(rest, b, stride, sums);
}

using UprightStrip = void (*)(const StridedMatrix&, const double*, Index, UprightSums);

template <std::size_t... Columns>
constexpr std::array<UprightStrip, sizeof...(Columns)> upright_strips(
    std::index_sequence<Columns...>) {
  return {upright_strip<static_cast<int>(Columns) + 1>...};
}

// The first columns of B, in strips of about the same width.
void upright_block(const StridedMatrix& a, const double* b, NarrowColumns columns,
                   UprightSums sums) {
  static constexpr auto kStrips = upright_strips(std::make_index_sequence<kMostColumns>());
  const Index strips = (columns.used + kMostColumns - 1) / kMostColumns;
  for (Index s = 0, first = 0; s < strips; ++s) {
    const Index last = columns.used * (s + 1) / strips;
    kStrips[static_cast<std::size_t>(last - first - 1)](a, b + first, columns.all,
                                                        {sums.ct + first * kSumRow, sums.fresh});
    first = last;
  }
}

// Calls take(first row, rows, C^T of these rows) for each block of rows of C = A B; rows of C^T are
// kSumRow apart.
template <class Take>
void upright_product(const StridedMatrix& a, const double* b, NarrowColumns columns, Take take) {
  thread_local Matrix ct;  // new memory would cost as much as a small product
  ct.resize(kSumRow, columns.used);
  if (a.columns == 0) ct.setZero();
  // Blocks of the same depth, since each asks for as much as it has itself.
  const Index blocks = (a.columns + kBlockDepth - 1) / kBlockDepth;
  const Index depth = blocks == 0 ? 1 : (a.columns + blocks - 1) / blocks;
  for (Index row = 0; row < a.rows; row += kBlockRows) {
    const Index rows = std::min(kBlockRows, a.rows - row);
    for (Index t = 0; t < a.columns; t += depth) {
      const StridedMatrix block{a.data + row + t * a.column_step, rows,
                                std::min(depth, a.columns - t), 1, a.column_step};
      upright_block(block, b + t * columns.all, columns, {ct.data(), t == 0});
    }
    take(row, rows, std::as_const(ct).data());
  }
}

}  // namespace

void narrow_gemm_accumulate(const StridedMatrix& a, const double* b, double* c, Index n) {
  if (a.row_step == 1) {
    return upright_product(a, b, {n, n}, [&](Index first, Index rows, const double* ct) {
      for (Index i = 0; i < rows; ++i) {
        for (Index j = 0; j < n; ++j) c[(first + i) * n + j] += ct[j * kSumRow + i];
      }
    });
  }
  const Index done = full_strips(a, b, c, n);
  if (done < n) last_columns(a, b, c, n, done);
}

void narrow_gemm_upright(const StridedMatrix& a, const double* b, double* c,
                         NarrowColumns columns) {
  upright_product(a, b, columns, [&](Index first, Index rows, const double* ct) {
    for (Index i = 0; i < rows; ++i) {
      double* row = c + (first + i) * columns.all;
      for (Index j = 0; j < columns.used; ++j) row[j] = ct[j * kSumRow + i];
      for (Index j = columns.used; j < columns.all; ++j) row[j] = 0;
    }
  });
}

void narrow_gemm_upright_columns(const StridedMatrix& a, const double* b, double* c, Index step,
                                 NarrowColumns columns) {
  upright_product(a, b, columns, [&](Index first, Index rows, const double* ct) {
    for (Index j = 0; j < columns.used; ++j) {
      std::copy_n(ct + j * kSumRow, rows, c + j * step + first);
    }
  });
}

}  // namespace sotto::kernels
