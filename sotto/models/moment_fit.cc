#include "sotto/models/moment_fit.h"

#include <cmath>

#include "sotto/linalg/gemm.h"
#include "sotto/models/simplex.h"
#include "sotto/tensor/contraction.h"

namespace sotto {
namespace {

// A model, or a direction in which to move one.
struct Point {
  Matrix topics;
  Vector weights;
};

Point combine(const Point& a, double factor, const Point& b) {
  return {a.topics + factor * b.topics, a.weights + factor * b.weights};
}

double dot(const Point& a, const Point& b) {
  return a.topics.cwiseProduct(b.topics).sum() + a.weights.dot(b.weights);
}

struct Evaluation {
  double value = 0;
  Point gradient;
};

// The moments of shares and topics: M2 / f2 and M3 / f3. `ratio` is the weight of the part of M3.
struct Target {
  Matrix second;
  Matrix basis;
  SymmetricTensor third;
  double ratio;

  explicit Target(const NoisyTopicMoments& moments)
      : second(moments.second * (moments.alpha0 + 1)),
        basis(moments.basis),
        third(moments.third.dim(), 3),
        // (s2 / f2)^2 / (s3 / f3)^2
        ratio(
            std::pow(2 * moments.second_noise / ((moments.alpha0 + 2) * moments.third_noise), 2)) {
    third.add_scaled((moments.alpha0 + 1) * (moments.alpha0 + 2) / 2, moments.third);
  }
};

Evaluation evaluate(const Target& moments, const Point& at) {
  const Matrix weighted = at.topics * at.weights.asDiagonal();
  const Matrix r2 = multiply_by_transposed(weighted, at.topics) - moments.second;
  const Matrix y = multiply_transposed(moments.basis, at.topics);
  SymmetricTensor r3(moments.third.dim(), 3);
  for (Index i = 0; i < y.cols(); ++i) r3.add_rank_one(at.weights[i], y.col(i));
  r3.add_scaled(-1, moments.third);
  const Matrix products = contract(r3, y);
  const Matrix r2a = multiply(r2, at.topics);
  Evaluation result;
  result.value = r2.squaredNorm() + moments.ratio * std::pow(r3.frobenius_norm(), 2);
  result.gradient.topics =
      (4 * r2a + 6 * moments.ratio * multiply(moments.basis, products)) * at.weights.asDiagonal();
  result.gradient.weights =
      2 * (column_dots(at.topics, r2a) + moments.ratio * column_dots(y, products));
  return result;
}

Point project(const Point& p) {
  Point result = p;
  for (Index i = 0; i < p.topics.cols(); ++i) {
    result.topics.col(i) = project_to_simplex(p.topics.col(i));
  }
  result.weights = project_to_simplex(p.weights);
  return result;
}

// One projected step from `at`, short enough that the quadratic bound holds.
Point descend(const Target& moments, const Point& at, double& step) {
  const Evaluation here = evaluate(moments, at);
  step *= 1.25;
  while (true) {
    Point next = project(combine(at, -step, here.gradient));
    const Point move = combine(next, -1, at);
    const double bound = here.value + dot(here.gradient, move) + dot(move, move) / (2 * step);
    if (evaluate(moments, next).value <= bound * (1 + 1e-12) || step < 1e-12) return next;
    step /= 2;
  }
}

}  // namespace

TopicModel fit_moments(const NoisyTopicMoments& noisy, const TopicModel& start, int steps) {
  const Target moments(noisy);
  const double alpha_sum = start.alpha.sum();
  Point best{start.topics, start.alpha / alpha_sum};
  Point ahead = best;
  double momentum = 1, step = 1, value = evaluate(moments, best).value;
  for (int s = 0; s < steps; ++s) {
    Point next = descend(moments, ahead, step);
    const double reached = evaluate(moments, next).value;
    if (reached > value) {  // the momentum carried too far
      momentum = 1;
      ahead = best;
      continue;
    }
    const double grown = (1 + std::sqrt(1 + 4 * momentum * momentum)) / 2;
    ahead = combine(next, (momentum - 1) / grown, combine(next, -1, best));
    best = std::move(next);
    momentum = grown;
    value = reached;
  }
  return {best.topics, best.weights * alpha_sum};
}

}  // namespace sotto
