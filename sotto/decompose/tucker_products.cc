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
      factors_(tensor.dims().size()) {
  const Index order = tensor.order(), split = (order + 1) / 2;
  if (order == 3) {
    for (Index m = 0; m < order; ++m) contractions_.push_back({m, m + 1, m});
  } else {
    contractions_ = {{0, split, 0}, {split, order, order - 1}};
  }
}

void DenseTuckerProducts::refresh() {
  squared_norm_ = sotto::squared_norm(tensor_.values());
  for (Contraction& kept : contractions_) kept.product.reset();
}

void DenseTuckerProducts::place(Index mode, const Matrix& factor) {
  factors_[mode] = factor;
  ++placements_;
  for (Contraction& kept : contractions_) {
    if (!kept.holds(mode)) continue;
    kept.product.reset();
    kept.placed = placements_;
  }
}

// One that is there, or else the one that will stay longest.
DenseTuckerProducts::Contraction& DenseTuckerProducts::for_product(Index mode) {
  Contraction* best = nullptr;
  for (Contraction& kept : contractions_) {
    if (kept.holds(mode)) continue;
    if (kept.product) return kept;
    if (best == nullptr || kept.placed > best->placed) best = &kept;
  }
  SOTTO_REQUIRE(best != nullptr, "no contraction leaves mode {}", mode);
  return *best;
}

RowMatrix DenseTuckerProducts::contracted(Index mode) {
  Contraction& over = for_product(mode);
  if (!over.product) contract(over);
  TensorView product = *over.product;
  std::optional<DenseTensor> held;
  for (Index place = std::ssize(over.modes) - 1; place-- > 0;) {
    const Index m = over.modes[place];
    if (over.holds(m) || m == mode) continue;
    held = mode_product(product, place, factors_[m]);
    product = view_of(*held);
  }
  const auto at = std::find(over.modes.begin(), over.modes.end(), mode) - over.modes.begin();
  // All others but the outermost lie on one side of it.
  const bool behind = over.outermost > (mode == 0 ? 1 : 0);
  return without_padding(unfolding(product, at), over.once.cols(), factors_[over.outermost].cols(),
                         behind);
}

// The outermost mode first, straight from the tensor, by a product that leaves it behind all
// others. Then the rest.
void DenseTuckerProducts::contract(Contraction& over) const {
  const std::vector<Index>& dims = tensor_.dims();
  const Index outermost = over.outermost, rows = dims[outermost];
  const RowMatrix u = padded_columns(factors_[outermost]);
  Index before = 1;
  over.modes.clear();
  std::vector<Index> shape;
  for (Index m = 0; m < tensor_.order(); ++m) {
    if (m < outermost) before *= dims[m];
    if (m == outermost) continue;
    over.modes.push_back(m);
    shape.push_back(dims[m]);
  }
  const Index after = tensor_.size() / rows / before;
  const double* x = tensor_.values().data();
  if (after == 1) {
    multiply_transposed_narrow_into(Eigen::Map<const Matrix>(x, rows, before), u, over.once);
  } else {
    multiply_narrow_list_into({x, before, after, rows}, u, over.once);
  }
  over.modes.push_back(outermost);
  shape.push_back(u.cols());
  over.product = TensorView{shape, over.once.data()};
  for (Index place = tensor_.order() - 1; place-- > 0;) {
    const Index m = over.modes[place];
    if (!over.holds(m)) continue;
    over.more = mode_product(*over.product, place, factors_[m]);
    over.product = view_of(*over.more);
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
