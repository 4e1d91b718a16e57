#include "sotto/decompose/cp_problem.h"

#include "sotto/base/parallel.h"
#include "sotto/decompose/hals.h"
#include "sotto/linalg/spectral.h"

namespace sotto {
namespace {

// The products of pairs of columns r <= s, k (k + 1) / 2 of them.
Matrix pair_columns(const Matrix& a) {
  const Index k = a.cols();
  Matrix pairs(a.rows(), k * (k + 1) / 2);
  Index at = 0;
  for (Index r = 0; r < k; ++r) {
    for (Index s = r; s < k; ++s) pairs.col(at++) = a.col(r).cwiseProduct(a.col(s));
  }
  return pairs;
}

Matrix gram_from_pairs(const Eigen::Ref<const Vector>& pairs, Index k) {
  Matrix gram(k, k);
  Index at = 0;
  for (Index r = 0; r < k; ++r) {
    for (Index s = r; s < k; ++s) gram(r, s) = gram(s, r) = pairs[at++];
  }
  return gram;
}

// The least-squares solution of a row that lies nearest to where the row was: a row with few
// observed entries has many.
Vector nearest_solution(const Matrix& gram, const Vector& y, const Vector& before) {
  return before + solve_semidefinite(gram, y - gram * before);
}

}  // namespace

CompleteCp::CompleteCp(Mttkrp& products)
    : products_(products), grams_(static_cast<std::size_t>(products.order())) {}

void CompleteCp::place(Index mode, const Matrix& factor) {
  products_.place(mode, factor);
  grams_[mode] = factor.transpose() * factor;
}

Matrix CompleteCp::solve(Index mode, const Matrix& factor, Sign sign, double& squared_error) {
  const Matrix m = products_.product(mode);
  const Matrix gram = gram_product(grams_, mode);
  Matrix next = sign == Sign::non_negative
                    ? hals(m, gram, factor)
                    : Matrix(solve_semidefinite(gram, m.transpose()).transpose());
  squared_error = products_.squared_norm() - 2 * next.cwiseProduct(m).sum() +
                  (next.transpose() * next).cwiseProduct(gram).sum();
  return next;
}

void ObservedCp::place(Index mode, const Matrix& factor) {
  values_.place(mode, factor);
  observed_.place(mode, pair_columns(factor));
}

Matrix ObservedCp::solve(Index mode, const Matrix& factor, Sign sign, double& squared_error) {
  const Matrix m = values_.product(mode).transpose();
  const Matrix pairs = observed_.product(mode).transpose();
  const Index k = factor.cols();
  Matrix next(k, factor.rows());
  Vector errors(factor.rows());
  parallel_for(factor.rows(), {0, pairs.size() > 20000}, [&](Index i) {
    const Matrix gram = gram_from_pairs(pairs.col(i), k);
    const Vector before = factor.row(i), y = m.col(i);
    next.col(i) =
        sign == Sign::non_negative ? hals_row(y, gram, before) : nearest_solution(gram, y, before);
    errors[i] = next.col(i).dot(gram * next.col(i)) - 2 * next.col(i).dot(y);
  });
  squared_error = squared_norm() + errors.sum();
  return next.transpose();
}

}  // namespace sotto
