#include "sotto/models/shrinkage.h"

#include <algorithm>
#include <cmath>

namespace sotto {
namespace {

constexpr Index kAtoms = 40;
constexpr double kSmallestRatio = 0.01;
constexpr int kLawSteps = 60;          // of expectation-maximisation for the law
constexpr Index kCellsForLaw = 50000;  // more do not sharpen forty probabilities
constexpr double kStandsOut = 3;       // deviations

using Atoms = Eigen::Array<double, kAtoms, 1>;

Atoms ratio_grid(double largest) {
  Atoms grid;
  grid[0] = 0;
  const double step = std::log(largest / kSmallestRatio) / double(kAtoms - 2);
  for (Index a = 1; a < kAtoms; ++a) grid[a] = kSmallestRatio * std::exp(step * double(a - 1));
  return grid;
}

// The likelihood of each atom, up to a factor.
Atoms likelihood(double value, double deviation, double scale, const Atoms& grid) {
  const Atoms square = ((value - scale * grid) / deviation).square();
  return (-0.5 * (square - square.minCoeff())).exp();
}

}  // namespace

Matrix shrink(const Matrix& values, const Matrix& deviations, const Vector& row_scales,
              double largest_ratio) {
  const Atoms grid = ratio_grid(std::max(largest_ratio, 10 * kSmallestRatio));
  const Index cells = values.size();
  const Index stride = std::max<Index>(1, cells / kCellsForLaw);
  const Index sample = (cells + stride - 1) / stride;
  Eigen::Array<double, kAtoms, Eigen::Dynamic> seen(kAtoms, sample);
  for (Index s = 0; s < sample; ++s) {
    const Index i = s * stride;
    seen.col(s) =
        likelihood(values.data()[i], deviations.data()[i], row_scales[i % values.rows()], grid);
  }
  Atoms law = Atoms::Constant(1.0 / double(kAtoms));
  for (int step = 0; step < kLawSteps; ++step) {
    Atoms next = Atoms::Zero();
    for (Index s = 0; s < sample; ++s) {
      const Atoms posterior = seen.col(s) * law;
      next += posterior / posterior.sum();
    }
    law = next / double(sample);
  }
  Matrix result(values.rows(), values.cols());
  for (Index i = 0; i < cells; ++i) {
    const double x = values.data()[i], d = deviations.data()[i];
    if (x > kStandsOut * d) {
      result.data()[i] = x;
      continue;
    }
    const double scale = row_scales[i % values.rows()];
    const Atoms posterior = likelihood(x, d, scale, grid) * law;
    const double mean = scale * (posterior * grid).sum() / posterior.sum();
    result.data()[i] = std::min(mean, std::max(x - 0.5 * d, 0.0));
  }
  return result;
}

}  // namespace sotto
