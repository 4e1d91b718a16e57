// The least-squares problem behind CP, one mode at a time: all entries of a tensor, or those that
// were observed.
//
// All entries: A^m = M^m G^-1, with M the MTTKRP and G the entrywise product of the other factors'
// grams. Observed entries only: every row i has its own G_i = sum over its observed entries of h
// h^T, h the product of the other factors' rows. All G_i of a mode are one MTTKRP, of the tensor
// that is 1 where an entry is observed, with the k (k + 1) / 2 products of pairs of columns as
// factors. So missing entries cost (k + 1) / 2 times more, and nothing is ever filled in.
#pragma once

#include <memory>

#include "sotto/decompose/cp_model.h"
#include "sotto/tensor/mttkrp.h"

namespace sotto {

// How a mode is solved: exactly, or by rounds of coordinate descent over non-negative columns
// (hierarchical alternating least squares, HALS).
enum class Sign { any, non_negative };

class CpProblem {
 public:
  virtual ~CpProblem() = default;
  virtual const std::vector<Index>& dims() const = 0;
  virtual double squared_norm() const = 0;

  virtual void place(Index mode, const Matrix& factor) = 0;
  // A better factor of a mode for the others as placed, starting from `factor`; it is not placed.
  // Sets `squared_error` to that of the model with it.
  virtual Matrix solve(Index mode, const Matrix& factor, Sign sign, double& squared_error) = 0;
  // At the factors in place, entry by entry.
  virtual double squared_residual() const = 0;
};

class CompleteCp final : public CpProblem {
 public:
  explicit CompleteCp(Mttkrp& products);  // borrowed
  const std::vector<Index>& dims() const override { return products_.dims(); }
  double squared_norm() const override { return products_.squared_norm(); }
  void place(Index mode, const Matrix& factor) override;
  Matrix solve(Index mode, const Matrix& factor, Sign sign, double& squared_error) override;
  double squared_residual() const override { return products_.squared_residual(); }

 private:
  Mttkrp& products_;
  std::vector<Matrix> grams_;
};

// `values` holds 0 at entries that are not observed, `observed` 1 where they are and else 0.
class ObservedCp final : public CpProblem {
 public:
  ObservedCp(Mttkrp& values, Mttkrp& observed) : values_(values), observed_(observed) {}
  const std::vector<Index>& dims() const override { return values_.dims(); }
  double squared_norm() const override { return values_.squared_norm(); }
  void place(Index mode, const Matrix& factor) override;
  Matrix solve(Index mode, const Matrix& factor, Sign sign, double& squared_error) override;
  double squared_residual() const override { return values_.squared_residual(); }

 private:
  Mttkrp& values_;
  Mttkrp& observed_;
};

// The expanded square |X|^2 - 2 <X, X^> + |X^|^2 is exact to 1e-15 |X|^2 only. Below this share of
// |X|^2 an error is worth a pass over the entries.
inline constexpr double kTrustExpandedSquare = 1e-7;

}  // namespace sotto
