#include "sotto/models/pair_topics.h"

#include <cmath>
#include <limits>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/linalg/gemm.h"

namespace sotto {
namespace {

// Columns of total mass sqrt(1/k) with a few large entries, as topics have them.
Matrix random_start(Index rows, Index k, std::uint64_t seed, std::uint64_t number) {
  SeededRandom random(seed, 11 + number);
  Matrix b(rows, k);
  // exp(-E/0.1) of exponentials E: uniform^10, which like a sparse Dirichlet favours few words.
  for (double& x : b.reshaped()) x = std::pow(random.uniform(), 10.0) + 1e-12;
  for (Index t = 0; t < k; ++t) b.col(t) /= b.col(t).sum() * std::sqrt(double(k));
  return b;
}

void sweep(const Matrix& m, Matrix& b) {
  // The sweep needs M b_i only for each b_i before its own update, so one product serves all of it.
  const Matrix product = multiply(m, b);
  for (Index i = 0; i < b.cols(); ++i) {
    const double square = std::max(b.col(i).squaredNorm(), 1e-300);
    const Vector others = b * (b.transpose() * b.col(i)) - b.col(i) * square;
    const Vector next = ((product.col(i) - others) / square).cwiseMax(0.0);
    if (next.maxCoeff() > 0) b.col(i) = 0.5 * (b.col(i) + next);
  }
}

double distance(const Matrix& m, const Matrix& b) {
  // |M - B B^T|^2 = |M|^2 - 2 <B, M B> + |B^T B|^2
  return m.squaredNorm() - 2 * b.cwiseProduct(multiply(m, b)).sum() +
         multiply_transposed(b, b).squaredNorm();
}

}  // namespace

Matrix nonnegative_factor(const Matrix& m, Index k, const PairOptions& options) {
  SOTTO_REQUIRE(m.rows() == m.cols() && m.rows() >= k, "{} factors of a {} x {} matrix", k,
                m.rows(), m.cols());
  Matrix best;
  double least = std::numeric_limits<double>::infinity();
  for (int start = 0; start < options.starts; ++start) {
    Matrix b = random_start(m.rows(), k, options.seed, static_cast<std::uint64_t>(start));
    for (int s = 0; s < options.sweeps; ++s) sweep(m, b);
    const double error = distance(m, b);
    if (error < least || best.size() == 0) {
      least = error;
      best = std::move(b);
    }
  }
  for (int s = 0; s < options.polish; ++s) sweep(m, best);
  return best;
}

Matrix linear_step(const Matrix& m, const Matrix& factor) {
  const Matrix gram = multiply_transposed(factor, factor);
  Matrix step = multiply(m, factor) - multiply(factor, gram);
  for (Index i = 0; i < factor.cols(); ++i) {
    step.col(i) = step.col(i) / std::max(gram(i, i), 1e-300) + factor.col(i);
  }
  return step;
}

}  // namespace sotto
