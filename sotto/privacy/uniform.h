// Uniform integers and reals from secret words, and the exponential law, each with a bound on its
// relative error that does not depend on how rare the outcome is.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "sotto/privacy/secure_stream.h"

namespace sotto {

__extension__ using Uint128 = unsigned __int128;
__extension__ using Int128 = __int128;

// Uniform on (0, 1) with 52 significant bits however small it is: the exponent is drawn bit by bit.
// |P(U < p) - p| <= 2^-52 p for p in [2^-1010, 1]; ordinary uniforms k 2^-53 fail this for small p.
inline double uniform_real(WordSource& words) {
  int exponent = 0;
  std::uint64_t word = words();
  while (word == 0 && exponent > -960) {
    exponent -= 64;
    word = words();
  }
  const int zeros = std::countl_zero(word | 1);
  word = word << zeros | words() >> 1 >> (63 - zeros);
  // The middle of a cell [m, m + 1) 2^-52.
  return std::ldexp(static_cast<double>(word >> 12) + 0.5, exponent - zeros - 52);
}

// Uniform on 0..bound-1, exactly (Lemire 2019).
inline std::uint64_t uniform_below(std::uint64_t bound, WordSource& words) {
  const std::uint64_t too_many = -bound % bound;  // 2^64 mod bound
  for (;;) {
    const auto product = static_cast<Uint128>(words()) * bound;
    if (static_cast<std::uint64_t>(product) >= too_many) {
      return static_cast<std::uint64_t>(product >> 64);
    }
  }
}

// Exponential with mean 1: a true exponential variable times a factor within 1 +- 2^-50. The two
// halves of the unit interval are drawn apart, because -log(U) has no relative precision near 1.
inline double exponential_real(WordSource& words) {
  const bool lower = words() >> 63;
  const double half = uniform_real(words) / 2;
  return lower ? -std::log(half) : -std::log1p(-half);
}

}  // namespace sotto
