#include "sotto/complete/kernels/row_system.h"

#include <Eigen/Cholesky>

namespace sotto {

RowSolution solve_row(const RowSums& sums, const RowPenalty& penalty, bool with_covariance) {
  const Index rank = sums.outer.rows();
  Matrix system = sums.outer;
  const double lambda = solvable_penalty(penalty.lambda, sums.outer.trace(), rank);
  system.diagonal().array() += lambda;
  Vector right = sums.target.array() + lambda * penalty.centre;
  const double weight = penalty.with_bias && sums.count > 0 ? 1 / (sums.count + penalty.shrink) : 0;
  system.noalias() -= weight * sums.slope * sums.slope.transpose();
  right -= (weight * sums.sum) * sums.slope;

  RowSolution found;
  const Eigen::LLT<Matrix> factor(system);
  found.row = factor.solve(right);
  found.bias = weight * (sums.sum - sums.slope.dot(found.row));
  const double b = found.bias;
  found.error = sums.square - 2 * b * sums.sum + sums.count * b * b -
                2 * found.row.dot(sums.target) + 2 * b * sums.slope.dot(found.row) +
                found.row.dot(sums.outer * found.row);
  if (with_covariance) found.covariance = factor.solve(Matrix::Identity(rank, rank));
  return found;
}

}  // namespace sotto
