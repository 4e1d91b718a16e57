#include "sotto/models/slice_factors.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "sotto/base/random.h"
#include "sotto/linalg/gemm.h"
#include "sotto/linalg/krylov.h"
#include "sotto/linalg/spectral.h"
#include "sotto/models/coupled_cp.h"

namespace sotto {
namespace {

constexpr double kSliceRidge = 1e-6;  // of the trace, in the equations of loadings
constexpr double kLeastSliceShare = 0.02;

Matrix inverse_with_ridge(const Matrix& gram, double ridge) {
  const Eigenpairs pairs = ascending_eigenpairs(gram);
  const double added = std::max(ridge * gram.trace(), 1e-12);
  return with_spectrum(pairs.vectors, (pairs.values.array().max(0.0) + added).inverse());
}

Eigenpairs leading_of(const Matrix& symmetric, Index count, std::int64_t seed) {
  KrylovOptions krylov;
  krylov.seed = static_cast<std::uint64_t>(seed);
  return largest_eigenpairs(
      [&](const RowMatrix& block) -> RowMatrix { return multiply_narrow(symmetric, block); },
      symmetric.rows(), count, krylov);
}

// The leading left singular vector.
Vector leading_left(const Matrix& m) {
  const Eigenpairs pairs = ascending_eigenpairs(multiply_by_transposed(m, m));
  return pairs.vectors.col(pairs.vectors.cols() - 1);
}

// A component is the same when two of its columns change sign: of a column and its opposite, the
// part without negative numbers that is longer.
Vector positive_part(const Vector& column) {
  const Vector up = column.cwiseMax(0.0), down = (-column).cwiseMax(0.0);
  return up.squaredNorm() >= down.squaredNorm() ? up : down;
}

// The entrywise product of the factors' Gram matrices, all but one.
Matrix entrywise_grams(const std::vector<Matrix>& modes, std::size_t but) {
  const Index k = modes[0].cols();
  Matrix gram = Matrix::Ones(k, k);
  for (std::size_t m = 0; m < modes.size(); ++m) {
    if (m != but) gram.array() *= multiply_transposed(modes[m], modes[m]).array();
  }
  return gram;
}

}  // namespace

SliceFactors slice_factors(const std::vector<Matrix>& modes) {
  Index features = 0, row = 0;
  for (const Matrix& factor : modes) features += factor.rows();
  SliceFactors given{RowMatrix(features, modes[0].cols()),
                     inverse_with_ridge(entrywise_grams(modes, modes.size()), kSliceRidge)};
  for (const Matrix& factor : modes) {
    given.stacked.middleRows(row, factor.rows()) = factor;
    row += factor.rows();
  }
  return given;
}

SliceEstimate::SliceEstimate(const PublicPeopleShape& shape, const PeopleOptions& options)
    : dims_(shape.dims),
      offset_{0},
      options_(options),
      core_(shape.dims.size()),
      bases_(shape.dims.size()),
      modes_(shape.dims.size()),
      weights_(Vector::Constant(options.components, 1 / double(options.components))) {
  for (const Index d : dims_) {
    offset_.push_back(offset_.back() + d);
    sum_.push_back(Matrix::Zero(d, options.components));
    precision_.push_back(Vector::Zero(options.components));
  }
}

void SliceEstimate::take_norms(const Noisy<Vector>& norms) {
  for (std::size_t m = 0; m < dims_.size(); ++m) {
    std::vector<std::int32_t>& rows = core_[m];
    rows.resize(static_cast<std::size_t>(dims_[m]));
    std::iota(rows.begin(), rows.end(), 0);
    std::stable_sort(rows.begin(), rows.end(), [&](std::int32_t a, std::int32_t b) {
      return norms.value[offset_[m] + a] > norms.value[offset_[m] + b];
    });
    const Index most = options_.core.value_or(largest_people_core(dims_[m]));
    if (dims_[m] > most) rows.resize(static_cast<std::size_t>(most));
    std::sort(rows.begin(), rows.end());
  }
}

Index SliceEstimate::core() const {
  Index sum = 0;
  for (const auto& rows : core_) sum += std::ssize(rows);
  return sum;
}

void SliceEstimate::take_gram(std::size_t mode, const Noisy<Matrix>& gram) {
  const Index wide = std::min(slice_directions(dims_, options_.components)[mode],
                              static_cast<Index>(core_[mode].size()));
  const Eigenpairs found = leading_of(gram.value, wide, options_.seed);
  bases_[mode] = RowMatrix::Zero(dims_[mode], wide);
  for (std::size_t c = 0; c < core_[mode].size(); ++c) {
    bases_[mode].row(core_[mode][c]) = found.vectors.row(static_cast<Index>(c));
  }
}

void SliceEstimate::take_moment(const Noisy<Matrix>& moment) {
  const Index k = options_.components;
  const Eigenpairs found =
      leading_of(moment.value, std::min(k, moment.value.rows()), options_.seed);
  const Matrix span = found.vectors * found.values.cwiseMax(0.0).cwiseSqrt().asDiagonal();  // z x k
  // The two modes with most directions; all others and the mixing are the third.
  std::vector<std::size_t> order(dims_.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return bases_[a].cols() > bases_[b].cols();
  });
  std::vector<Index> stride(dims_.size(), 1);
  for (std::size_t m = dims_.size() - 1; m > 0; --m) {
    stride[m - 1] = stride[m] * bases_[m].cols();
  }
  const std::size_t a = std::min(order[0], order[1]), b = std::max(order[0], order[1]);
  const Index rest = span.rows() / (bases_[a].cols() * bases_[b].cols());
  RowMatrix values(bases_[a].cols() * bases_[b].cols(), rest * span.cols());
  for (Index z = 0; z < span.rows(); ++z) {
    Index other = 0;
    for (std::size_t m = 0; m < dims_.size(); ++m) {
      if (m == a || m == b) continue;
      other = other * bases_[m].cols() + z / stride[m] % bases_[m].cols();
    }
    const Index i = z / stride[a] % bases_[a].cols(), j = z / stride[b] % bases_[b].cols();
    values.row(i * bases_[b].cols() + j).segment(other * span.cols(), span.cols()) = span.row(z);
  }
  CoupledOptions coupled;
  coupled.seed = static_cast<std::uint64_t>(options_.seed);
  const CoupledFactors fit =
      fit_coupled({{0, 1, std::move(values)}}, {bases_[a].cols(), bases_[b].cols()}, k, coupled);
  modes_[a] = bases_[a] * fit.modes[0];
  modes_[b] = bases_[b] * fit.modes[1];
  // What is left of a component is the product of its vectors in the other modes.
  for (std::size_t m = 0; m < dims_.size(); ++m) {
    if (m == a || m == b) continue;
    modes_[m].resize(dims_[m], k);
    Index after = span.cols();
    for (std::size_t n = m + 1; n < dims_.size(); ++n)
      after *= n == a || n == b ? 1 : bases_[n].cols();
    const Index own = bases_[m].cols(), before = fit.other.rows() / (own * after);
    for (Index t = 0; t < k; ++t) {
      Matrix unfolded(own, before * after);
      for (Index n = 0; n < fit.other.rows(); ++n) {
        unfolded(n / after % own, n / (after * own) * after + n % after) = fit.other(n, t);
      }
      modes_[m].col(t) = bases_[m] * leading_left(unfolded);
    }
  }
  for (Matrix& factor : modes_) finish_factor(factor);
}

void SliceEstimate::start_at_random() {
  SeededRandom random(static_cast<std::uint64_t>(options_.seed));
  for (std::size_t m = 0; m < dims_.size(); ++m) {
    modes_[m].resize(dims_[m], options_.components);
    for (Index n = 0; n < modes_[m].size(); ++n) modes_[m].data()[n] = random.normal();
    finish_factor(modes_[m]);
  }
}

void SliceEstimate::finish_factor(Matrix& factor) const {
  for (Index t = 0; t < factor.cols(); ++t) {
    auto column = factor.col(t);
    if (options_.non_negative) column = positive_part(column);
    const double norm = column.norm();
    // A column that noise has wiped out starts again from nowhere in particular.
    if (norm > 1e-100 && std::isfinite(norm)) {
      column /= norm;
    } else {
      column.setConstant(1 / std::sqrt(double(column.size())));
    }
    Index largest = 0;
    column.cwiseAbs().maxCoeff(&largest);
    if (column[largest] < 0) column = -column;
  }
}

Matrix SliceEstimate::cross_grams(std::size_t but) const { return entrywise_grams(modes_, but); }

void SliceEstimate::take_equations(const Noisy<Vector>& equations, double decay) {
  const Index k = options_.components;
  const Eigen::Map<const RowMatrix> right(equations.value.data(), offset_.back(), k);
  const Eigen::Map<const RowMatrix> raw(equations.value.data() + offset_.back() * k, k, k);
  // a a^T with noise is made symmetric, and kept positive.
  const Eigenpairs pairs = ascending_eigenpairs(0.5 * (raw + raw.transpose()));
  const double least = std::max(kLeastSliceShare * pairs.values.maxCoeff(), 1e-12);
  const Matrix loads = with_spectrum(pairs.vectors, pairs.values.cwiseMax(least));
  std::vector<Matrix> next;
  for (std::size_t m = 0; m < modes_.size(); ++m) {
    const Matrix solve = inverse_with_ridge(loads.cwiseProduct(cross_grams(m)), kSliceRidge);
    Matrix factor = multiply(right.middleRows(offset_[m], dims_[m]), solve);
    // Steps are averaged by the precision of their columns.
    const Vector precision =
        (equations.variance * multiply(solve, solve).diagonal()).cwiseMax(1e-300).cwiseInverse();
    sum_[m] = decay * sum_[m] + factor * precision.asDiagonal();
    precision_[m] = decay * precision_[m] + precision;
    factor = sum_[m] * precision_[m].cwiseInverse().asDiagonal();
    next.push_back(std::move(factor));
  }
  weights_ = loads.diagonal().cwiseMax(0.0);
  weights_ /= std::max(weights_.sum(), 1e-300);
  modes_ = std::move(next);
  for (Matrix& factor : modes_) finish_factor(factor);
}

}  // namespace sotto
