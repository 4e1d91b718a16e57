#include "sotto/decompose/tucker_products.h"

#include "sotto/tensor/mode_product.h"
#include "sotto/tensor/sparse_mode_product.h"

namespace sotto {
namespace {

double squared_sum(std::span<const double> values) {
  return Eigen::Map<const Vector>(values.data(), std::ssize(values)).squaredNorm();
}

// All modes in [first, last) but `skip`, the last ones first: they lie side by side.
DenseTensor contract_modes(DenseTensor tensor, const Factors& u, Index first, Index last,
                           Index skip = -1) {
  for (Index m = last; m-- > first;) {
    if (m != skip) tensor = mode_product(tensor, m, u[m]);
  }
  return tensor;
}

}  // namespace

DenseTuckerProducts::DenseTuckerProducts(const DenseTensor& tensor)
    : tensor_(tensor), split_((tensor.order() + 1) / 2), factors_(tensor.dims().size()) {
  refresh();
}

void DenseTuckerProducts::refresh() {
  squared_norm_ = squared_sum(tensor_.values());
  onto_left_.reset();
  onto_right_.reset();
}

void DenseTuckerProducts::place(Index mode, const Matrix& factor) {
  factors_[mode] = factor;
  (mode < split_ ? onto_right_ : onto_left_).reset();
}

RowMatrix DenseTuckerProducts::contracted(Index mode) {
  const bool in_left = mode < split_;
  const Index order = tensor_.order();
  const Index first = in_left ? 0 : split_, last = in_left ? split_ : order;
  std::optional<DenseTensor>& half = in_left ? onto_left_ : onto_right_;
  if (!half) {
    // Straight from the tensor: it is not copied.
    const Index from = in_left ? order - 1 : 0;
    DenseTensor once = mode_product(tensor_, from, factors_[from]);
    half = in_left ? contract_modes(std::move(once), factors_, split_, order - 1)
                   : contract_modes(std::move(once), factors_, 1, split_);
  }
  return unfolding(contract_modes(*half, factors_, first, last, mode), mode);
}

SparseTuckerProducts::SparseTuckerProducts(FibreCache& fibres)
    : fibres_(fibres), factors_(static_cast<std::size_t>(fibres.tensor().order())) {
  squared_norm_ = squared_sum(fibres.tensor().values());
}

RowMatrix SparseTuckerProducts::contracted(Index mode) {
  return sparse_mode_products(fibres_.of(mode), factors_);
}

}  // namespace sotto
