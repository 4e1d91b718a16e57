// The tensor that a private decomposition protects, from the tensor as it was read.
//
// Its shape is public. Its unique entries are those of the file with sorted indices i <= j <= ..,
// or, with `symmetrize`, the mean over all orders of the indices. Nothing is said about whether the
// file was symmetric: that would be a statement about the data without noise.
#pragma once

#include <string>
#include <vector>

#include "sotto/base/sensitive.h"
#include "sotto/release/plan.h"
#include "sotto/tensor/sparse_tensor.h"
#include "sotto/tensor/symmetric_tensor.h"

namespace sotto {

// The shape of the data, declared public, checked likewise.
PublicDims public_dims(const Sensitive<AnyTensor>& data);  // not checked
PublicShape public_shape(const Sensitive<AnyTensor>& data, const std::string& place);
PublicShape public_shape(const Sensitive<SymmetricTensor>& data);

// Always packed, however many entries are zero. The shape must have been checked.
Sensitive<SymmetricTensor> protected_tensor(Sensitive<AnyTensor> data, bool symmetrize);

}  // namespace sotto
