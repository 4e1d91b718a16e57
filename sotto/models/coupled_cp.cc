#include "sotto/models/coupled_cp.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/linalg/gemm.h"
#include "sotto/linalg/spectral.h"

namespace sotto {
namespace {

constexpr double kCoupledRidge = 1e-10;  // of the trace

Matrix random_factor(Index rows, Index k, SeededRandom& random) {
  Matrix m(rows, k);
  for (Index n = 0; n < m.size(); ++n) m.data()[n] = random.normal();
  return m;
}

// X with X gram = right, gram symmetric and at least 0.
Matrix solve_right(const Matrix& gram, const Matrix& right) {
  const Eigenpairs pairs = ascending_eigenpairs(gram);
  const double ridge = std::max(kCoupledRidge * gram.trace(), 1e-300);
  const Vector inverse = (pairs.values.array().max(0.0) + ridge).inverse();
  return multiply(right, with_spectrum(pairs.vectors, inverse));
}

Matrix gram_of(const Matrix& m) { return multiply_transposed(m, m); }

// Row i * rows_b + j is the product of rows i and j.
Matrix row_products(const Matrix& a, const Matrix& b) {
  Matrix products(a.rows() * b.rows(), a.cols());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < b.rows(); ++j) {
      products.row(i * b.rows() + j) = a.row(i).cwiseProduct(b.row(j));
    }
  }
  return products;
}

void fit_mode(const std::vector<CoupledBlock>& blocks, std::size_t mode, CoupledFactors& fit) {
  Matrix& own = fit.modes[mode];
  const Index k = own.cols();
  const Matrix other = gram_of(fit.other);
  Matrix right = Matrix::Zero(own.rows(), k), gram = Matrix::Zero(k, k);
  for (const CoupledBlock& block : blocks) {
    if (block.a != mode && block.b != mode) continue;
    const Matrix& partner = fit.modes[block.a == mode ? block.b : block.a];
    const RowMatrix seen = multiply(block.values, fit.other);
    const Index columns = fit.modes[block.b].rows();
    for (Index i = 0; i < fit.modes[block.a].rows(); ++i) {
      for (Index j = 0; j < columns; ++j) {
        const auto row = seen.row(i * columns + j);
        if (block.a == mode) {
          right.row(i) += row.cwiseProduct(partner.row(j));
        } else {
          right.row(j) += row.cwiseProduct(partner.row(i));
        }
      }
    }
    gram += gram_of(partner).cwiseProduct(other);
  }
  own = solve_right(gram, right);
}

void fit_other(const std::vector<CoupledBlock>& blocks, CoupledFactors& fit) {
  const Index k = fit.other.cols();
  Matrix right = Matrix::Zero(fit.other.rows(), k), gram = Matrix::Zero(k, k);
  for (const CoupledBlock& block : blocks) {
    const Matrix &a = fit.modes[block.a], &b = fit.modes[block.b];
    right += multiply_transposed(block.values, row_products(a, b));
    gram += gram_of(a).cwiseProduct(gram_of(b));
  }
  fit.other = solve_right(gram, right);
  for (Index t = 0; t < k; ++t) {
    const double norm = std::max(fit.other.col(t).norm(), 1e-300);
    fit.other.col(t) /= norm;
    for (Matrix& factor : fit.modes) factor.col(t) *= std::sqrt(norm);
  }
}

double misfit_of(const std::vector<CoupledBlock>& blocks, const CoupledFactors& fit) {
  double square = 0;
  for (const CoupledBlock& block : blocks) {
    const Matrix products = row_products(fit.modes[block.a], fit.modes[block.b]);
    square += (block.values - multiply_by_transposed(products, fit.other)).squaredNorm();
  }
  return square;
}

}  // namespace

CoupledFactors fit_coupled(const std::vector<CoupledBlock>& blocks, const std::vector<Index>& rows,
                           Index k, const CoupledOptions& options) {
  SOTTO_REQUIRE(!blocks.empty(), "there is no block to fit");
  const Index others = blocks.front().values.cols();
  double whole = 0;
  for (const CoupledBlock& block : blocks) {
    SOTTO_REQUIRE(
        block.values.cols() == others && block.values.rows() == rows.at(block.a) * rows.at(block.b),
        "blocks must share the rows of their modes");
    whole += block.values.squaredNorm();
  }
  CoupledFactors best;
  for (int start = 0; start < options.starts; ++start) {
    SeededRandom random(options.seed, static_cast<std::uint64_t>(start));
    CoupledFactors fit;
    for (const Index r : rows) fit.modes.push_back(random_factor(r, k, random));
    fit.other = random_factor(others, k, random);
    double before = std::numeric_limits<double>::infinity();
    for (int round = 0; round < options.iterations; ++round) {
      for (std::size_t m = 0; m < rows.size(); ++m) fit_mode(blocks, m, fit);
      fit_other(blocks, fit);
      if (round % 10 != 9) continue;
      fit.misfit = misfit_of(blocks, fit);
      if (before - fit.misfit <= options.tolerance * whole) break;
      before = fit.misfit;
    }
    fit.misfit = misfit_of(blocks, fit);
    if (start == 0 || fit.misfit < best.misfit) best = std::move(fit);
  }
  return best;
}

}  // namespace sotto
