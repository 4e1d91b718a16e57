// A tensor as CP fits it: checked, with what the products of its form need.
#pragma once

#include <memory>
#include <optional>

#include "sotto/decompose/cp.h"
#include "sotto/decompose/cp_problem.h"
#include "sotto/tensor/sparse_fibres.h"

namespace sotto {

// Refuses tensors that no model can be fitted to: the list is in cp.h. `no_negatives`: negative
// entries are refused, too. Returns |X|^2 where the check has it: of dense tensors without gaps.
std::optional<double> check_fit_input(const AnyTensor& tensor, bool missing, bool no_negatives);
// What the shape alone rules out.
void check_fit_shape(const std::vector<Index>& dims);
// Refuses more components than a tensor of this shape allows.
void check_components(const std::vector<Index>& dims, Index components);

// Borrows the tensor.
class CpSource {
 public:
  // `squared_norm`: what check_fit_input returned.
  CpSource(const AnyTensor& tensor, bool missing,
           std::optional<double> squared_norm = std::nullopt);
  CpSource(const CpSource&) = delete;
  CpSource& operator=(const CpSource&) = delete;

  const std::vector<Index>& dims() const { return problem_->dims(); }
  // Entries that the fit counts, zeros of a sparse tensor among them.
  Index observed() const { return observed_; }
  // Entries that a pass over the tensor reads.
  Index stored() const { return stored_; }
  CpProblem& problem() { return *problem_; }
  // Null where entries are missing.
  Mttkrp* complete_products() { return complete_ ? products_.get() : nullptr; }
  // Null unless the tensor is dense and complete.
  const DenseTensor* dense() const { return dense_; }
  // Null unless the tensor is sparse and complete.
  FibreCache* sparse() { return complete_ && cache_ ? cache_.get() : nullptr; }
  // Entries with 0 for what is missing; null for a sparse tensor.
  const DenseTensor* filled() const { return filled_ ? &*filled_ : dense_; }
  // 1 where an entry is observed, else 0; null where all are.
  const DenseTensor* mask() const { return mask_ ? &*mask_ : nullptr; }

 private:
  void take_dense(const DenseTensor& tensor, bool missing, std::optional<double> squared_norm);
  void take_sparse(const SparseTensor& tensor, bool missing);

  const DenseTensor* dense_ = nullptr;
  bool complete_ = true;
  Index observed_ = 0, stored_ = 0;
  std::optional<DenseTensor> filled_, mask_;
  std::unique_ptr<FibreCache> cache_;
  std::unique_ptr<Mttkrp> products_, mask_products_;
  std::unique_ptr<CpProblem> problem_;
};

}  // namespace sotto
