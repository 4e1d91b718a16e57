// A tensor minus the components found so far, without rewriting the tensor.
#pragma once

#include <vector>

#include "sotto/linalg/matrix.h"
#include "sotto/tensor/oracle.h"

namespace sotto {

// Answers for T - sum_j lambda_j v_j^(x)p, where `inner` answers for T. Borrows `inner`. Costs O(d
// k) per column beside the inner oracle, and asks it nothing more.
class DeflatedOracle final : public SymmetricOracle {
 public:
  explicit DeflatedOracle(SymmetricOracle& inner) : inner_(inner) {}
  void deflate(double weight, const Vector& v);

  Index dim() const override { return inner_.dim(); }
  int order() const override { return inner_.order(); }
  Matrix contract(const Matrix& block) override;
  Vector values(const Matrix& block) override;

 private:
  SymmetricOracle& inner_;
  std::vector<double> weights_;
  Matrix vectors_;
};

// The same for a tensor without symmetry: T - sum_j lambda_j a_j (x) b_j (x) ...
class DeflatedModeOracle final : public ModeOracle {
 public:
  explicit DeflatedModeOracle(ModeOracle& inner) : inner_(inner), vectors_(inner.dims().size()) {}
  void deflate(double weight, const std::vector<Matrix>& vectors);  // one column each

  const std::vector<Index>& dims() const override { return inner_.dims(); }
  Matrix contract_all_but(int mode, const std::vector<Matrix>& factors) override;
  Vector values(const std::vector<Matrix>& factors) override;

 private:
  // lambda_j prod_m (v_j^(m) . u_l^(m)) over all modes but `skip`: j by l.
  Matrix overlaps(int skip, const std::vector<Matrix>& factors) const;

  ModeOracle& inner_;
  std::vector<double> weights_;
  std::vector<Matrix> vectors_;
};

}  // namespace sotto
