#include "sotto/decompose/hals.h"

#include <algorithm>

namespace sotto {
namespace {

// Rounds of HALS for one mode: most of the cost is in the products, so that a few more rounds pay.
constexpr int kHalsRounds = 8;
constexpr double kHalsTolerance = 1e-3;  // stop when a round moves less than this of the first

// A column that is 0 everywhere would be so for ever: it keeps a trace.
constexpr double kTrace = 1e-12;

}  // namespace

Matrix hals(const Matrix& m, const Matrix& gram, Matrix a) {
  double first = 0;
  for (int round = 0; round < kHalsRounds; ++round) {
    double moved = 0;
    for (Index r = 0; r < a.cols(); ++r) {
      if (!(gram(r, r) > 0)) continue;
      Vector next = (a.col(r) + (m.col(r) - a * gram.col(r)) / gram(r, r)).cwiseMax(0.0);
      if (!(next.maxCoeff() > 0)) next.setConstant(kTrace * a.maxCoeff());
      moved += (next - a.col(r)).squaredNorm();
      a.col(r) = next;
    }
    if (round == 0) first = moved;
    if (moved <= kHalsTolerance * kHalsTolerance * first) break;
  }
  return a;
}

Vector hals_row(const Vector& y, const Matrix& gram, Vector a) {
  for (int round = 0; round < kHalsRounds; ++round) {
    for (Index r = 0; r < a.size(); ++r) {
      if (gram(r, r) > 0) a[r] = std::max(0.0, a[r] + (y[r] - gram.col(r).dot(a)) / gram(r, r));
    }
  }
  return a;
}

}  // namespace sotto
