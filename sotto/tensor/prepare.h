// Makes a tensor from a file ready for the symmetric methods: checks its symmetry, and packs it
// where that is the better form.
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "sotto/tensor/oracle.h"
#include "sotto/tensor/sharded_tensor.h"
#include "sotto/tensor/sparse_tensor.h"
#include "sotto/tensor/symmetric_tensor.h"

namespace sotto {

// Packed or, when few of the unique entries are stored, sparse; or with shards.
class SymmetricInput {
 public:
  using Tensor = std::variant<SymmetricTensor, SparseTensor, std::shared_ptr<AskedTensor>>;
  explicit SymmetricInput(Tensor tensor) : tensor_(std::move(tensor)) {}

  // Borrows this object.
  std::unique_ptr<SymmetricOracle> oracle() const;
  // The sum of all squared entries; every ordering of an index counts.
  double squared_norm() const;
  // Refuses, naming `place`, a tensor that is not packed.
  const SymmetricTensor& packed(const std::string& place) const;

 private:
  Tensor tensor_;
};

// Whether the symmetric methods can take the tensor: equal dimensions, order 3 or 4, and an
// asymmetry within the tolerance.
bool is_symmetric(const AnyTensor& tensor, const SymmetryOptions& options);

// Of a tensor that is known to be symmetric.
SymmetricInput pack_symmetric(AnyTensor tensor);

// Refuses, naming `place`: dimensions that differ, orders other than 3 and 4, and a tensor whose
// largest asymmetry exceeds the tolerance (unless it is to be symmetrised).
SymmetricInput prepare_symmetric(AnyTensor tensor, const SymmetryOptions& options,
                                 const std::string& place);

}  // namespace sotto
