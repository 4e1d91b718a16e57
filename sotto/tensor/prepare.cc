#include "sotto/tensor/prepare.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/base/join_text.h"
#include "sotto/tensor/contraction.h"
#include "sotto/tensor/mode_oracles.h"

namespace sotto {
namespace {

std::string index_text(const std::vector<Index>& index) {
  return fmt::format("({})", join_text(index, ","));
}

template <class Tensor>
double largest_entry(const Tensor& tensor) {
  double largest = 0;
  for (const double x : tensor.values()) largest = std::max(largest, std::abs(x));
  return largest;
}

template <class Tensor>
void check_symmetry(const Tensor& tensor, double tolerance, const std::string& place) {
  const Asymmetry worst = tensor.max_asymmetry();
  const double largest = largest_entry(tensor);
  SOTTO_REQUIRE_AT(
      worst.value <= tolerance * largest, place,
      "the tensor is not symmetric: entries {} and {} differ by {:.3g} (largest entry {:.3g}); use "
      "`symmetrize` to take the mean over index orders, `symmetry-tolerance` to accept more, or "
      "`method` cp for a tensor without symmetry",
      index_text(worst.larger), index_text(worst.smaller), worst.value, largest);
}

// A packed tensor reads every unique entry in each product; the sparse form costs more per entry.
// Packs unless that would take far more entries than are stored.
bool worth_packing(const SparseTensor& tensor) {
  constexpr double kSparseCost = 8;
  double packed = 1;
  for (int a = 0; a < tensor.order(); ++a) {
    packed *= static_cast<double>(tensor.dims()[0] + a) / (a + 1);
  }
  return packed <= kSparseCost * static_cast<double>(tensor.nnz()) + 1e6;
}

}  // namespace

OptionTable SymmetryOptions::table() {
  return OptionTable()
      .flag("symmetrize", symmetrize, "replace each entry by its mean over all index orders")
      .real("symmetry-tolerance", 0, symmetry_tolerance, {0, 1},
            "largest asymmetry to accept, relative to the largest entry");
}

std::unique_ptr<SymmetricOracle> SymmetricInput::oracle() const {
  if (const auto* tensor = std::get_if<SymmetricTensor>(&tensor_)) {
    return std::make_unique<TensorOracle>(*tensor);
  }
  if (const auto* asked = std::get_if<std::shared_ptr<AskedTensor>>(&tensor_)) {
    return std::make_unique<AskedTensor>(**asked);  // it holds no entry
  }
  return std::make_unique<SparseSymmetricOracle>(std::get<SparseTensor>(tensor_));
}

const SymmetricTensor& SymmetricInput::packed(const std::string& place) const {
  const auto* tensor = std::get_if<SymmetricTensor>(&tensor_);
  SOTTO_REQUIRE_AT(tensor != nullptr, place, "the tensor is too large and too sparse to whiten");
  return *tensor;
}

double SymmetricInput::squared_norm() const {
  if (const auto* tensor = std::get_if<SymmetricTensor>(&tensor_)) {
    return std::pow(tensor->frobenius_norm(), 2);
  }
  if (const auto* asked = std::get_if<std::shared_ptr<AskedTensor>>(&tensor_)) {
    return std::pow((*asked)->frobenius_norm(), 2);
  }
  double sum = 0;
  for (const double x : std::get<SparseTensor>(tensor_).values()) sum += x * x;
  return sum;
}

bool is_symmetric(const AnyTensor& tensor, const SymmetryOptions& options) {
  const auto& dims = dims_of(tensor);
  const bool cubical = std::all_of(dims.begin(), dims.end(), [&](Index d) { return d == dims[0]; });
  if (!cubical || dims.size() < 3 || dims.size() > 4) return false;
  return std::visit(
      [&](const auto& t) {
        return !t.has_nonfinite() &&
               t.max_asymmetry().value <= options.symmetry_tolerance * largest_entry(t);
      },
      tensor);
}

SymmetricInput prepare_symmetric(AnyTensor tensor, const SymmetryOptions& options,
                                 const std::string& place) {
  const auto& dims = dims_of(tensor);
  SOTTO_REQUIRE_AT(std::all_of(dims.begin(), dims.end(), [&](Index d) { return d == dims[0]; }),
                   place,
                   "a symmetric method needs equal dimensions, this tensor is {}; use `method` "
                   "cp",
                   shape_text(dims));
  SOTTO_REQUIRE_AT(dims.size() == 3 || dims.size() == 4, place,
                   "the symmetric methods take order 3 and 4, this tensor has order {}",
                   dims.size());
  if (!options.symmetrize) {
    std::visit([&](const auto& t) { check_symmetry(t, options.symmetry_tolerance, place); },
               tensor);
  } else {
    tensor = std::visit([](const auto& t) -> AnyTensor { return t.symmetrised(); }, tensor);
  }
  return pack_symmetric(std::move(tensor));
}

SymmetricInput pack_symmetric(AnyTensor tensor) {
  if (const auto* dense = std::get_if<DenseTensor>(&tensor)) {
    return SymmetricInput(SymmetricTensor::from_dense(*dense));
  }
  auto& sparse = std::get<SparseTensor>(tensor);
  if (worth_packing(sparse)) return SymmetricInput(SymmetricTensor::from_sparse(sparse));
  return SymmetricInput(std::move(sparse));
}

}  // namespace sotto
