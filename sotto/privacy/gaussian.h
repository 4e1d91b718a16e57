// The Gaussian mechanism on a grid: a block of values plus independent Gaussian noise.
//
// Cost: exactly mu-GDP with mu = (charged L2 sensitivity) / (standard deviation), Dong, Roth & Su
// 2022; adaptive releases compose by adding mu^2. Proof, floating point included: gaussian.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sotto/privacy/integer_ziggurat.h"
#include "sotto/privacy/mechanism.h"

namespace sotto {

class GaussianMechanism final : public BlockMechanism {
 public:
  // `sensitivity` bounds |f(D) - f(D')|_2 over neighbours in exact arithmetic; `value_error` bounds
  // the L2 distance between f(D) and the block of doubles that will be handed to release().
  GaussianMechanism(std::string what, double sensitivity, double standard_deviation,
                    std::int64_t count, double value_error = 0);

 private:
  void add_noise(std::span<const double> value, const NoiseStream& stream,
                 std::span<double> out) const override;

  IntegerZiggurat noise_;
};

// The same for a symmetric matrix or a symmetric tensor of order 3 or 4, given by its unique
// entries in lexicographic order i <= j (<= k (<= l)). Isometric: an entry that stands for m equal
// ones has noise std / sqrt(m), so that the noise is the projection of i.i.d. noise on symmetric
// tensors, is invariant under rotations, and sensitivity and noise are both measured in Frobenius
// norm.
class SymmetricGaussianMechanism final : public BlockMechanism {
 public:
  SymmetricGaussianMechanism(std::string what, double sensitivity, double standard_deviation,
                             std::int64_t dimension, int order, double value_error = 0);

 private:
  void add_noise(std::span<const double> packed, const NoiseStream& stream,
                 std::span<double> out) const override;

  std::int64_t dimension_;
  int order_;
  std::vector<IntegerZiggurat> noise_;  // one for each multiplicity, in rising order
};

// Number of unique entries of a symmetric tensor.
std::int64_t symmetric_count(std::int64_t dimension, int order);

}  // namespace sotto
