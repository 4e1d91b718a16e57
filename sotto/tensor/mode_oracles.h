// Dense and sparse tensors as oracles. All of them borrow the tensor.
#pragma once

#include <memory>
#include <vector>

#include "sotto/tensor/oracle.h"
#include "sotto/tensor/sparse_tensor.h"

namespace sotto {

// An answer costs one matrix product of 2 (prod d_m) L flops and small contractions column by
// column.
class DenseModeOracle final : public ModeOracle {
 public:
  explicit DenseModeOracle(const DenseTensor& tensor) : tensor_(tensor) {}
  const std::vector<Index>& dims() const override { return tensor_.dims(); }
  Matrix contract_all_but(int mode, const std::vector<Matrix>& factors) override;
  Vector values(const std::vector<Matrix>& factors) override;

 private:
  const DenseTensor& tensor_;
};

class SparseModeOracle final : public ModeOracle {
 public:
  explicit SparseModeOracle(const SparseTensor& tensor) : tensor_(tensor) {}
  const std::vector<Index>& dims() const override { return tensor_.dims(); }
  Matrix contract_all_but(int mode, const std::vector<Matrix>& factors) override {
    return tensor_.contract_all_but(mode, factors);
  }
  Vector values(const std::vector<Matrix>& factors) override { return tensor_.values(factors); }

 private:
  const SparseTensor& tensor_;
};

// A symmetric tensor that is too large to pack but has few entries; all orderings of an entry are
// stored.
class SparseSymmetricOracle final : public SymmetricOracle {
 public:
  explicit SparseSymmetricOracle(const SparseTensor& tensor) : tensor_(tensor) {}
  Index dim() const override { return tensor_.dims().front(); }
  int order() const override { return static_cast<int>(tensor_.order()); }
  Matrix contract(const Matrix& block) override {
    return tensor_.contract_all_but(0, std::vector<Matrix>(order(), block));
  }
  Vector values(const Matrix& block) override { return column_dots(block, contract(block)); }

 private:
  const SparseTensor& tensor_;
};

std::unique_ptr<ModeOracle> mode_oracle(const AnyTensor& tensor);

}  // namespace sotto
