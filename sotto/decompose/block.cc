#include "sotto/decompose/block.h"

#include <cmath>

namespace sotto {

Matrix random_unit_block(Index dim, Index columns, SeededRandom& random) {
  Matrix block(dim, columns);
  for (Index l = 0; l < columns; ++l) {
    do {
      for (Index i = 0; i < dim; ++i) block(i, l) = random.normal();
    } while (block.col(l).norm() == 0);
    block.col(l).normalize();
  }
  return block;
}

Matrix unit_columns(const Matrix& y, const Matrix& before) {
  Matrix u(y.rows(), y.cols());
  for (Index l = 0; l < y.cols(); ++l) {
    const double norm = y.col(l).stableNorm();
    if (norm > 0 && std::isfinite(norm)) {
      u.col(l) = y.col(l) / norm;
      u.col(l).normalize();  // again: y / norm loses digits when norm is subnormal
    } else {
      u.col(l) = before.col(l);
    }
  }
  return u;
}

Vector movement(const Matrix& a, const Matrix& b) {
  const Vector apart = (a - b).colwise().norm().transpose();
  const Vector opposite = (a + b).colwise().norm().transpose();
  return apart.cwiseMin(opposite);
}

double agreement(const Matrix& block, const Vector& v) {
  return ((block.transpose() * v).array().abs() >= 0.999).cast<double>().mean();
}

}  // namespace sotto
