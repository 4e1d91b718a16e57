#include "sotto/release/protected_tensor.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "sotto/base/error.h"
#include "sotto/release/access.h"

namespace sotto {
namespace {

SymmetricTensor packed(const DenseTensor& tensor) { return SymmetricTensor::from_dense(tensor); }
SymmetricTensor packed(const SparseTensor& tensor) { return SymmetricTensor::from_sparse(tensor); }

}  // namespace

PublicShape require_shape(const std::vector<Index>& dims, const std::string& place) {
  SOTTO_REQUIRE_AT(dims.size() == 3 || dims.size() == 4, place,
                   "a private decomposition of a symmetric tensor takes order 3 and 4, this tensor "
                   "has order {}; `method` cp takes order 3 to {}",
                   dims.size(), max_tensor_order);
  SOTTO_REQUIRE_AT(std::all_of(dims.begin(), dims.end(), [&](Index d) { return d == dims[0]; }),
                   place,
                   "a private decomposition of a symmetric tensor needs equal dimensions, this "
                   "tensor is {}; `method` cp takes any",
                   shape_text(dims));
  const auto order = static_cast<int>(dims.size());
  SOTTO_REQUIRE_AT(unique_entries(dims[0], order) <= kMostEntries, place,
                   "a private decomposition packs the tensor, and {} has more than 2^32 unique "
                   "entries",
                   shape_text(dims));
  return {dims[0], order};
}

Index PublicDims::entries() const {
  return std::accumulate(dims.begin(), dims.end(), Index{1}, std::multiplies<>());
}

void require_dims(const PublicDims& shape, const std::string& place) {
  const std::vector<Index>& dims = shape.dims;
  SOTTO_REQUIRE_AT(dims.size() >= 3 && std::ssize(dims) <= max_tensor_order, place,
                   "a private decomposition takes order 3 to {}, this tensor has order {}",
                   max_tensor_order, dims.size());
  double entries = 1;
  for (const Index d : dims) {
    SOTTO_REQUIRE_AT(d > 1, place, "a mode of this tensor, {}, has one row only: leave it out",
                     shape_text(dims));
    entries *= static_cast<double>(d);
  }
  SOTTO_REQUIRE_AT(entries <= static_cast<double>(kMostEntries), place,
                   "a private decomposition puts noise on every entry, zeros too, and {} has more "
                   "than 2^32 entries",
                   shape_text(dims));
}

PublicDims public_dims(const Sensitive<AnyTensor>& data) {
  return PublicDims(dims_of(ReleaseAccess::view(data)));
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
