// The Gaussian mechanism on a grid: a block of values plus independent Gaussian noise.
//
// Cost: exactly mu-GDP with mu = (charged L2 sensitivity) / (standard deviation), Dong, Roth & Su
// 2022; adaptive releases compose by adding mu^2. Proof, floating point included: gaussian.md.
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

class GaussianMechanism {
 public:
  // `sensitivity` bounds |f(D) - f(D')|_2 over neighbours in exact arithmetic; `value_error` bounds
  // the L2 distance between f(D) and the block of doubles that will be handed to release().
  GaussianMechanism(std::string what, double sensitivity, double standard_deviation,
                    std::int64_t count, double value_error = 0);

  Cost cost() const { return record_.cost; }
  const ReleaseRecord& record() const { return record_; }
  double grid_step() const { return grid_.step(); }

  // out = value + noise, exactly, on the grid. `out` may be `value` itself.
  void release(std::span<const double> value, NoiseStream stream, std::span<double> out) const;
  std::vector<double> release(std::span<const double> value, NoiseStream stream) const;

 private:
  Grid grid_;
  IntegerZiggurat noise_;
  ReleaseRecord record_;
};

// The same for a symmetric matrix or a symmetric tensor of order 3 or 4, given by its unique
// entries in lexicographic order i <= j (<= k (<= l)). Isometric: an entry that stands for m equal
// ones has noise std / sqrt(m), so that the noise is the projection of i.i.d. noise on symmetric
// tensors, is invariant under rotations, and sensitivity and noise are both measured in Frobenius
// norm.
class SymmetricGaussianMechanism {
 public:
  SymmetricGaussianMechanism(std::string what, double sensitivity, double standard_deviation,
                             std::int64_t dimension, int order, double value_error = 0);

  Cost cost() const { return record_.cost; }
  const ReleaseRecord& record() const { return record_; }
  double grid_step() const { return grid_.step(); }

  void release(std::span<const double> packed, NoiseStream stream, std::span<double> out) const;
  std::vector<double> release(std::span<const double> packed, NoiseStream stream) const;

  // The noise of the entries from chunk * kChunk on (at most a chunk), as release() adds it: for
  // callers that cannot store the block and draw its noise again whenever they need it.
  void noise(const NoiseStream& stream, std::uint64_t chunk, std::span<double> out) const;

 private:
  template <class Use>
  void draw_chunk(WordSource& words, std::int64_t begin, std::int64_t end, Use use) const;

  std::int64_t dimension_;
  int order_;
  Grid grid_;
  std::vector<IntegerZiggurat> noise_;  // one for each multiplicity, in rising order
  ReleaseRecord record_;
};

// Number of unique entries of a symmetric tensor.
std::int64_t symmetric_count(std::int64_t dimension, int order);

}  // namespace sotto
