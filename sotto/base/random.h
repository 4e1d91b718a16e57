// Seedable random numbers for starts, sampling and synthetic data. Never for noise: private noise
// comes from privacy/ alone.
//
// xoshiro256++ (Blackman & Vigna 2019) seeded through splitmix64. Distinct (seed, stream) pairs
// give unrelated sequences, and a sequence is the same on every machine.
#pragma once

#include <array>
#include <cstdint>

namespace sotto {

class SeededRandom {
 public:
  explicit SeededRandom(std::uint64_t seed, std::uint64_t stream = 0);

  std::uint64_t bits();
  double uniform();                          // in [0, 1)
  std::uint64_t below(std::uint64_t bound);  // in [0, bound), bound >= 1
  double normal();

 private:
  std::array<std::uint64_t, 4> state_{};
  double spare_ = 0;
  bool has_spare_ = false;
};

}  // namespace sotto
