// The least-squares problem of one row and its bias: sums over its entries, and the solution.
//
// An entry with slope h and target t (its value without the other biases) adds h h^T, h t, h and t.
// The bias b is eliminated exactly: with n entries and shrinkage s,
//   b = (sum t - a^T sum h) / (n + s),
//   (H + lambda I - g g^T/(n + s)) a = y + lambda centre - g (sum t)/(n + s),
// where H = sum h h^T, g = sum h, y = sum h t. The inverse of that matrix, times the variance of
// the noise, is the covariance of a. A penalty of 0 (or close to it) asks for the least squares
// solution nearest to the centre. It is found with a penalty so small that it changes no other
// solution.
#pragma once

#include <algorithm>

#include "sotto/complete/kernels/packs.h"

namespace sotto {

// Keeps a system of least squares with this trace solvable, whatever the penalty.
inline double solvable_penalty(double penalty, double trace, Index size) {
  constexpr double kLeast = 1e-10;
  if (penalty == 0 && !(trace > 0)) return 1;  // nothing is known: the solution is the centre
  return std::max(penalty, kLeast * trace / static_cast<double>(size));
}

struct RowPenalty {
  double lambda = 1, centre = 0;
  bool with_bias = false;
  double shrink = 0;
};

struct RowSolution {
  Vector row;  // rank numbers
  double bias = 0;
  double error = 0;   // sum of (t - b - h^T a)^2, with E[h h^T] for h h^T where moments were added
  Matrix covariance;  // divided by the variance of the noise; only on request
};

// The sums of a row's entries: H, g, y, and n, sum t, sum t^2.
struct RowSums {
  Matrix outer;
  Vector slope, target;
  double count = 0, sum = 0, square = 0;
};

RowSolution solve_row(const RowSums& sums, const RowPenalty& penalty, bool with_covariance);

template <int S>
class RowSystem {
 public:
  explicit RowSystem(Index rank) : rank_(rank) { clear(); }

  void clear() {
    for (Index r = 0; r < rank_; ++r) outer_[r] = Pack<S>::all(0);
    slope_ = target_ = Pack<S>::all(0);
    count_ = sum_ = square_ = 0;
  }
  void add(const Pack<S>& h, double t) {
    double row[S];
    h.store(row);
    for (Index r = 0; r < rank_; ++r) outer_[r] += h * row[r];
    add_sums(h, t);
  }
  // `moment(r)` is row r of E[h h^T].
  template <class Moment>
  void add(const Pack<S>& h, double t, Moment moment) {
    for (Index r = 0; r < rank_; ++r) outer_[r] += moment(r);
    add_sums(h, t);
  }

  RowSolution solve(const RowPenalty& penalty, bool with_covariance) const {
    return solve_row(sums(), penalty, with_covariance);
  }
  // The sum over the entries of the variance that a covariance of the row adds.
  double spread(const Matrix& covariance) const {
    double sum = 0;
    for (Index r = 0; r < rank_; ++r) sum += unpacked(outer_[r]).dot(covariance.col(r));
    return sum;
  }

 private:
  void add_sums(const Pack<S>& h, double t) {
    slope_ += h;
    target_ += h * t;
    count_ += 1;
    sum_ += t;
    square_ += t * t;
  }
  RowSums sums() const {
    RowSums sums{Matrix(rank_, rank_), unpacked(slope_), unpacked(target_), count_, sum_, square_};
    for (Index r = 0; r < rank_; ++r) sums.outer.col(r) = unpacked(outer_[r]);
    return sums;
  }
  Vector unpacked(const Pack<S>& pack) const {
    double row[S];
    pack.store(row);
    Vector result(rank_);
    for (Index r = 0; r < rank_; ++r) result[r] = row[r];
    return result;
  }

  Index rank_;
  Pack<S> outer_[S];
  Pack<S> slope_, target_;
  double count_ = 0, sum_ = 0, square_ = 0;
};

}  // namespace sotto
