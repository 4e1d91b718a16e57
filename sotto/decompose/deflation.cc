#include "sotto/decompose/deflation.h"

namespace sotto {
namespace {

void append_column(Matrix& m, const Vector& v) {
  m.conservativeResize(v.size(), m.cols() + 1);
  m.rightCols(1) = v;
}

Eigen::Map<const Vector> as_vector(const std::vector<double>& values) {
  return {values.data(), static_cast<Index>(values.size())};
}

}  // namespace

void DeflatedOracle::deflate(double weight, const Vector& v) {
  weights_.push_back(weight);
  append_column(vectors_, v);
}

Matrix DeflatedOracle::contract(const Matrix& block) {
  Matrix y = inner_.contract(block);
  if (weights_.empty()) return y;
  const Matrix overlap = vectors_.transpose() * block;
  y.noalias() -=
      vectors_ * (as_vector(weights_).asDiagonal() * overlap.array().pow(order() - 1).matrix());
  return y;
}

Vector DeflatedOracle::values(const Matrix& block) {
  Vector v = inner_.values(block);
  if (weights_.empty()) return v;
  const Matrix overlap = vectors_.transpose() * block;
  v.noalias() -= overlap.array().pow(order()).matrix().transpose() * as_vector(weights_);
  return v;
}

void DeflatedModeOracle::deflate(double weight, const std::vector<Matrix>& vectors) {
  weights_.push_back(weight);
  for (std::size_t m = 0; m < vectors_.size(); ++m) append_column(vectors_[m], vectors[m].col(0));
}

Matrix DeflatedModeOracle::overlaps(int skip, const std::vector<Matrix>& factors) const {
  const Index columns = factors[skip == 0 ? 1 : 0].cols();
  Matrix product = as_vector(weights_).replicate(1, columns);
  for (std::size_t m = 0; m < factors.size(); ++m) {
    if (static_cast<int>(m) == skip) continue;
    product.array() *= (vectors_[m].transpose() * factors[m]).array();
  }
  return product;
}

Matrix DeflatedModeOracle::contract_all_but(int mode, const std::vector<Matrix>& factors) {
  Matrix y = inner_.contract_all_but(mode, factors);
  if (!weights_.empty()) y.noalias() -= vectors_[mode] * overlaps(mode, factors);
  return y;
}

Vector DeflatedModeOracle::values(const std::vector<Matrix>& factors) {
  Vector v = inner_.values(factors);
  if (!weights_.empty()) v -= overlaps(-1, factors).colwise().sum().transpose();
  return v;
}

}  // namespace sotto
