// The Laplace mechanism on a grid: values plus two-sided geometric noise, the discrete Laplace law.
//
// Cost: (charged L1 sensitivity) / scale; for a single value the tight Laplace cost, for a block
// plain pure epsilon. Proof, floating point included: laplace.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sotto/privacy/grid.h"
#include "sotto/privacy/integer_ziggurat.h"
#include "sotto/privacy/release_record.h"
#include "sotto/privacy/secure_stream.h"

namespace sotto {

class LaplaceMechanism {
 public:
  // `sensitivity` bounds |f(D) - f(D')|_1 over neighbours in exact arithmetic; `value_error` bounds
  // the L1 distance between f(D) and the doubles handed to release().
  LaplaceMechanism(std::string what, double sensitivity, double scale, std::int64_t count,
                   double value_error = 0);

  Cost cost() const { return record_.cost; }
  const ReleaseRecord& record() const { return record_; }
  double grid_step() const { return grid_.step(); }

  void release(std::span<const double> value, NoiseStream stream, std::span<double> out) const;
  std::vector<double> release(std::span<const double> value, NoiseStream stream) const;

 private:
  Grid grid_;
  IntegerZiggurat noise_;
  ReleaseRecord record_;
};

}  // namespace sotto
