#include "sotto/tensor/point_source.h"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/linalg/kernels/narrow_gemm.h"

namespace sotto {
namespace {

// Rows of a piece: about a megabyte of doubles, so that the second product finds in the
// second-level cache what the first has read.
Index piece_rows(Index dim) {
  return std::clamp<Index>((1 << 17) / std::max<Index>(dim, 1), 8, 512);
}
constexpr Index pieces_of_a_block = 8;

// Documents have some hundred words each.
constexpr Index sparse_block_rows = 4096;
constexpr Index sparse_piece_rows = 256;

// Columns of the result that one thread adds up for sparse rows: one cache line.
constexpr Index strip_columns = 8;

// Below this many multiplications a product is over before the threads have met.
constexpr Index worth_threads = 1 << 20;

// One processor is left to the thread that reads: a product that shares its own with the reader
// keeps all the others waiting at its end.
int product_threads() { return std::max(1, omp_get_max_threads() - 1); }

Index piece_count(const PointBlock& block) {
  const Index rows = block.is_sparse ? sparse_piece_rows : piece_rows(block.dim());
  return (block.rows() + rows - 1) / rows;
}

// Calls work(piece, first row, rows) for every piece, on several threads where that pays.
template <class Work>
void for_pieces(const PointBlock& block, Index columns, Work work) {
  const Index step = block.is_sparse ? sparse_piece_rows : piece_rows(block.dim());
  const Index pieces = piece_count(block);
  const Index size = block.is_sparse ? block.sparse.nonZeros() : block.dense.size();
  [[maybe_unused]] const bool share = size * columns > worth_threads;
#pragma omp parallel for schedule(dynamic) num_threads(product_threads()) if (share)
  for (Index p = 0; p < pieces; ++p) {
    work(p, p * step, std::min(step, block.rows() - p * step));
  }
}

using kernels::narrow_gemm_accumulate;
using kernels::StridedMatrix;

void dense_scores(const RowMatrix& x, const RowMatrix& u, Index first, Eigen::Ref<RowMatrix> s) {
  s.setZero();
  const StridedMatrix rows{x.row(first).data(), s.rows(), x.cols(), x.cols(), 1};
  narrow_gemm_accumulate(rows, u.data(), s.data(), u.cols());
}

RowMatrix dense_transposed(const RowMatrix& x, Index first, const Eigen::Ref<const RowMatrix>& z) {
  RowMatrix y = RowMatrix::Zero(x.cols(), z.cols());
  const StridedMatrix columns{x.row(first).data(), x.cols(), z.rows(), 1, x.cols()};
  narrow_gemm_accumulate(columns, z.data(), y.data(), z.cols());
  return y;
}

void sparse_scores(const SparseRows& x, const RowMatrix& u, Index first, Eigen::Ref<RowMatrix> s) {
  s.setZero();
  for (Index r = 0; r < s.rows(); ++r) {
    for (SparseRows::InnerIterator entry(x, first + r); entry; ++entry) {
      s.row(r) += entry.value() * u.row(entry.col());
    }
  }
}

// Rows in order, and the columns shared out in strips: no two threads write to the same number.
void add_sparse_transposed(const SparseRows& x, const RowMatrix& z, RowMatrix& y) {
  const Index strips = (z.cols() + strip_columns - 1) / strip_columns;
  [[maybe_unused]] const bool share = x.nonZeros() * z.cols() > worth_threads;
#pragma omp parallel for schedule(static) num_threads(product_threads()) if (share)
  for (Index strip = 0; strip < strips; ++strip) {
    const Index first = strip * strip_columns;
    const Index columns = std::min(strip_columns, z.cols() - first);
    for (Index r = 0; r < x.rows(); ++r) {
      for (SparseRows::InnerIterator entry(x, r); entry; ++entry) {
        y.row(entry.col()).segment(first, columns) +=
            entry.value() * z.row(r).segment(first, columns);
      }
    }
  }
}

void add_in_order(const std::vector<RowMatrix>& parts, RowMatrix& y) {
  for (const RowMatrix& part : parts) y += part;
}

// 0 * x is 0 for every finite x and NaN for every other.
bool all_finite(const double* begin, Index count) {
  return (Eigen::Map<const Eigen::ArrayXd>(begin, count) * 0.0).sum() == 0.0;
}

// The first row with NaN or infinity, or -1.
Index first_nonfinite_row(const PointBlock& block) {
  const double* values = block.is_sparse ? block.sparse.valuePtr() : block.dense.data();
  const Index count = block.is_sparse ? block.sparse.nonZeros() : block.dense.size();
  if (all_finite(values, count)) return -1;
  for (Index r = 0; r < block.rows(); ++r) {
    const Index begin = block.is_sparse ? block.sparse.outerIndexPtr()[r] : r * block.dim();
    const Index end = block.is_sparse ? block.sparse.outerIndexPtr()[r + 1] : begin + block.dim();
    if (!all_finite(values + begin, end - begin)) return r;
  }
  return -1;
}

void check_shapes(const PointBlock& block, Index u_rows) {
  SOTTO_REQUIRE(block.dim() == u_rows, "records of dimension {} and vectors of dimension {}",
                block.dim(), u_rows);
}

}  // namespace

Index PointSource::read(Index max_rows, PointBlock& block) {
  SOTTO_REQUIRE(max_rows >= 1, "a block has at least one record, got {}", max_rows);
  const Index rows = fill(max_rows, block);
  block.first_record = position_;
  position_ += rows;
  if (rows == 0 || is_checked()) return rows;
  const Index bad = first_nonfinite_row(block);
  SOTTO_REQUIRE_AT(bad < 0, name(), "record {} has a value that is NaN or infinite",
                   block.first_record + bad + 1);
  return rows;
}

void PointSource::rewind() {
  SOTTO_REQUIRE_AT(can_rewind(), name(), "cannot be read a second time; give a regular file");
  restart();
  position_ = 0;
}

Index PointSource::skip(Index count) {
  const Index step = block_rows(*this);
  PointBlock block;
  Index done = 0;
  while (done < count) {
    const Index rows = fill(std::min(step, count - done), block);
    if (rows == 0) break;
    done += rows;
  }
  position_ += done;
  return done;
}

Index block_rows(const PointSource& source) {
  return source.is_sparse() ? sparse_block_rows : pieces_of_a_block * piece_rows(source.dim());
}

Index addition_depth(const PointSource& source, Index records) {
  if (source.is_sparse()) return records;
  // Within a block at most block_rows additions, then one for each piece; each block may end in a
  // piece that is not full.
  const Index pieces = records / piece_rows(source.dim()) + records / block_rows(source) + 2;
  return block_rows(source) + pieces;
}

RowMatrix scores(const PointBlock& block, const RowMatrix& u) {
  check_shapes(block, u.rows());
  RowMatrix s(block.rows(), u.cols());
  for_pieces(block, u.cols(), [&](Index, Index first, Index rows) {
    if (block.is_sparse) {
      sparse_scores(block.sparse, u, first, s.middleRows(first, rows));
    } else {
      dense_scores(block.dense, u, first, s.middleRows(first, rows));
    }
  });
  return s;
}

void add_transposed_product(const PointBlock& block, const RowMatrix& z, RowMatrix& y) {
  check_shapes(block, y.rows());
  SOTTO_REQUIRE(z.rows() == block.rows() && z.cols() == y.cols(),
                "cannot add ({} x {})^T ({} x {}) to {} x {}", block.rows(), block.dim(), z.rows(),
                z.cols(), y.rows(), y.cols());
  if (block.is_sparse) return add_sparse_transposed(block.sparse, z, y);
  std::vector<RowMatrix> parts(static_cast<std::size_t>(piece_count(block)));
  for_pieces(block, z.cols(), [&](Index piece, Index first, Index rows) {
    parts[static_cast<std::size_t>(piece)] =
        dense_transposed(block.dense, first, z.middleRows(first, rows));
  });
  add_in_order(parts, y);
}

Vector squared_norms(const PointBlock& block) {
  if (!block.is_sparse) return block.dense.rowwise().squaredNorm();
  Vector norms(block.rows());
  for (Index r = 0; r < block.rows(); ++r) norms[r] = block.sparse.row(r).squaredNorm();
  return norms;
}

void add_mapped_product(const PointBlock& block, const RowMatrix& u, const ScoreMap& f,
                        RowMatrix& y) {
  check_shapes(block, u.rows());
  SOTTO_REQUIRE(y.rows() == u.rows() && y.cols() == u.cols(), "cannot add {} x {} to {} x {}",
                u.rows(), u.cols(), y.rows(), y.cols());
  if (block.is_sparse) {
    RowMatrix s(block.rows(), u.cols());
    for_pieces(block, u.cols(), [&](Index, Index first, Index rows) {
      sparse_scores(block.sparse, u, first, s.middleRows(first, rows));
      f(first, s.middleRows(first, rows));
    });
    return add_sparse_transposed(block.sparse, s, y);
  }
  std::vector<RowMatrix> parts(static_cast<std::size_t>(piece_count(block)));
  for_pieces(block, u.cols(), [&](Index piece, Index first, Index rows) {
    RowMatrix s(rows, u.cols());
    dense_scores(block.dense, u, first, s);
    f(first, s);
    parts[static_cast<std::size_t>(piece)] = dense_transposed(block.dense, first, s);
  });
  add_in_order(parts, y);
}

}  // namespace sotto
