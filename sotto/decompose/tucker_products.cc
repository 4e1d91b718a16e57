#include "sotto/decompose/tucker_products.h"

#include <algorithm>

#include "sotto/linalg/gemm.h"
#include "sotto/tensor/mode_product.h"
#include "sotto/tensor/sparse_mode_product.h"

namespace sotto {
namespace {

RowMatrix padded_columns(const Matrix& u) {
  RowMatrix padded = RowMatrix::Zero(u.rows(), padded_narrow(u.cols()));
  padded.leftCols(u.cols()) = u;
  return padded;
}

// Each row of Y is an array over the other modes, one of them behind all others and padded to
// `padded` columns. That mode goes without its padding where `behind` says: it stays, or comes
// first.
RowMatrix without_padding(const RowMatrix& y, Index padded, Index columns, bool behind) {
  const Index rest = y.cols() / padded;
  RowMatrix result(y.rows(), rest * columns);
  for (Index i = 0; i < y.rows(); ++i) {
    const auto block =
        Eigen::Map<const RowMatrix>(y.data() + i * y.cols(), rest, padded).leftCols(columns);
    double* row = result.data() + i * result.cols();
    if (behind) {
      Eigen::Map<RowMatrix>(row, rest, columns) = block;
    } else {
      Eigen::Map<Matrix>(row, rest, columns) = block;
    }
  }
  return result;
}

}  // namespace

DenseTuckerProducts::DenseTuckerProducts(const DenseTensor& tensor,
                                         std::optional<double> squared_norm)
    : tensor_(tensor),
      split_((tensor.order() + 1) / 2),
      squared_norm_(squared_norm ? *squared_norm : sotto::squared_norm(tensor.values())),
      factors_(tensor.dims().size()) {}

void DenseTuckerProducts::refresh() {
  squared_norm_ = sotto::squared_norm(tensor_.values());
  onto_left_.product.reset();
  onto_right_.product.reset();
}

void DenseTuckerProducts::place(Index mode, const Matrix& factor) {
  factors_[mode] = factor;
  (mode < split_ ? onto_right_ : onto_left_).product.reset();
}

RowMatrix DenseTuckerProducts::contracted(Index mode) {
  const bool in_left = mode < split_;
  Half& half = in_left ? onto_left_ : onto_right_;
  if (!half.product) contract_half(in_left);
  TensorView product = *half.product;
  std::optional<DenseTensor> held;
  for (Index place = std::ssize(half.modes) - 1; place-- > 0;) {
    const Index m = half.modes[place];
    const bool of_this_half = (m < split_) == in_left;
    if (!of_this_half || m == mode) continue;
    held = mode_product(product, place, factors_[m]);
    product = view_of(*held);
  }
  const Index behind = half.modes.back();
  const auto at = std::find(half.modes.begin(), half.modes.end(), mode) - half.modes.begin();
  return without_padding(unfolding(product, at), half.once.cols(), factors_[behind].cols(),
                         in_left);
}

// The outermost mode of the other half first, straight from the tensor, by a product that leaves it
// behind all others. Then the rest of that half.
void DenseTuckerProducts::contract_half(bool left) {
  const std::vector<Index>& dims = tensor_.dims();
  const Index order = tensor_.order(), outermost = left ? order - 1 : 0;
  const Index rows = dims[outermost], rest = tensor_.size() / rows;
  Half& half = left ? onto_left_ : onto_right_;
  const RowMatrix u = padded_columns(factors_[outermost]);
  const double* x = tensor_.values().data();
  if (left) {
    multiply_transposed_narrow_into(Eigen::Map<const Matrix>(x, rows, rest), u, half.once);
  } else {
    multiply_narrow_into(Eigen::Map<const Matrix>(x, rest, rows), u, half.once);
  }
  half.modes.clear();
  std::vector<Index> shape;
  for (Index m = 0; m < order; ++m) {
    if (m == outermost) continue;
    half.modes.push_back(m);
    shape.push_back(dims[m]);
  }
  half.modes.push_back(outermost);
  shape.push_back(u.cols());
  half.product = TensorView{shape, half.once.data()};
  for (Index place = order - 1; place-- > 0;) {
    const Index m = half.modes[place];
    if ((m < split_) == left) continue;
    half.more = mode_product(*half.product, place, factors_[m]);
    half.product = view_of(*half.more);
  }
}

SparseTuckerProducts::SparseTuckerProducts(FibreCache& fibres)
    : fibres_(fibres), factors_(static_cast<std::size_t>(fibres.tensor().order())) {
  squared_norm_ = sotto::squared_norm(fibres.tensor().values());
}

RowMatrix SparseTuckerProducts::contracted(Index mode) {
  return sparse_mode_products(fibres_.of(mode), factors_);
}

}  // namespace sotto
