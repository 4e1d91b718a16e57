#include "sotto/models/shrinkage.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sotto {
namespace {

constexpr Index kAtoms = 40;
constexpr double kSmallestRatio = 0.01;
constexpr int kLawSteps = 60;          // of expectation-maximisation for the law
constexpr Index kCellsForLaw = 50000;  // more do not sharpen forty probabilities
constexpr double kStandsOut = 6;       // deviations; there the noise is finer than the grid
constexpr double kNearZero = 0.1;      // ratios up to this one count as none

using Atoms = Eigen::Array<double, kAtoms, 1>;

Atoms ratio_grid(double largest) {
  Atoms grid;
  grid[0] = 0;
  const double step = std::log(largest / kSmallestRatio) / double(kAtoms - 2);
  for (Index a = 1; a < kAtoms; ++a) grid[a] = kSmallestRatio * std::exp(step * double(a - 1));
  return grid;
}

// The likelihood of each atom over that of the likeliest, whose logarithm is `log_largest` up to a
// number that depends on the deviation alone.
struct Likelihood {
  Atoms of_atom;
  double log_largest;
};

Likelihood likelihood(double value, double deviation, double scale, const Atoms& grid) {
  const Atoms square = ((value - scale * grid) / deviation).square();
  const double least = square.minCoeff();
  return {(-0.5 * (square - least)).exp(), -0.5 * least};
}

// What the values say about the law of their ratios, and each value's posterior mean under it.
class RatioLaw {
 public:
  RatioLaw(const Matrix& values, const Matrix& deviations, const Vector& row_scales,
           double largest_ratio)
      : values_(values),
        deviations_(deviations),
        row_scales_(row_scales),
        grid_(ratio_grid(std::max(largest_ratio, 10 * kSmallestRatio))) {
    const Index stride = std::max<Index>(1, values.size() / kCellsForLaw);
    const Index sample = (values.size() + stride - 1) / stride;
    Eigen::Array<double, kAtoms, Eigen::Dynamic> seen(kAtoms, sample);
    double largest = 0;
    for (Index s = 0; s < sample; ++s) {
      const Likelihood of_cell = likelihood_of(s * stride);
      seen.col(s) = of_cell.of_atom;
      largest += of_cell.log_largest;
    }
    for (int step = 0; step < kLawSteps; ++step) {
      Atoms next = Atoms::Zero();
      for (Index s = 0; s < sample; ++s) {
        const Atoms posterior = seen.col(s) * law_;
        next += posterior / posterior.sum();
      }
      law_ = next / double(sample);
    }
    log_likelihood_ = largest + (seen.matrix().transpose() * law_.matrix()).array().log().sum();
  }

  // Of all values under this law, up to a number that depends on the deviations alone.
  double log_likelihood() const { return log_likelihood_; }

  double mean(Index cell) const {
    const Atoms posterior = likelihood_of(cell).of_atom * law_;
    return scale_of(cell) * (posterior * grid_).sum() / posterior.sum();
  }

  // The probability that a cell has next to nothing.
  double near_zero(Index cell) const {
    const Atoms posterior = likelihood_of(cell).of_atom * law_;
    return (grid_ <= kNearZero).select(posterior, 0).sum() / posterior.sum();
  }

 private:
  double scale_of(Index cell) const { return row_scales_[cell % values_.rows()]; }
  Likelihood likelihood_of(Index cell) const {
    return likelihood(values_.data()[cell], deviations_.data()[cell], scale_of(cell), grid_);
  }

  const Matrix& values_;
  const Matrix& deviations_;
  const Vector& row_scales_;
  Atoms grid_;
  Atoms law_ = Atoms::Constant(1.0 / double(kAtoms));
  double log_likelihood_ = 0;
};

bool stands_out(double value, double deviation) { return value > kStandsOut * deviation; }

}  // namespace

Matrix shrink(const Matrix& values, const Matrix& deviations, const Vector& row_scales,
              double largest_ratio) {
  const RatioLaw law(values, deviations, row_scales, largest_ratio);
  Matrix result = values;
  for (Index i = 0; i < values.size(); ++i) {
    const double x = values.data()[i], d = deviations.data()[i];
    if (stands_out(x, d)) continue;
    const double mean = law.mean(i);
    result.data()[i] = law.near_zero(i) > 0.5 ? std::min(mean, std::max(x - 0.5 * d, 0.0)) : mean;
  }
  return result;
}

Vector posterior_means(const Vector& values, const Vector& deviations, const Vector& scales,
                       double largest_ratio) {
  const Matrix all = values, noise = deviations;
  const RatioLaw law(all, noise, scales, largest_ratio);
  Vector result = values;
  for (Index i = 0; i < values.size(); ++i) {
    if (!stands_out(values[i], deviations[i])) result[i] = law.mean(i);
  }
  return result;
}

Vector likeliest_scales(const Vector& values, const Vector& deviations, const Vector& scales,
                        double largest_ratio) {
  constexpr int kPowers = 4;
  const Matrix all = values, noise = deviations;
  Vector best;
  double most = -std::numeric_limits<double>::infinity();
  for (int n = 0; n <= kPowers; ++n) {
    const Vector power = scales.array().pow(double(n) / kPowers);
    const Vector tempered = power * (scales.sum() / power.sum());
    const double reached = RatioLaw(all, noise, tempered, largest_ratio).log_likelihood();
    if (reached > most) {
      most = reached;
      best = tempered;
    }
  }
  return best;
}

}  // namespace sotto
