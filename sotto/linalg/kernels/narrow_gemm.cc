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

// Fetches what this tile reads next where its rows are long, else what a later tile reads, in one
// run: the hardware loses a matrix at every turn. GCC takes a function that only prefetches for one
// without effects and drops its calls, unless it is inlined at once.
template <int Rows>
class Prefetch {
 public:
  explicit Prefetch(const StridedMatrix& a) : a_(a) {
    constexpr Index kAhead = 1024;
    const Index tile = std::max<Index>(1, Rows * a.row_step);
    later_ = a.data + (kAhead / tile + 1) * tile;
  }

  [[gnu::always_inline]] void step(const double* column, Index t) const {
    constexpr Index kLine = 8, kAlong = 128, kLongRow = 4 * kAlong;
    if (a_.row_step < kLongRow) {
      for (Index line = 0; line < Rows; line += kLine) {
        __builtin_prefetch(later_ + t * Rows + line);
      }
    } else if (t % kLine == 0) {
      for (int r = 0; r < Rows; ++r) __builtin_prefetch(column + r * a_.row_step + kAlong);
    }
  }

 private:
  const StridedMatrix& a_;
  const double* later_;
};

// The columns that a strip has beside its full vectors: a half or a quarter of a vector. Several
// rows share a vector for theirs, so that no lane works for nothing.
constexpr int rows_sharing(int rest) { return rest == 0 ? 1 : kLanes / rest; }

[[gnu::always_inline]] inline Lanes broadcast(double x) { return x - Lanes{}; }

// b[0 .. Rest) again and again. (As a shuffle GCC 12 sends it through memory.)
template <int Rest>
[[gnu::always_inline]] inline Lanes repeated(const double* b) {
  Lanes result = broadcast(b[0]);
  for (int j = 1; j < Rest; ++j) {
    LaneMask here;
    for (int lane = 0; lane < kLanes; ++lane) here[lane] = lane % Rest == j ? -1 : 0;
    result = here ? broadcast(b[j]) : result;
  }
  return result;
}

// Rest lanes of each x in turn.
template <int Rest>
[[gnu::always_inline]] inline Lanes side_by_side(const Lanes (&x)[rows_sharing(Rest)]) {
  Lanes result = x[0];
  for (int n = 1; n < rows_sharing(Rest); ++n) {
    LaneMask here;
    for (int lane = 0; lane < kLanes; ++lane) here[lane] = lane / Rest == n ? -1 : 0;
    result = here ? x[n] : result;
  }
  return result;
}

// Rows x (Vectors lanes and Rest columns more) of C; b and c have `stride` numbers a row.
template <int Vectors, int Rest, int Rows>
void tile(const StridedMatrix& a, const double* b, double* c, Index stride) {
  constexpr int kRestAt = Vectors * kLanes, kShare = rows_sharing(Rest);
  static_assert(Rows % kShare == 0);
  Lanes sum[Rows][std::max(Vectors, 1)];
  Lanes rest[Rows / kShare];
  for (int r = 0; r < Rows; ++r) {
    for (int v = 0; v < Vectors; ++v) sum[r][v] = load(c + r * stride + v * kLanes);
    for (int j = 0; j < Rest; ++j) {
      rest[r / kShare][r % kShare * Rest + j] = c[r * stride + kRestAt + j];
    }
  }
  const Prefetch<Rows> prefetch(a);
  const double* column = a.data;
  for (Index t = 0; t < a.columns; ++t, column += a.column_step, b += stride) {
    Lanes bt[std::max(Vectors, 1)];
    Lanes rest_bt = {};
    prefetch.step(column, t);
    for (int v = 0; v < Vectors; ++v) bt[v] = load(b + v * kLanes);
    if constexpr (Rest > 0) rest_bt = repeated<Rest>(b + kRestAt);
    for (int r = 0; r < Rows; r += kShare) {
      Lanes x[kShare];
      for (int n = 0; n < kShare; ++n) {
        x[n] = broadcast(column[(r + n) * a.row_step]);
        for (int v = 0; v < Vectors; ++v) sum[r + n][v] += x[n] * bt[v];
      }
      if constexpr (Rest > 0) rest[r / kShare] += side_by_side<Rest>(x) * rest_bt;
    }
  }
  for (int r = 0; r < Rows; ++r) {
    for (int v = 0; v < Vectors; ++v) store(c + r * stride + v * kLanes, sum[r][v]);
    for (int j = 0; j < Rest; ++j) {
      c[r * stride + kRestAt + j] = rest[r / kShare][r % kShare * Rest + j];
    }
  }
}

// The same for one row, which has nobody to share with.
template <int Vectors, int Rest>
void row_tile(const StridedMatrix& a, const double* b, double* c, Index stride) {
  constexpr int kRestAt = Vectors * kLanes;
  if constexpr (Vectors > 0) tile<Vectors, 0, 1>(a, b, c, stride);
  double rest[std::max(Rest, 1)];
  for (int j = 0; j < Rest; ++j) rest[j] = c[kRestAt + j];
  for (Index t = 0; t < a.columns; ++t) {
    const double x = a.data[t * a.column_step];
    for (int j = 0; j < Rest; ++j) rest[j] += x * b[t * stride + kRestAt + j];
  }
  for (int j = 0; j < Rest; ++j) c[kRestAt + j] = rest[j];
}

// Rows of a tile: as many accumulators as the registers hold beside a row of B and the numbers of A
// that share a vector.
constexpr int rows_of_tile(int vectors, bool rest) {
#if defined(__AVX512F__)
  if (rest) return vectors == 3 ? 6 : vectors == 2 ? 8 : 16;
  return vectors == 4 ? 6 : vectors == 3 ? 8 : 12;
#elif defined(__AVX__)
  if (rest) return vectors == 2 ? 4 : vectors == 1 ? 6 : 8;
  return vectors == 3 ? 4 : vectors == 2 ? 6 : 8;
#else
  if (rest) return vectors == 2 ? 2 : vectors == 1 ? 4 : 8;
  return vectors == 3 ? 4 : vectors == 2 ? 4 : 8;
#endif
}

// A strip of Vectors lanes of C and Rest columns more, all rows, in slices of kDepth rows of B.
template <int Vectors, int Rest>
void strip(const StridedMatrix& a, const double* b, double* c, Index stride) {
  constexpr int kTileRows = rows_of_tile(Vectors, Rest > 0);
  for (Index first = 0; first < a.columns; first += kDepth) {
    StridedMatrix slice = a;
    slice.data += first * a.column_step;
    slice.columns = std::min(kDepth, a.columns - first);
    Index row = 0;
    for (; row + kTileRows <= a.rows; row += kTileRows, slice.data += kTileRows * a.row_step) {
      tile<Vectors, Rest, kTileRows>(slice, b + first * stride, c + row * stride, stride);
    }
    for (; row < a.rows; ++row, slice.data += a.row_step) {
      row_tile<Vectors, Rest>(slice, b + first * stride, c + row * stride, stride);
    }
  }
}

// Each strip reads A once, so there are as few as possible and all of about the same width.
constexpr Index kWidestStrip = kLanes == 8 ? 4 : 3;

// The four rows that share a vector by quarters leave no registers for three vectors beside it.
constexpr int kHalf = kLanes / 2, kQuarter = kLanes == 8 ? 2 : 0;
constexpr int most_vectors_beside(int rest) {
  return static_cast<int>(kWidestStrip) - (rest == 0 ? 0 : rest == kHalf ? 1 : 2);
}

template <int Rest, int Vectors = most_vectors_beside(Rest)>
void strip_of(Index vectors, const StridedMatrix& a, const double* b, double* c, Index stride) {
  if (vectors == Vectors) return strip<Vectors, Rest>(a, b, c, stride);
  if constexpr (Vectors > 0) strip_of<Rest, Vectors - 1>(vectors, a, b, c, stride);
}

// How many columns stand beside the vectors of the last strip: as few of a quarter, half or the
// whole of a vector as hold `left`.
Index rest_for(Index left, Index vectors) {
  if (left <= kQuarter && vectors <= most_vectors_beside(kQuarter)) return kQuarter;
  return left <= kHalf ? kHalf : kLanes;
}

// Strips of so many vectors altogether.
struct Strips {
  Index vectors;

  Index count() const { return (vectors + kWidestStrip - 1) / kWidestStrip; }
  Index first(Index strip) const { return vectors * strip / count(); }
  Index width(Index strip) const { return first(strip + 1) - first(strip); }
};

// Works on as many columns as fill vectors, with padding at the end of a row where there is some.
// Returns the number of columns done.
Index full_strips(const StridedMatrix& a, const double* b, double* c, NarrowColumns columns) {
  const Index full = columns.used / kLanes, left = columns.used % kLanes;
  Strips strips{full + (left > 0 ? 1 : 0)};
  Index rest = left == 0 ? 0 : rest_for(left, strips.width(strips.count() - 1) - 1);
  if (full * kLanes + rest > columns.all) {
    strips = {full};
    rest = 0;
  }
  for (Index s = 0; s < strips.count(); ++s) {
    const double* const from = b + strips.first(s) * kLanes;
    double* const to = c + strips.first(s) * kLanes;
    const Index rest_here = s + 1 == strips.count() ? rest % kLanes : 0;
    if (rest_here == 0) {
      strip_of<0>(strips.width(s), a, from, to, columns.all);
    } else if (rest_here == kHalf) {
      strip_of<kHalf>(strips.width(s) - 1, a, from, to, columns.all);
    } else {
      strip_of<kQuarter>(strips.width(s) - 1, a, from, to, columns.all);
    }
  }
  return full * kLanes + rest;
}

// The last columns, fewer than a vector, on copies padded with zeros.
void last_columns(const StridedMatrix& a, const double* b, double* c, NarrowColumns columns,
                  Index first) {
  const Index n = columns.all, width = columns.used - first;
  std::vector<double> wide_b(static_cast<std::size_t>(a.columns * kLanes));
  std::vector<double> wide_c(static_cast<std::size_t>(a.rows * kLanes));
  for (Index t = 0; t < a.columns; ++t) {
    std::copy_n(b + t * n + first, width, wide_b.data() + t * kLanes);
  }
  strip<1, 0>(a, wide_b.data(), wide_c.data(), kLanes);
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

void narrow_gemm_accumulate(const StridedMatrix& a, const double* b, double* c,
                            NarrowColumns columns) {
  if (a.row_step == 1) {
    return upright_product(a, b, columns, [&](Index first, Index rows, const double* ct) {
      for (Index i = 0; i < rows; ++i) {
        double* row = c + (first + i) * columns.all;
        for (Index j = 0; j < columns.used; ++j) row[j] += ct[j * kSumRow + i];
      }
    });
  }
  const Index done = full_strips(a, b, c, columns);
  if (done < columns.used) last_columns(a, b, c, columns, done);
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
