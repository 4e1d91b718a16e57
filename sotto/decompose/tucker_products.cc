#include "sotto/decompose/tucker_products.h"

#include <algorithm>

#include "sotto/base/error.h"
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
      squared_norm_(squared_norm ? *squared_norm : sotto::squared_norm(tensor.values())),
      factors_(tensor.dims().size()),
      contractions_(tensor.order(), (tensor.order() + 1) / 2) {}

void DenseTuckerProducts::refresh() {
  squared_norm_ = sotto::squared_norm(tensor_.values());
  contractions_.make_stale();
}

void DenseTuckerProducts::place(Index mode, const Matrix& factor) {
  factors_[mode] = factor;
  contractions_.place(mode);
}

RowMatrix DenseTuckerProducts::contracted(Index mode) {
  Contraction& over = contractions_.for_product(mode);
  if (over.stale) contract(over);
  if (over.one_mode()) return contracted_from_one(over, mode);
  std::optional<DenseTensor> product;
  for (Index m = order() - 1; m >= 0; --m) {
    if (over.holds(m) || m == mode) continue;
    product = mode_product(product ? *product : *over.of_half, m, factors_[m]);
  }
  return unfolding(product ? *product : *over.of_half, mode);
}

RowMatrix DenseTuckerProducts::contracted_from_one(const Contraction& over, Index mode) const {
  const Index one = over.first, other = 3 - one - mode;
  const Index padded = over.of_one.cols(), columns = factors_[one].cols();
  const Index wanted_at = mode < other ? 0 : 1;
  const TensorView all{{dims()[std::min(mode, other)], dims()[std::max(mode, other)], padded},
                       over.of_one.data()};
  const DenseTensor product = mode_product(all, 1 - wanted_at, factors_[other]);
  return without_padding(unfolding(product, wanted_at), padded, columns, one > other);
}

void DenseTuckerProducts::contract(Contraction& over) const {
  if (over.one_mode()) {
    contract_one(over);
  } else {
    over.of_half = over.first == 0 ? leading_mode_products(tensor_, factors_, over.last)
                                   : trailing_mode_products(tensor_, factors_, over.first);
  }
  over.stale = false;
}

// By a product that leaves the mode behind all others.
void DenseTuckerProducts::contract_one(Contraction& over) const {
  const RowMatrix u = padded_columns(factors_[over.first]);
  Index before = 1;
  for (Index m = 0; m < over.first; ++m) before *= dims()[m];
  const Index after = tensor_.size() / u.rows() / before;
  const double* x = tensor_.values().data();
  if (after == 1) {
    multiply_transposed_narrow_into(Eigen::Map<const Matrix>(x, u.rows(), before), u, over.of_one);
  } else {
    multiply_narrow_list_into({x, before, after, u.rows()}, u, over.of_one);
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
