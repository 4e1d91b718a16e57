// Vector registers for the kernels: how wide they are and how many there are. Only the sources of
// kernels/ may include this file, since it depends on the instruction set they are compiled for.
#pragma once

#include <cstring>

namespace sotto::kernels {

// A tile of kRows rows and kMaxVectors registers of accumulators fits the register file together
// with one row of the other operand and one broadcast.
#if defined(__AVX512F__)
constexpr int kLanes = 8;
constexpr int kMaxVectors = 4;
constexpr int kRows = 6;
#elif defined(__AVX__)
constexpr int kLanes = 4;
constexpr int kMaxVectors = 2;
constexpr int kRows = 6;
#else
constexpr int kLanes = 2;
constexpr int kMaxVectors = 2;
constexpr int kRows = 4;
#endif

typedef double Lanes __attribute__((vector_size(kLanes * sizeof(double))));

// What a comparison of lanes gives: all bits or none.
typedef long long LaneMask __attribute__((vector_size(kLanes * sizeof(double))));

inline Lanes load(const double* p) {
  Lanes v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

inline void store(double* p, const Lanes& v) { std::memcpy(p, &v, sizeof v); }

}  // namespace sotto::kernels
