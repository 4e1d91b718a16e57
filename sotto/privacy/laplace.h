// The Laplace mechanism on a grid: values plus two-sided geometric noise, the discrete Laplace law.
//
// Cost: (charged L1 sensitivity) / scale; for a single value the tight Laplace cost, for a block
// plain pure epsilon. Proof, floating point included: laplace.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "sotto/privacy/integer_ziggurat.h"
#include "sotto/privacy/mechanism.h"

namespace sotto {

class LaplaceMechanism final : public BlockMechanism {
 public:
  // `sensitivity` bounds |f(D) - f(D')|_1 over neighbours in exact arithmetic; `value_error` bounds
  // the L1 distance between f(D) and the doubles handed to release().
  LaplaceMechanism(std::string what, double sensitivity, double scale, std::int64_t count,
                   double value_error = 0);

 private:
  void add_noise(std::span<const double> value, const NoiseStream& stream,
                 std::span<double> out) const override;

  IntegerZiggurat noise_;
};

}  // namespace sotto
