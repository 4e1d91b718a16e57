// A tensor as it came from a file: dense or sparse.
#pragma once

#include <variant>
#include <vector>

#include "sotto/tensor/dense_tensor.h"
#include "sotto/tensor/sparse_tensor.h"

namespace sotto {

using AnyTensor = std::variant<DenseTensor, SparseTensor>;

inline const std::vector<Index>& dims_of(const AnyTensor& tensor) {
  return std::visit([](const auto& t) -> const std::vector<Index>& { return t.dims(); }, tensor);
}

}  // namespace sotto
