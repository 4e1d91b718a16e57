#include "sotto/release/protected_tensor.h"

#include <algorithm>

#include "sotto/base/error.h"
#include "sotto/release/access.h"

namespace sotto {
namespace {

SymmetricTensor packed(const DenseTensor& tensor) { return SymmetricTensor::from_dense(tensor); }
SymmetricTensor packed(const SparseTensor& tensor) { return SymmetricTensor::from_sparse(tensor); }

}  // namespace

PublicShape require_shape(const std::vector<Index>& dims, const std::string& place) {
  SOTTO_REQUIRE_AT(dims.size() == 3 || dims.size() == 4, place,
                   "a private decomposition takes order 3 and 4, this tensor has order {}",
                   dims.size());
  SOTTO_REQUIRE_AT(std::all_of(dims.begin(), dims.end(), [&](Index d) { return d == dims[0]; }),
                   place, "a private decomposition needs equal dimensions, this tensor is {}",
                   shape_text(dims));
  constexpr Index kLargest = Index{1} << 32;
  const auto order = static_cast<int>(dims.size());
  SOTTO_REQUIRE_AT(unique_entries(dims[0], order) <= kLargest, place,
                   "a private decomposition packs the tensor, and {} has more than 2^32 unique "
                   "entries",
                   shape_text(dims));
  return {dims[0], order};
}

PublicShape public_shape(const Sensitive<AnyTensor>& data, const std::string& place) {
  return require_shape(dims_of(ReleaseAccess::view(data)), place);
}

PublicShape public_shape(const Sensitive<SymmetricTensor>& data) {
  const SymmetricTensor& tensor = ReleaseAccess::view(data);
  return {tensor.dim(), tensor.order()};
}

Sensitive<SymmetricTensor> protected_tensor(Sensitive<AnyTensor> data, bool symmetrize) {
  if (symmetrize) {
    data = std::move(data).transform([](AnyTensor&& tensor) -> AnyTensor {
      return std::visit([](const auto& t) -> AnyTensor { return t.symmetrised(); }, tensor);
    });
  }
  return std::move(data).transform([](AnyTensor&& tensor) {
    return std::visit([](const auto& t) { return packed(t); }, tensor);
  });
}

}  // namespace sotto
