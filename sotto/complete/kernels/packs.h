// Rows of factors as short vectors of known length, for the inner loops of completion.
//
// A row of rank r is stored in `stride` numbers, the next of 4, 8, 16, 32, 64; the padding is 0 and
// every update keeps it 0. Loops over a row then have a length that the compiler knows. Sums across
// a row are taken in four lanes and in a fixed order, so that a result does not depend on the width
// of the instruction set.
#pragma once

#include <cstring>
#include <type_traits>

#include "sotto/base/error.h"
#include "sotto/linalg/matrix.h"

namespace sotto {

constexpr Index kMaxCompletionRank = 64;

inline Index padded_rank(Index rank) {
  Index stride = 4;
  while (stride < rank) stride *= 2;
  return stride;
}

// Four numbers, in one or two registers depending on the machine.
typedef double Quad __attribute__((vector_size(32)));

// A row of S numbers, in registers where it fits.
template <int S>
struct Pack {
  static constexpr int kQuads = S / 4;
  Quad part[kQuads];

  Pack() {}  // leaves the numbers as they are: whoever makes one fills it
  static Pack load(const double* row) {
    Pack p;
    std::memcpy(p.part, row, sizeof p.part);
    return p;
  }
  void store(double* row) const { std::memcpy(row, part, sizeof part); }
  static Pack all(double x) {
    Pack p;
    for (Quad& q : p.part) q = Quad{x, x, x, x};
    return p;
  }

  Pack operator*(const Pack& b) const {
    Pack p;
    for (int n = 0; n < kQuads; ++n) p.part[n] = part[n] * b.part[n];
    return p;
  }
  Pack operator*(double x) const {
    Pack p;
    for (int n = 0; n < kQuads; ++n) p.part[n] = part[n] * x;
    return p;
  }
  Pack operator+(const Pack& b) const {
    Pack p;
    for (int n = 0; n < kQuads; ++n) p.part[n] = part[n] + b.part[n];
    return p;
  }
  Pack operator-(const Pack& b) const {
    Pack p;
    for (int n = 0; n < kQuads; ++n) p.part[n] = part[n] - b.part[n];
    return p;
  }
  Pack& operator+=(const Pack& b) {
    for (int n = 0; n < kQuads; ++n) part[n] += b.part[n];
    return *this;
  }
  double sum() const {
    Quad total = part[0];
    for (int n = 1; n < kQuads; ++n) total += part[n];
    return (total[0] + total[2]) + (total[1] + total[3]);
  }
};

// Calls work(std::integral_constant<int, S>{}) for the stride S.
template <class Work>
decltype(auto) with_stride(Index stride, Work&& work) {
  switch (stride) {
    case 4:
      return work(std::integral_constant<int, 4>{});
    case 8:
      return work(std::integral_constant<int, 8>{});
    case 16:
      return work(std::integral_constant<int, 16>{});
    case 32:
      return work(std::integral_constant<int, 32>{});
    case 64:
      return work(std::integral_constant<int, 64>{});
    default:
      throw Error("rows of factors have an impossible stride", "");
  }
}

// Calls work(std::integral_constant<int, O>{}) for the order O of the tensor.
template <class Work>
decltype(auto) with_order(Index order, Work&& work) {
  switch (order) {
    case 3:
      return work(std::integral_constant<int, 3>{});
    case 4:
      return work(std::integral_constant<int, 4>{});
    case 5:
      return work(std::integral_constant<int, 5>{});
    default:
      throw Error("completion takes tensors of order 3 to 5", "");
  }
}

}  // namespace sotto
