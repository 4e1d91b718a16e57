// Products of a packed symmetric tensor with blocks of vectors: the one kernel of the power
// methods.
//
// contract() runs over tail slices (symmetric_tensor.h). For each slice W = S~ U, and the slice
// adds c/p times the gradient of (prod u_prefix) u^T S~ u. This costs 2/3 d^3 flops per column for
// order 3 and d^4/6 for order 4; an unfolding would cost 2 d^3 and 2 d^4. The workspace is O(d L),
// nothing has size d^p. Slices are grouped in chunks that depend on the dimension alone and join in
// a fixed tree, so the answer is the same for any number of threads and of shards.
#pragma once

#include "sotto/linalg/matrix.h"
#include "sotto/tensor/oracle.h"
#include "sotto/tensor/partial_sum.h"
#include "sotto/tensor/symmetric_tensor.h"

namespace sotto {

// [T(I, u_l, .., u_l)], d x L.
Matrix contract(const SymmetricTensor& tensor, const Matrix& block);
// What the slices of chunks first .. last-1 (slice_chunks) add to it.
void add_products(const TailSlices& slices, Index first, Index last, const Matrix& block,
                  PartialSum& sum);
// The same from the definition, entry by entry: the twin that the kernel is tested against.
Matrix contract_reference(const SymmetricTensor& tensor, const Matrix& block);

// T(I, I, theta) for order 3, T(I, I, theta, theta) for order 4: d x d.
Matrix contract_to_matrix(const SymmetricTensor& tensor, const Vector& theta);

// T(W, .., W) for W of size d x k: a symmetric tensor of dimension k.
SymmetricTensor transform(const SymmetricTensor& tensor, const Matrix& w);

// The packed tensor as an oracle. Borrows the tensor.
class TensorOracle final : public SymmetricOracle {
 public:
  explicit TensorOracle(const SymmetricTensor& tensor) : tensor_(tensor) {}
  Index dim() const override { return tensor_.dim(); }
  int order() const override { return tensor_.order(); }
  Matrix contract(const Matrix& block) override { return sotto::contract(tensor_, block); }
  Vector values(const Matrix& block) override { return column_dots(block, contract(block)); }

 private:
  const SymmetricTensor& tensor_;
};

}  // namespace sotto
