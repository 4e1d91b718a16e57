#include "sotto/tensor/mode_product.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "sotto/base/error.h"
#include "sotto/base/parallel.h"
#include "sotto/linalg/gemm.h"
#include "sotto/linalg/krylov.h"
#include "sotto/linalg/spectral.h"

namespace sotto {
namespace {

using ConstBlock = Eigen::Map<const Matrix>;

// A tensor in C order seen from one mode: `left` blocks of right x rows matrices, column-major.
struct ModeView {
  Index left = 1, rows = 1, right = 1;

  ModeView(const std::vector<Index>& dims, Index mode) : rows(dims[mode]) {
    for (Index m = 0; m < mode; ++m) left *= dims[m];
    for (Index m = mode + 1; m < std::ssize(dims); ++m) right *= dims[m];
  }
};

// One long product, for the last mode (blocks of one row) and for the first (one block).
void multiply_at_an_end(const ModeView& v, const double* x, const Matrix& u, double* out) {
  const Index r = u.cols();
  if (v.right == 1) {
    const RowMatrix y = multiply_transposed_narrow(ConstBlock(x, v.rows, v.left), u);
    std::copy_n(y.data(), y.size(), out);
  } else {
    Eigen::Map<Matrix>(out, v.right, r) = multiply_narrow(ConstBlock(x, v.right, v.rows), u);
  }
}

void multiply_in_the_middle(const ModeView& v, const double* x, const Matrix& u, double* out) {
  const Index r = u.cols();
  parallel_for(v.left, {1, v.left * v.rows * v.right > 100000}, [&](Index l) {
    Eigen::Map<Matrix>(out + l * v.right * r, v.right, r).noalias() =
        ConstBlock(x + l * v.right * v.rows, v.right, v.rows) * u;
  });
}

// X x_0 U^T with its first mode moved behind the others: the order in which the product comes out.
DenseTensor product_of_first_mode(const DenseTensor& tensor, const Matrix& u) {
  std::vector<Index> dims(tensor.dims().begin() + 1, tensor.dims().end());
  dims.push_back(u.cols());
  const ModeView v(tensor.dims(), 0);
  const RowMatrix y = multiply_narrow(ConstBlock(tensor.values().data(), v.right, v.rows), u);
  DenseTensor result(std::move(dims));
  std::copy_n(y.data(), y.size(), result.values().data());
  return result;
}

// Entries that go through several products at a time: what lies between them stays in the cache.
constexpr Index kEntriesAtATime = Index{1} << 17;

constexpr Index kEnoughBlocks = 16;  // to be shared out among threads

// The modes from `first` on, the one that shrinks the tensor most first; of equal ones the last,
// whose products read in the order of memory.
std::vector<Index> in_shrinking_order(std::span<const Matrix> u, Index first) {
  std::vector<Index> modes;
  for (Index m = std::ssize(u) - 1; m >= first; --m) modes.push_back(m);
  const auto shrinks = [&](Index m) {
    return static_cast<double>(u[m].cols()) / static_cast<double>(u[m].rows());
  };
  std::stable_sort(modes.begin(), modes.end(),
                   [&](Index a, Index b) { return shrinks(a) < shrinks(b); });
  return modes;
}

DenseTensor products_in_order(const TensorView& tensor, std::span<const Matrix> u,
                              std::span<const Index> modes) {
  DenseTensor result = mode_product(tensor, modes[0], u[modes[0]]);
  for (const Index m : modes.subspan(1)) result = mode_product(result, m, u[m]);
  return result;
}

// ---- products of leading modes ----

// The leading modes of a product, and the number of places that all other modes have.
class LeadingModes {
 public:
  LeadingModes(const std::vector<Index>& dims, std::span<const Matrix> u)
      : u_(u), strides_(u.size()), last_(u.back()) {
    Index stride = 1;
    for (Index m = std::ssize(dims) - 1; m >= 0; --m) {
      if (m <= last()) strides_[m] = stride;
      stride *= dims[m];
    }
  }
  Index last() const { return std::ssize(u_) - 1; }
  Index places() const { return strides_.back(); }
  // So many that their sums stay in the cache, yet enough to read memory in long runs.
  Index places_at_a_time() const {
    constexpr Index kSums = Index{1} << 16, kFewest = 64, kMost = 512;
    Index sums_of_place = 1;
    for (const Matrix& u : u_) sums_of_place *= u.cols();
    return std::clamp(kSums / sums_of_place, kFewest, kMost);
  }
  Index stride(Index mode) const { return strides_[mode]; }
  const Matrix& u(Index mode) const { return u_[mode]; }
  const RowMatrix& last_u() const { return last_; }

 private:
  std::span<const Matrix> u_;
  std::vector<Index> strides_;
  RowMatrix last_;
};

// X x_0 U_0^T .. x_m U_m^T for some places of the modes behind. The last of these modes, whose rows
// are nearest in memory, is contracted first. For a few rows of a mode at a time, the product of
// the modes behind it is computed and added up at once.
class LeadingProducts {
 public:
  explicit LeadingProducts(const LeadingModes& modes)
      : modes_(modes), kept_(static_cast<std::size_t>(modes.last())) {}

  // `x`: the first place, in row 0 of all leading modes.
  void compute(const double* x, Index places) {
    places_ = places;
    sums_.resize(length(0), modes_.u(0).cols());
    product_from(0, x, sums_.data());
  }

  // In C order of all modes; `out`: the first place.
  void copy_to(double* out) const {
    const double* from = sums_.data();
    for (Index n = sums_.size() / places_; n > 0; --n, from += places_, out += modes_.places()) {
      std::copy_n(from, places_, out);
    }
  }

 private:
  static constexpr Index kRowsAtATime = 4;

  // Of what a row of the mode leaves: the ranks of the modes behind it, and the places.
  Index length(Index mode) const {
    Index result = places_;
    for (Index m = mode + 1; m <= modes_.last(); ++m) result *= modes_.u(m).cols();
    return result;
  }

  // The product of this mode and those behind it: a column for each rank of the mode.
  void product_from(Index mode, const double* x, double* out) {
    const Matrix& u = modes_.u(mode);
    const Index stride = modes_.stride(mode);
    if (mode == modes_.last()) {
      multiply_narrow_columns_into(Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>(
                                       x, places_, u.rows(), Eigen::OuterStride<>(stride)),
                                   modes_.last_u(), out);
      return;
    }
    Eigen::Map<Matrix> sums(out, length(mode), u.cols());
    sums.setZero();
    Matrix& kept = kept_[static_cast<std::size_t>(mode)];
    kept.resize(sums.rows(), kRowsAtATime);
    for (Index row = 0; row < u.rows(); row += kRowsAtATime) {
      const Index rows = std::min(kRowsAtATime, u.rows() - row);
      for (Index i = 0; i < rows; ++i) {
        product_from(mode + 1, x + (row + i) * stride, kept.col(i).data());
      }
      add_products(kept.leftCols(rows), u.middleRows(row, rows), sums);
    }
  }

  // sums += kept U, some rows at a time, which then stay in the cache for all columns.
  static void add_products(const Eigen::Ref<const Matrix>& kept,
                           const Eigen::Ref<const Matrix, 0, Eigen::OuterStride<>>& u,
                           Eigen::Ref<Matrix> sums) {
    constexpr Index kTogether = 512;
    for (Index first = 0; first < sums.rows(); first += kTogether) {
      const Index length = std::min(kTogether, sums.rows() - first);
      for (Index r = 0; r < sums.cols(); ++r) {
        sums.col(r).segment(first, length).noalias() += kept.middleRows(first, length) * u.col(r);
      }
    }
  }

  const LeadingModes& modes_;
  Index places_ = 0;
  std::vector<Matrix> kept_;
  Matrix sums_;
};

// Rows [first, last) of B^T B summed over the stacked blocks B of a view.
void add_gram(const ModeView& v, const double* x, Index first, Index last, Matrix& gram) {
  if (v.right == 1) {
    gram.selfadjointView<Eigen::Lower>().rankUpdate(
        ConstBlock(x, v.rows, v.left).middleCols(first, last - first));
    return;
  }
  while (first < last) {
    const Index l = first / v.right, row = first % v.right;
    const Index height = std::min(v.right - row, last - first);
    gram.selfadjointView<Eigen::Lower>().rankUpdate(
        ConstBlock(x + l * v.right * v.rows, v.right, v.rows).middleRows(row, height).transpose());
    first += height;
  }
}

// Beyond this an eigenvalue problem of d x d costs more than some passes over the tensor.
constexpr Index kLargestGram = 768;

// The basis from products with blocks of vectors alone.
Matrix basis_by_krylov(const RowMatrix& unfolded, Index r) {
  const Eigen::Map<const Matrix> xt(unfolded.data(), unfolded.cols(), unfolded.rows());
  KrylovOptions options;
  options.rounds = 3;
  const auto apply = [&](const RowMatrix& block) {
    return multiply_transposed_narrow(xt, multiply_narrow(xt, block));
  };
  return largest_eigenpairs(apply, unfolded.rows(), r, options).vectors;
}

// U = X V / sigma where the mode is longer than all others together.
Matrix basis_of_a_tall_unfolding(const RowMatrix& unfolded, Index r) {
  const Matrix tall = unfolded;
  const Index rank = std::min(r, tall.cols());
  const Eigenpairs pairs = leading_eigenpairs(multiply_transposed(tall, tall), rank);
  Matrix basis = Matrix::Zero(tall.rows(), r);
  basis.leftCols(rank) = multiply(tall, pairs.vectors);
  for (Index j = rank; j < r; ++j) basis(j, j) = 1;
  for (Index j = 0; j < rank; ++j) {
    if (basis.col(j).norm() == 0) basis(j, j) = 1;
    basis.col(j).normalize();
  }
  return orthonormal_columns(basis);
}

}  // namespace

DenseTensor mode_product(const TensorView& tensor, Index mode, const Matrix& u) {
  SOTTO_REQUIRE(u.rows() == tensor.dims[mode], "mode {} of {} cannot take a matrix of {} rows",
                mode, shape_text(tensor.dims), u.rows());
  std::vector<Index> dims = tensor.dims;
  dims[mode] = u.cols();
  DenseTensor result(dims);
  const ModeView view(tensor.dims, mode);
  const bool at_an_end = view.right == 1 || view.left == 1;
  (at_an_end ? multiply_at_an_end : multiply_in_the_middle)(view, tensor.values, u,
                                                            result.values().data());
  return result;
}

TensorView view_of(const DenseTensor& tensor) { return {tensor.dims(), tensor.values().data()}; }

DenseTensor mode_product(const DenseTensor& tensor, Index mode, const Matrix& u) {
  return mode_product(view_of(tensor), mode, u);
}

DenseTensor mode_products(const DenseTensor& tensor, std::span<const Matrix> u, Index skip) {
  std::vector<Index> modes = in_shrinking_order(u, 0);
  std::erase(modes, skip);
  if (modes.empty()) return tensor;
  if (skip > 0 || (skip != 0 && modes.back() != 0)) {
    return products_in_order(view_of(tensor), u, modes);
  }
  DenseTensor trailing = trailing_mode_products(tensor, u, 1);
  return skip == 0 ? std::move(trailing) : mode_product(trailing, 0, u[0]);
}

DenseTensor trailing_mode_products(const DenseTensor& tensor, std::span<const Matrix> u,
                                   Index first) {
  const std::vector<Index>& dims = tensor.dims();
  std::vector<Index> result_dims = dims;
  std::vector<Index> some_dims(dims.begin() + first - 1, dims.end());
  Index places = 1;
  for (Index m = 0; m < first; ++m) places *= dims[m];
  for (Index m = first; m < tensor.order(); ++m) result_dims[m] = u[m].cols();
  DenseTensor result(result_dims);
  const std::span<const Matrix> others = u.subspan(first - 1);
  const std::vector<Index> modes = in_shrinking_order(others, 1);
  const Index slice = tensor.size() / places, result_slice = result.size() / places;
  const Index step = std::max<Index>(1, kEntriesAtATime / slice);
  const Index blocks = (places + step - 1) / step;
  // Few blocks are long, so that each can be shared out.
  parallel_for(blocks, {1, blocks >= kEnoughBlocks}, [&](Index block) {
    const Index from = block * step;
    TensorView some{some_dims, tensor.values().data() + from * slice};
    some.dims[0] = std::min(step, places - from);
    const DenseTensor product = products_in_order(some, others, modes);
    std::copy_n(product.values().data(), product.size(), result.data() + from * result_slice);
  });
  return result;
}

DenseTensor leading_mode_products(const DenseTensor& tensor, std::span<const Matrix> u,
                                  Index last) {
  std::vector<Index> result_dims = tensor.dims();
  for (Index m = 0; m < last; ++m) result_dims[m] = u[m].cols();
  DenseTensor result(result_dims);
  const LeadingModes modes(tensor.dims(), u.first(last));
  const Index step = modes.places_at_a_time();
  const Index blocks = (modes.places() + step - 1) / step;
  parallel_for_with(
      blocks, {1, blocks > 1}, [&] { return LeadingProducts(modes); },
      [&](LeadingProducts& products, Index block) {
        const Index from = block * step;
        products.compute(tensor.values().data() + from, std::min(step, modes.places() - from));
        products.copy_to(result.data() + from);
      });
  return result;
}

Matrix unfolding_gram(const DenseTensor& tensor, Index mode) {
  const ModeView view(tensor.dims(), mode);
  const Index total = view.left * view.right;
  const Index parts =
      std::clamp<Index>(std::min((Index{1} << 22) / (view.rows * view.rows), total / 1024), 1, 16);
  const Index length = (total + parts - 1) / parts;
  std::vector<Matrix> sums(static_cast<std::size_t>(parts), Matrix::Zero(view.rows, view.rows));
  parallel_for(parts, [&](Index p) {
    add_gram(view, tensor.values().data(), std::min(total, p * length),
             std::min(total, (p + 1) * length), sums[static_cast<std::size_t>(p)]);
  });
  for (std::size_t p = 1; p < sums.size(); ++p) sums[0] += sums[p];
  return sums[0].selfadjointView<Eigen::Lower>();
}

Matrix leading_mode_basis(const DenseTensor& tensor, Index mode, Index r) {
  const Index d = tensor.dims()[mode], rest = tensor.size() / d;
  SOTTO_REQUIRE(1 <= r && r <= d, "mode {} of {} has no basis of {} vectors", mode,
                shape_text(tensor.dims()), r);
  if (d > rest) return basis_of_a_tall_unfolding(unfolding(tensor, mode), r);
  if (d > kLargestGram && 4 * r < d) return basis_by_krylov(unfolding(tensor, mode), r);
  return leading_eigenpairs(unfolding_gram(tensor, mode), r).vectors;
}

RowMatrix unfolding(const DenseTensor& tensor, Index mode) {
  return unfolding(view_of(tensor), mode);
}

RowMatrix unfolding(const TensorView& tensor, Index mode) {
  const ModeView view(tensor.dims, mode);
  RowMatrix result(view.rows, view.left * view.right);
  const double* x = tensor.values;
  for (Index l = 0; l < view.left; ++l) {
    for (Index i = 0; i < view.rows; ++i, x += view.right) {
      std::copy_n(x, view.right, result.data() + i * result.cols() + l * view.right);
    }
  }
  return result;
}

ModeBases sequential_bases(const DenseTensor& tensor, const std::vector<Index>& ranks) {
  std::vector<Matrix> bases;
  std::optional<DenseTensor> left;  // the next mode comes first
  for (const Index rank : ranks) {
    const DenseTensor& on = left ? *left : tensor;
    bases.push_back(leading_mode_basis(on, 0, rank));
    left = product_of_first_mode(on, bases.back());
  }
  return {std::move(bases), std::move(*left)};
}

}  // namespace sotto
