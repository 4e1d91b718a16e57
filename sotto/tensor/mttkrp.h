// The matricised tensor times Khatri-Rao product, the one kernel of CP by least squares:
//
//   M^m_ir = sum over entries with index i in mode m of  x  prod_{n != m} A^n_{i_n r}.
//
// An object holds the current factors and what it has computed from them; placing a factor makes
// stale only what depends on it. Answers are the same for any number of threads.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sotto/linalg/matrix.h"
#include "sotto/tensor/kept_contractions.h"
#include "sotto/tensor/sparse_tensor.h"
#include "sotto/tensor/sparse_tiles.h"

namespace sotto {

class Mttkrp {
 public:
  virtual ~Mttkrp() = default;
  virtual const std::vector<Index>& dims() const = 0;
  // The sum of all squared entries.
  virtual double squared_norm() const = 0;

  // Sets the factor of a mode, dims[mode] x k. All have the same k once products are asked for.
  virtual void place(Index mode, const Matrix& factor) = 0;
  // M^mode at the factors in place; that of `mode` itself is not read.
  virtual Matrix product(Index mode) = 0;

  // |X - X^|^2 at the factors in place. Differences are taken entry by entry, so that it is
  // accurate near a perfect fit, where the expanded square loses every digit.
  virtual double squared_residual() const = 0;

  Index order() const { return static_cast<Index>(dims().size()); }
};

// The rows of a Khatri-Rao product, in C order of the factors' rows; one row of ones for none.
RowMatrix khatri_rao(std::span<const RowMatrix> factors);

// Borrows the tensor. Contracting consecutive modes, by one narrow product of 2 N k flops with
// their Khatri-Rao product, leaves k numbers at each place of the other modes. The products of all
// other modes follow from these. A tensor of three modes contracts one at a time, the one that was
// placed last: three passes over the tensor answer for two sweeps. One of more modes is cut in two
// halves, whose sizes are as equal as can be: two passes answer for a sweep, whatever the order.
class DenseMttkrp final : public Mttkrp {
 public:
  // `weights`, where given, has the shape of the tensor: 1 where an entry counts for the residual,
  // else 0. `squared_norm`: |X|^2 where the caller knows it.
  explicit DenseMttkrp(const DenseTensor& tensor, const DenseTensor* weights = nullptr,
                       std::optional<double> squared_norm = std::nullopt);

  const std::vector<Index>& dims() const override { return tensor_.dims(); }
  double squared_norm() const override { return squared_norm_; }
  void place(Index mode, const Matrix& factor) override;
  Matrix product(Index mode) override;
  double squared_residual() const override;

 private:
  struct Contraction : ModeRange {
    RowMatrix values = {};
  };
  void contract(Contraction& over) const;

  const DenseTensor& tensor_;
  const DenseTensor* weights_;
  double squared_norm_ = 0;
  std::vector<RowMatrix> factors_;  // padded with columns of zeros
  Index components_ = 0;
  KeptContractions<Contraction> contractions_;
};

// What places that are not stored stand for.
enum class Unstored { zero, unknown };

// Keeps a sorted copy of the tensor (sparse_tiles.h). 2 order nnz k flops a product.
class SparseMttkrp final : public Mttkrp {
 public:
  // A factor in strips of at most 16 columns, padded with columns of zeros to whole registers.
  using Strips = std::vector<RowMatrix>;

  explicit SparseMttkrp(const SparseTensor& tensor, Unstored unstored = Unstored::zero);

  const std::vector<Index>& dims() const override { return tiles_.dims(); }
  double squared_norm() const override { return squared_norm_; }
  void place(Index mode, const Matrix& factor) override;
  Matrix product(Index mode) override;
  // Places that are not stored enter by |X^|^2 minus its part on the stored ones: near a perfect
  // fit the relative error is accurate to about 1e-8.
  double squared_residual() const override;

 private:
  SparseTiles tiles_;
  Unstored unstored_;
  double squared_norm_ = 0;
  Index components_ = 0;
  std::vector<Strips> factors_;
};

}  // namespace sotto
