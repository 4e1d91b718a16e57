#include "sotto/models/simplex.h"

#include <algorithm>
#include <functional>
#include <vector>

namespace sotto {

Vector project_to_simplex(const Vector& v) {
  // The projection is max(v - t, 0) with t the largest of (sum of the j largest - 1) / j.
  std::vector<double> sorted(v.begin(), v.end());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double sum = 0, threshold = 0;
  for (std::size_t j = 0; j < sorted.size(); ++j) {
    sum += sorted[j];
    const double t = (sum - 1) / static_cast<double>(j + 1);
    if (j > 0 && sorted[j] <= t) break;
    threshold = t;
  }
  return (v.array() - threshold).max(0.0);
}

Matrix project_columns(const Matrix& columns) {
  Matrix result(columns.rows(), columns.cols());
  for (Index j = 0; j < columns.cols(); ++j) {
    const double sign = columns.col(j).sum() < 0 ? -1 : 1;
    result.col(j) = project_to_simplex(sign * columns.col(j));
  }
  return result;
}

Matrix truncate_columns(const Matrix& columns) {
  Matrix result(columns.rows(), columns.cols());
  for (Index j = 0; j < columns.cols(); ++j) {
    const double sign = columns.col(j).sum() < 0 ? -1 : 1;
    const Vector positive = (sign * columns.col(j)).cwiseMax(0.0);
    const double sum = positive.sum();
    result.col(j) = sum > 0 ? Vector(positive / sum)
                            : Vector::Constant(columns.rows(), 1.0 / double(columns.rows()));
  }
  return result;
}

}  // namespace sotto
