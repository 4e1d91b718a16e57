#include "sotto/tensor/contraction.h"

#include <algorithm>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/base/parallel.h"
#include "sotto/linalg/gemm.h"
#include "sotto/linalg/kernels/packed_symm.h"

namespace sotto {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using RowMap = Eigen::Map<Eigen::ArrayXd>;
using ConstRow = Eigen::Map<const Eigen::ArrayXd>;

// Columns [first, first + width) of the block, rows contiguous, padded with zero columns.
RowMajor make_strip(const Matrix& block, Index first, Index width) {
  RowMajor strip = RowMajor::Zero(block.rows(), width);
  const Index columns = std::min(width, block.cols() - first);
  strip.leftCols(columns) = block.middleCols(first, columns);
  return strip;
}

// Widths of the strips that cover `columns`: full ones, then one rounded up to whole registers.
Index next_strip_width(Index columns_left) {
  const Index unit = kernels::strip_granularity();
  return std::min(kernels::strip_width(), (columns_left + unit - 1) / unit * unit);
}

// W = S~ U for one slice; u and w point at the row of the slice's first index.
void slice_times_strip(const TailSlice& s, Index rows, const double* u, double* w, Index width) {
  std::fill(w, w + rows * width, 0.0);
  kernels::packed_symm_accumulate(s.packed + rows, rows - 1, u + width, w + width, width);
  const ConstRow u_first(u, width);
  RowMap w_first(w, width);
  w_first = s.corner_scale * s.packed[0] * u_first;
  for (Index a = 1; a < rows; ++a) {
    const double entry = s.row_scale * s.packed[a];
    w_first += entry * ConstRow(u + a * width, width);
    RowMap(w + a * width, width) += entry * u_first;
  }
}

// Adds (c/p) grad[ (prod u_prefix) u^T S~ u ] to y, given W = S~ U and Q = u^T W:
//   c/p ( sum over prefix a of e_a (prod of the other prefix rows) Q  +  2 (prod u_prefix) W ).
void add_slice_gradient(const TailSlice& s, int order, const RowMajor& u, const double* w,
                        RowMajor& y) {
  const Index width = u.cols();
  const Index rows = u.rows() - s.first;
  const int prefix = order - 2;
  Eigen::ArrayXd q = Eigen::ArrayXd::Zero(width);
  Eigen::ArrayXd product = Eigen::ArrayXd::Constant(width, 2 * s.coefficient / order);
  for (int a = 0; a < prefix; ++a) product *= u.row(s.prefix[a]).transpose().array();
  for (Index a = 0; a < rows; ++a) {
    const ConstRow w_row(w + a * width, width);
    q += ConstRow(u.data() + (s.first + a) * width, width) * w_row;
    RowMap(y.data() + (s.first + a) * width, width) += product * w_row;
  }
  for (int a = 0; a < prefix; ++a) {
    Eigen::ArrayXd others = s.coefficient / order * q;
    for (int b = 0; b < prefix; ++b) {
      if (b != a) others *= u.row(s.prefix[b]).transpose().array();
    }
    RowMap(y.data() + s.prefix[a] * width, width) += others;
  }
}

// What chunks first .. last-1 add to [T(I, u, .., u)], one matrix each. Not inlined, so that one
// process and shards run the same instructions.
[[gnu::noinline]] std::vector<RowMajor> chunk_products(const TailSlices& t,
                                                       const std::vector<Index>& starts,
                                                       Index first, Index last, const RowMajor& u) {
  const Index d = t.dim;
  std::vector<RowMajor> partial(static_cast<std::size_t>(last - first));
  // Small products take less time than starting the threads.
  const bool worth_threads =
      static_cast<double>(unique_entries(d, t.order)) * static_cast<double>(u.cols()) > 500000;
  parallel_for(last - first, {1, worth_threads}, [&](Index c) {
    RowMajor y = RowMajor::Zero(d, u.cols());
    RowMajor w(d, u.cols());
    for (Index i = starts[first + c]; i < starts[first + c + 1]; ++i) {
      t.visit(i, [&](const TailSlice& s) {
        slice_times_strip(s, d - s.first, u.data() + s.first * u.cols(), w.data(), u.cols());
        add_slice_gradient(s, t.order, u, w.data(), y);
      });
    }
    partial[static_cast<std::size_t>(c)] = std::move(y);
  });
  return partial;
}

// Calls visit(first column, number of columns, strip) for the strips of a block.
template <class Visit>
void for_strips(const Matrix& block, Visit visit) {
  for (Index first = 0; first < block.cols();) {
    const Index width = next_strip_width(block.cols() - first);
    const Index columns = std::min(width, block.cols() - first);
    visit(first, columns, make_strip(block, first, width));
    first += width;
  }
}

// The slice as a full square matrix S~.
Matrix unpack(const TailSlice& s, Index rows) {
  Matrix full(rows, rows);
  const double* entry = s.packed;
  for (Index a = 0; a < rows; ++a) {
    for (Index b = a; b < rows; ++b) full(a, b) = full(b, a) = *entry++;
  }
  full.row(0).tail(rows - 1) *= s.row_scale;
  full.col(0).tail(rows - 1) *= s.row_scale;
  full(0, 0) *= s.corner_scale;
  return full;
}

// Mean of x[perm(index)] over all orderings, for a k^p array x in C order.
double mean_over_orderings(const std::vector<double>& x, std::vector<Index> index, Index k) {
  double sum = 0;
  double count = 0;
  do {
    Index offset = 0;
    for (const Index i : index) offset = offset * k + i;
    sum += x[static_cast<std::size_t>(offset)];
    ++count;
  } while (std::next_permutation(index.begin(), index.end()));
  return sum / count;
}

}  // namespace

Matrix contract(const SymmetricTensor& tensor, const Matrix& block) {
  SOTTO_REQUIRE(block.rows() == tensor.dim(),
                "a block of vectors of length {} for a tensor of dimension {}", block.rows(),
                tensor.dim());
  Matrix y(block.rows(), block.cols());
  const std::vector<Index> starts = slice_chunks(tensor.dim(), tensor.order());
  for_strips(block, [&](Index first, Index columns, const RowMajor& strip) {
    y.middleCols(first, columns) =
        tree_sum(chunk_products(tensor.slices(), starts, 0, std::ssize(starts) - 1, strip))
            .leftCols(columns);
  });
  return y;
}

void add_products(const TailSlices& slices, Index first, Index last, const Matrix& block,
                  PartialSum& sum) {
  const std::vector<Index> starts = slice_chunks(slices.dim, slices.order);
  std::vector<RowMatrix> parts(static_cast<std::size_t>(last - first),
                               RowMatrix(block.rows(), block.cols()));
  for_strips(block, [&](Index column, Index columns, const RowMajor& strip) {
    const auto products = chunk_products(slices, starts, first, last, strip);
    for (std::size_t c = 0; c < parts.size(); ++c) {
      parts[c].middleCols(column, columns) = products[c].leftCols(columns);
    }
  });
  for (Index c = first; c < last; ++c) {
    sum.add(c, std::move(parts[static_cast<std::size_t>(c - first)]));
  }
}

Matrix contract_reference(const SymmetricTensor& tensor, const Matrix& block) {
  Matrix y = Matrix::Zero(block.rows(), block.cols());
  const double* entry = tensor.packed().data();
  for_unique_entries(tensor.dim(), tensor.order(), [&](std::vector<Index> index, double) {
    do {
      for (Index l = 0; l < block.cols(); ++l) {
        double product = *entry;
        for (std::size_t a = 1; a < index.size(); ++a) product *= block(index[a], l);
        y(index[0], l) += product;
      }
    } while (std::next_permutation(index.begin(), index.end()));
    ++entry;
  });
  return y;
}

Matrix contract_to_matrix(const SymmetricTensor& tensor, const Vector& theta) {
  const Index d = tensor.dim();
  SOTTO_REQUIRE(theta.size() == d, "a vector of length {} for a tensor of dimension {}",
                theta.size(), d);
  // T(I, I, theta, ..) is the Hessian of T(u, .., u) at theta over p (p-1). For one slice the
  // function is c (prod u_prefix) q with q = u^T S~ u, and its Hessian follows by the product rule.
  const double scale = 1.0 / (tensor.order() * (tensor.order() - 1));
  Matrix m = Matrix::Zero(d, d);
  for (Index i = 0; i < d; ++i) {
    tensor.slices().visit(i, [&](const TailSlice& s) {
      const Index rows = d - s.first;
      const Matrix full = unpack(s, rows);
      const Vector w = full * theta.tail(rows);
      const double q = theta.tail(rows).dot(w);
      const double c = s.coefficient * scale;
      const auto add_cross = [&](Index row, double factor) {
        m.row(row).tail(rows) += factor * w.transpose();
        m.col(row).tail(rows) += factor * w;
      };
      if (tensor.order() == 3) {
        m.bottomRightCorner(rows, rows) += 2 * c * theta[s.prefix[0]] * full;
        add_cross(s.prefix[0], 2 * c);
      } else {
        const double a = theta[s.prefix[0]];
        const double b = theta[s.prefix[1]];
        m.bottomRightCorner(rows, rows) += 2 * c * a * b * full;
        add_cross(s.prefix[0], 2 * c * b);
        add_cross(s.prefix[1], 2 * c * a);
        m(s.prefix[0], s.prefix[1]) += c * q;
        m(s.prefix[1], s.prefix[0]) += c * q;
      }
    });
  }
  return m;
}

SymmetricTensor transform(const SymmetricTensor& tensor, const Matrix& w) {
  const Index d = tensor.dim();
  const Index k = w.cols();
  const int order = tensor.order();
  SOTTO_REQUIRE(w.rows() == d, "a map of {} rows for a tensor of dimension {}", w.rows(), d);
  // T(W,..,W) = Sym( sum of c w_prefix (x) (W^T S~ W) ) with w_i the rows of W.
  const Index lead = order == 3 ? k : k * k;
  Matrix sum = Matrix::Zero(k * k, lead);
  for (Index i = 0; i < d; ++i) {
    tensor.slices().visit(i, [&](const TailSlice& s) {
      const Index rows = d - s.first;
      const Matrix tail = w.bottomRows(rows);
      const Matrix projected = s.coefficient * (tail.transpose() * multiply(unpack(s, rows), tail));
      const Eigen::Map<const Vector> flat(projected.data(), k * k);
      Vector prefix = w.row(s.prefix[0]).transpose();
      if (order == 4) {
        const Matrix outer = prefix * w.row(s.prefix[1]);
        prefix = Eigen::Map<const Vector>(outer.data(), k * k);
      }
      sum.noalias() += flat * prefix.transpose();
    });
  }
  const std::vector<double> all(sum.data(), sum.data() + sum.size());
  SymmetricTensor result(k, order);
  auto out = result.packed().begin();
  for_unique_entries(k, order, [&](const std::vector<Index>& index, double) {
    *out++ = mean_over_orderings(all, index, k);
  });
  return result;
}

}  // namespace sotto
