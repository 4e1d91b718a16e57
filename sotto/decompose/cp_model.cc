#include "sotto/decompose/cp_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sotto {
namespace {

Matrix unit_or_zero_columns(const Matrix& a) {
  const Vector norms = a.colwise().norm();
  return a * norms.unaryExpr([](double x) { return x > 0 ? 1 / x : 0.0; }).asDiagonal();
}

double sign_of_largest(const Vector& v) {
  Index at = 0;
  v.cwiseAbs().maxCoeff(&at);
  return v[at] < 0 ? -1.0 : 1.0;
}

}  // namespace

std::vector<Matrix> grams_of(const Factors& factors) {
  std::vector<Matrix> grams;
  for (const Matrix& a : factors) grams.push_back(a.transpose() * a);
  return grams;
}

Matrix gram_product(const std::vector<Matrix>& grams, Index skip, Index skip_too) {
  Matrix product = Matrix::Ones(grams[0].rows(), grams[0].cols());
  for (Index m = 0; m < std::ssize(grams); ++m) {
    if (m != skip && m != skip_too) product.array() *= grams[m].array();
  }
  return product;
}

std::vector<Vector> balance(Factors& factors) {
  const auto order = static_cast<double>(factors.size());
  std::vector<Vector> scales(factors.size(), Vector::Ones(factors[0].cols()));
  for (Index r = 0; r < factors[0].cols(); ++r) {
    double log_sum = 0;
    bool nonzero = true;
    for (const Matrix& a : factors) {
      const double norm = a.col(r).norm();
      nonzero = nonzero && norm > 0 && std::isfinite(norm);
      if (nonzero) log_sum += std::log(norm);
    }
    if (!nonzero) continue;
    const double target = std::exp(log_sum / order);
    for (std::size_t m = 0; m < factors.size(); ++m) {
      scales[m][r] = target / factors[m].col(r).norm();
      factors[m].col(r) *= scales[m][r];
    }
  }
  return scales;
}

Matrix congruence(const Factors& a, const Factors& b) {
  Matrix product = Matrix::Ones(a[0].cols(), b[0].cols());
  for (std::size_t m = 0; m < a.size(); ++m) {
    product.array() *=
        (unit_or_zero_columns(a[m]).transpose() * unit_or_zero_columns(b[m])).array();
  }
  return product;
}

std::vector<Index> matched_components(const Factors& a, const Factors& b) {
  Matrix left = congruence(a, b).cwiseAbs();
  std::vector<Index> match(static_cast<std::size_t>(left.rows()), 0);
  for (Index n = 0; n < std::min(left.rows(), left.cols()); ++n) {
    Index r = 0, s = 0;
    left.maxCoeff(&r, &s);
    match[static_cast<std::size_t>(r)] = s;
    left.row(r).setConstant(-1);
    left.col(s).setConstant(-1);
  }
  return match;
}

UnitComponents unit_components(const Factors& factors) {
  const Index k = factors[0].cols();
  Vector weights = Vector::Ones(k);
  Factors unit = factors;
  for (Matrix& a : unit) {
    for (Index r = 0; r < k; ++r) {
      const double norm = a.col(r).norm();
      weights[r] *= norm;
      if (norm > 0) {
        a.col(r) /= norm;
      } else {
        a(0, r) = 1;
      }
    }
  }
  for (Index r = 0; r < k; ++r) {
    double sign = 1;
    for (std::size_t m = 0; m + 1 < unit.size(); ++m) {
      const double s = sign_of_largest(unit[m].col(r));
      unit[m].col(r) *= s;
      sign *= s;
    }
    unit.back().col(r) *= sign;
  }
  std::vector<Index> order(static_cast<std::size_t>(k));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index x, Index y) { return weights[x] > weights[y]; });
  UnitComponents result{weights(order), {}};
  for (const Matrix& a : unit) result.factors.emplace_back(a(Eigen::all, order));
  return result;
}

}  // namespace sotto
