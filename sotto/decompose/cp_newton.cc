#include "sotto/decompose/cp_newton.h"

#include <algorithm>
#include <cmath>

#include "sotto/linalg/spectral.h"

namespace sotto {
namespace {

double dot(const Factors& a, const Factors& b) {
  double sum = 0;
  for (std::size_t m = 0; m < a.size(); ++m) sum += a[m].cwiseProduct(b[m]).sum();
  return sum;
}

void add_scaled(Factors& a, double scale, const Factors& b) {
  for (std::size_t m = 0; m < a.size(); ++m) a[m] += scale * b[m];
}

// The model at one place: error, gradient of half the squared error, and what J^T J needs.
struct Linearisation {
  Factors factors, products;
  std::vector<Matrix> grams, others;  // A^T A; all but one multiplied
  double squared_error = 0;

  Index order() const { return static_cast<Index>(factors.size()); }

  void refresh() {
    grams = grams_of(factors);
    others.clear();
    for (Index m = 0; m < order(); ++m) others.push_back(gram_product(grams, m));
  }
  Factors gradient() const {
    Factors g;
    for (std::size_t m = 0; m < factors.size(); ++m) {
      g.push_back(factors[m] * others[m] - products[m]);
    }
    return g;
  }
  // J^T J V.
  Factors normal(const Factors& v) const {
    Factors result;
    std::vector<Matrix> cross;
    for (std::size_t m = 0; m < v.size(); ++m) cross.push_back(v[m].transpose() * factors[m]);
    for (Index m = 0; m < order(); ++m) {
      Matrix mixed = Matrix::Zero(grams[0].rows(), grams[0].cols());
      for (Index n = 0; n < order(); ++n) {
        if (n != m) mixed.array() += gram_product(grams, m, n).array() * cross[n].array();
      }
      result.push_back(v[m] * others[m] + factors[m] * mixed);
    }
    return result;
  }
  // Columns of equal length in every mode; the products go along without being computed again.
  void rebalance() {
    const std::vector<Vector> scales = balance(factors);
    for (std::size_t m = 0; m < factors.size(); ++m) {
      products[m] = products[m] * scales[m].cwiseInverse().asDiagonal();
    }
    refresh();
  }
};

Linearisation linearise(Mttkrp& tensor, Factors factors) {
  Linearisation at;
  at.factors = std::move(factors);
  for (Index m = 0; m < tensor.order(); ++m) tensor.place(m, at.factors[m]);
  for (Index m = 0; m < tensor.order(); ++m) at.products.push_back(tensor.product(m));
  at.refresh();
  at.squared_error = tensor.squared_norm() - 2 * at.factors[0].cwiseProduct(at.products[0]).sum() +
                     at.grams[0].cwiseProduct(at.others[0]).sum();
  if (at.squared_error < kTrustExpandedSquare * tensor.squared_norm()) {
    at.squared_error = tensor.squared_residual();
  }
  return at;
}

// (G_m + mu I)^-1 of each mode, applied to rows.
class BlockInverse {
 public:
  BlockInverse(const Linearisation& at, double damping) {
    for (Matrix gram : at.others) {
      gram.diagonal().array() += damping;
      inverse_.push_back(solve_semidefinite(gram, Matrix::Identity(gram.rows(), gram.cols())));
    }
  }
  Factors operator()(const Factors& r) const {
    Factors z;
    for (std::size_t m = 0; m < r.size(); ++m) z.push_back(r[m] * inverse_[m]);
    return z;
  }

 private:
  std::vector<Matrix> inverse_;
};

struct NewtonStep {
  Factors move;
  double predicted = 0;  // decrease of half the squared error
};

// (J^T J + mu I) step = -gradient, by conjugate gradients.
NewtonStep solve_step(const Linearisation& at, const Factors& gradient, double damping, int inner) {
  constexpr double kAccuracy = 1e-2;
  const BlockInverse precondition(at, damping);
  NewtonStep step;
  Factors residual = gradient;
  for (Matrix& m : residual) m *= -1;
  for (const Matrix& m : gradient) step.move.push_back(Matrix::Zero(m.rows(), m.cols()));
  Factors z = precondition(residual), direction = z;
  double rz = dot(residual, z);
  const double first = rz;
  for (int n = 0; n < inner && rz > kAccuracy * kAccuracy * first; ++n) {
    Factors image = at.normal(direction);
    add_scaled(image, damping, direction);
    const double curvature = dot(direction, image);
    if (!(curvature > 0)) break;
    const double length = rz / curvature;
    add_scaled(step.move, length, direction);
    add_scaled(residual, -length, image);
    z = precondition(residual);
    const double next = dot(residual, z);
    const double share = next / rz;
    rz = next;
    for (std::size_t m = 0; m < z.size(); ++m) direction[m] = z[m] + share * direction[m];
  }
  const Factors image = at.normal(step.move);
  step.predicted = -dot(gradient, step.move) - 0.5 * dot(step.move, image);
  return step;
}

// How the damping grows after a step that failed; twice as fast after each further one.
constexpr double kFirstGrowth = 2;

// Moves if that helps, and adapts the damping. Returns the decrease of half the squared error.
double try_step(Mttkrp& products, const NewtonStep& step, Linearisation& at, double& damping,
                double& growth) {
  Factors next = at.factors;
  add_scaled(next, 1, step.move);
  Linearisation there = linearise(products, std::move(next));
  const double decrease = 0.5 * (at.squared_error - there.squared_error);
  if (decrease > 0 && std::isfinite(there.squared_error)) {
    const double ratio = step.predicted > 0 ? decrease / step.predicted : 0;
    const double gain = 2 * ratio - 1;
    damping *= std::max(1.0 / 10, 1 - gain * gain * gain);
    growth = kFirstGrowth;
    at = std::move(there);
    at.rebalance();
  } else {
    damping *= growth;
    growth *= 2;
  }
  return decrease;
}

}  // namespace

SweepOutcome gauss_newton(Mttkrp& products, Factors& factors, const NewtonOptions& options,
                          const SweepReport& report) {
  constexpr double kPerfect = 1e-28;
  balance(factors);
  Linearisation at = linearise(products, factors);
  double damping = 1e-3 * at.others[0].diagonal().maxCoeff(), growth = kFirstGrowth;
  SweepOutcome outcome;
  while (outcome.sweeps < options.steps && !outcome.converged) {
    ++outcome.sweeps;
    const NewtonStep step = solve_step(at, at.gradient(), damping, options.inner);
    const double small = options.tolerance * std::abs(at.squared_error);
    const bool little_left = options.tolerance > 0 && 2 * step.predicted <= small;
    // Unless the last step failed the model is trusted: products would only confirm it.
    if (little_left && growth == kFirstGrowth) {
      outcome.converged = true;
    } else {
      const double decrease = try_step(products, step, at, damping, growth);
      outcome.converged =
          (little_left && 2 * std::max(decrease, 0.0) <= small) ||
          (options.tolerance > 0 && at.squared_error <= kPerfect * products.squared_norm());
    }
    if (report && !report(outcome.sweeps, at.squared_error)) {
      outcome.stopped = true;
      break;
    }
    if (growth > 1e6) {  // no step helps any more: rounding
      outcome.converged = true;
    }
  }
  factors = std::move(at.factors);
  outcome.squared_error = at.squared_error;
  return outcome;
}

}  // namespace sotto
