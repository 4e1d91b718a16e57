// The vector mechanism (Chaudhuri, Monteleoni & Sarwate 2011; AVN of Imtiaz & Sarwate 2018): a
// vector plus noise of density ~ exp(-beta |b|_2), that is with radius Gamma(dimension, 1 / beta)
// and uniform direction. Pure epsilon = beta (charged L2 sensitivity).
//
// Drawn as a Gaussian with a random, secret variance: if tau ~ Gamma((d+1)/2, 2 / beta^2) and
// b | tau ~ N(0, tau I), then b has this density in every dimension d. So the noise can be drawn
// exactly on the grid, coordinate by coordinate. Proof: vector.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "sotto/privacy/integer_ziggurat.h"
#include "sotto/privacy/mechanism.h"

namespace sotto {

class VectorMechanism final : public BlockMechanism {
 public:
  // `sensitivity` and `value_error` in L2 norm, as in GaussianMechanism.
  VectorMechanism(std::string what, double sensitivity, double beta, std::int64_t dimension,
                  double value_error = 0);

 private:
  void add_noise(std::span<const double> value, const NoiseStream& stream,
                 std::span<double> out) const override;

  IntegerZiggurat laplace_;  // of scale 1 / beta; the noise in one dimension
};

}  // namespace sotto
