// A tensor as Tucker models ask for it: contracted with the factors of all modes but one.
#pragma once

#include <optional>
#include <vector>

#include "sotto/decompose/cp_model.h"
#include "sotto/tensor/kept_contractions.h"
#include "sotto/tensor/mode_product.h"
#include "sotto/tensor/mttkrp.h"
#include "sotto/tensor/sparse_fibres.h"

namespace sotto {

class TuckerProducts {
 public:
  virtual ~TuckerProducts() = default;
  virtual const std::vector<Index>& dims() const = 0;
  virtual double squared_norm() const = 0;
  virtual void place(Index mode, const Matrix& factor) = 0;
  // X x_n U_n^T over n != mode, unfolded along `mode`: d x (product of the other ranks).
  virtual RowMatrix contracted(Index mode) = 0;

  Index order() const { return static_cast<Index>(dims().size()); }
};

// Borrows the tensor.
class DenseTuckerProducts final : public TuckerProducts {
 public:
  // `squared_norm`: |X|^2 where the caller knows it.
  explicit DenseTuckerProducts(const DenseTensor& tensor,
                               std::optional<double> squared_norm = std::nullopt);
  const std::vector<Index>& dims() const override { return tensor_.dims(); }
  double squared_norm() const override { return squared_norm_; }
  void place(Index mode, const Matrix& factor) override;
  RowMatrix contracted(Index mode) override;
  // The tensor's entries have been changed.
  void refresh();

 private:
  // One mode alone comes out behind all others, with padded columns; a half stays where it is.
  struct Contraction : ModeRange {
    RowMatrix of_one = {};
    std::optional<DenseTensor> of_half = {};

    bool one_mode() const { return last == first + 1; }
  };
  void contract(Contraction& over) const;
  void contract_one(Contraction& over) const;
  RowMatrix contracted_from_one(const Contraction& over, Index mode) const;

  const DenseTensor& tensor_;
  double squared_norm_ = 0;
  Factors factors_;
  KeptContractions<Contraction> contractions_;
};

class SparseTuckerProducts final : public TuckerProducts {
 public:
  explicit SparseTuckerProducts(FibreCache& fibres);
  const std::vector<Index>& dims() const override { return fibres_.tensor().dims(); }
  double squared_norm() const override { return squared_norm_; }
  void place(Index mode, const Matrix& factor) override { factors_[mode] = factor; }
  RowMatrix contracted(Index mode) override;

 private:
  FibreCache& fibres_;
  double squared_norm_ = 0;
  Factors factors_;
};

}  // namespace sotto
