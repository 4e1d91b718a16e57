#include "sotto/models/people_factors_estimate.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/linalg/gemm.h"
#include "sotto/linalg/krylov.h"
#include "sotto/linalg/spectral.h"
#include "sotto/models/coupled_cp.h"

namespace sotto {
namespace {

// The leading eigenvalue of the pairs must be so many times the edge of their noise.
constexpr double kLeadingOverEdge = 2.5;
// How far modes are brought to the same strength.
constexpr double kModeBalance = 0.5;
constexpr double kSmallestDirection = 1e-6, kSmallestSpread = 1e-3;
// Of a start from triples that is spread by frequency, so that no row is impossible.
constexpr double kStartBackground = 0.1;
constexpr double kRarePower = 0.25;
// No factor's share may vanish: an expectation step could not bring it back.
constexpr double kLeastPeopleShare = 0.2;

struct SymmetricRoots {
  Matrix root, inverse;
};

// C^(1/2) and C^(-1/2), eigenvalues held above a share of the largest.
SymmetricRoots roots_of(const Matrix& c) {
  const Eigenpairs pairs = ascending_eigenpairs(c);
  const double least = std::max(kSmallestSpread * pairs.values.maxCoeff(), 1e-300);
  const Vector root = pairs.values.array().max(least).sqrt();
  return {with_spectrum(pairs.vectors, root), with_spectrum(pairs.vectors, root.cwiseInverse())};
}

// An orthonormal basis of the columns, without directions that are hardly there.
Matrix basis_of_columns(const Matrix& m) {
  const Eigenpairs pairs = ascending_eigenpairs(multiply_transposed(m, m));
  const double largest = pairs.values.maxCoeff();
  Index kept = 0;
  while (kept < pairs.values.size() &&
         pairs.values[pairs.values.size() - 1 - kept] > kSmallestDirection * largest) {
    ++kept;
  }
  kept = std::min(std::max<Index>(kept, 1), m.rows());
  const Vector scale = pairs.values.tail(kept).cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  return multiply(m, pairs.vectors.rightCols(kept) * scale.asDiagonal());
}

Matrix spread_of(const Matrix& rows, const Vector& frequencies) {
  return multiply_transposed(rows, frequencies.asDiagonal() * rows);
}

}  // namespace

PersonFactors PeopleModel::stacked(double alpha0, int rounds) const {
  Index features = 0;
  for (const Matrix& factor : factors) features += factor.rows();
  PersonFactors all{RowMatrix(features, weights.size()), alpha0 * weights, rounds};
  Index at = 0;
  for (const Matrix& factor : factors) {
    all.stacked.middleRows(at, factor.rows()) = factor;
    at += factor.rows();
  }
  return all;
}

PeopleEstimate::PeopleEstimate(const PublicPeopleShape& shape, const PeopleOptions& options)
    : dims_(shape.dims),
      offset_{0},
      people_(std::max(1.0, double(shape.people))),
      options_(options) {
  for (const Index d : dims_) {
    offset_.push_back(offset_.back() + d);
    frequencies_.emplace_back(d);
    estimate_.emplace_back(d, options.components);
  }
}

void PeopleEstimate::take_frequencies(Noisy<Vector> frequencies) {
  first_ = std::move(frequencies);
  for (std::size_t m = 0; m < modes(); ++m) {
    const Vector own = first_.value.segment(offset_[m], dims_[m]);
    const double mass = own.cwiseMax(0.5 * first_.deviation).sum();
    frequencies_[m].add(own / mass, Vector::Constant(dims_[m], first_.deviation / mass));
  }
  set_weights();
}

void PeopleEstimate::set_weights() {
  weights_.resize(features());
  const double noise = first_.deviation * first_.deviation;
  for (std::size_t m = 0; m < modes(); ++m) {
    const auto own = first_.value.segment(offset_[m], dims_[m]);
    const double mass = std::max(own.sum(), first_.deviation);
    // The chance that two events have the same row.
    const double same = std::clamp((own.squaredNorm() - double(dims_[m]) * noise) / (mass * mass),
                                   1 / double(dims_[m]), 1.0);
    weights_.segment(offset_[m], dims_[m]).setConstant(std::pow(same, -kModeBalance / 2));
  }
  weights_ /= weights_.maxCoeff();
}

const std::vector<std::int32_t>& PeopleEstimate::choose_core(double pair_deviation,
                                                             std::optional<Index> size) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(features()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return first_.value[a] > first_.value[b];
  });
  const Index most = largest_people_core(features());
  if (!size) {
    // sum_p x / |x| is about N times the mean of x at norm one, and a person's pairs at norm one
    // are about the square of that: their leading eigenvalue is about |sum|^2 / N on the core.
    const double noise = first_.deviation * first_.deviation;
    double square = 0;
    Index chosen = 0;
    for (Index c = 0; c < most; ++c) {
      const double f = first_.value[order[static_cast<std::size_t>(c)]];
      square += f * f - noise;
      const double edge = std::sqrt(2.0 * double(c + 1)) * pair_deviation;
      if (square >= kLeadingOverEdge * edge * people_) chosen = c + 1;
    }
    size = std::max(chosen, least_people_core(options_.components, features()));
  }
  core_.assign(order.begin(), order.begin() + *size);
  std::sort(core_.begin(), core_.end());
  return core_;
}

Vector PeopleEstimate::core_weights() const {
  Vector some(core());
  for (Index c = 0; c < core(); ++c) some[c] = weights_[core_[static_cast<std::size_t>(c)]];
  return some;
}

void PeopleEstimate::take_pairs(const Noisy<Matrix>& pairs) {
  const Index wide = std::min(triple_directions(options_.components), core());
  KrylovOptions krylov;
  krylov.seed = static_cast<std::uint64_t>(options_.seed);
  const Eigenpairs found = largest_eigenpairs(
      [&](const RowMatrix& block) -> RowMatrix { return multiply_narrow(pairs.value, block); },
      core(), wide, krylov);
  leading_ = Matrix::Zero(features(), wide);
  for (Index c = 0; c < core(); ++c) {
    leading_.row(core_[static_cast<std::size_t>(c)]) = found.vectors.row(c);
  }
  of_mode_.clear();
  whiten_.clear();
  unwhiten_.clear();
  Matrix spread = Matrix::Zero(wide, wide);
  for (std::size_t m = 0; m < modes(); ++m) {
    const auto own = leading_.middleRows(offset_[m], dims_[m]);
    const auto weights = weights_.segment(offset_[m], dims_[m]);
    const Vector frequent = frequencies(m);
    of_mode_.push_back(basis_of_columns(own));
    const SymmetricRoots roots =
        roots_of(spread_of(weights.asDiagonal() * of_mode_.back(), frequent));
    whiten_.push_back(roots.inverse);
    unwhiten_.push_back(roots.root);
    spread += spread_of(weights.asDiagonal() * own, frequent);
  }
  whiten_all_ = roots_of(spread).inverse;
}

TripleBasis PeopleEstimate::triple_basis() const {
  TripleBasis basis;
  for (std::size_t m = 0; m < modes(); ++m) {
    basis.of_mode.emplace_back(weights_.segment(offset_[m], dims_[m]).asDiagonal() *
                               multiply(of_mode_[m], whiten_[m]));
  }
  basis.of_other = weights_.asDiagonal() * multiply(leading_, whiten_all_);
  return basis;
}

PeopleModel PeopleEstimate::take_triples(const Noisy<Vector>& triples) {
  const Index k = options_.components, others = leading_.cols();
  std::vector<CoupledBlock> blocks;
  std::vector<Index> rows;
  for (const Matrix& basis : of_mode_) rows.push_back(basis.cols());
  Index at = 0;
  for (std::size_t a = 0; a < modes(); ++a) {
    for (std::size_t b = a + 1; b < modes(); ++b) {
      const Index size = rows[a] * rows[b];
      blocks.push_back(
          {a, b, Eigen::Map<const RowMatrix>(triples.value.data() + at, size, others)});
      at += size * others;
    }
  }
  CoupledOptions coupled;
  coupled.seed = static_cast<std::uint64_t>(options_.seed);
  const CoupledFactors fit = fit_coupled(blocks, rows, k, coupled);
  PeopleModel model;
  model.weights = Vector::Constant(k, 1 / double(k));
  for (std::size_t m = 0; m < modes(); ++m) {
    const Vector frequent = frequencies(m);
    Matrix factor = of_mode_[m] * (unwhiten_[m] * fit.modes[m]);
    factor.array().colwise() /= weights_.segment(offset_[m], dims_[m]).array();
    std::vector<bool> in_core(static_cast<std::size_t>(dims_[m]), false);
    for (const std::int32_t j : core_) {
      if (j >= offset_[m] && j < offset_[m + 1]) in_core[std::size_t(j - offset_[m])] = true;
    }
    double covered = 0;
    for (Index i = 0; i < dims_[m]; ++i) covered += in_core[std::size_t(i)] ? frequent[i] : 0;
    for (Index t = 0; t < k; ++t) {
      auto column = factor.col(t);
      if (column.sum() < 0) column = -column;
      column = column.cwiseMax(0.0);
      const double mass = column.sum();
      for (Index i = 0; i < dims_[m]; ++i) {
        const bool known = in_core[std::size_t(i)] && mass > 0;
        column[i] =
            (known ? column[i] / mass * covered : frequent[i]) + kStartBackground * frequent[i];
      }
      column /= column.sum();
    }
    model.factors.push_back(std::move(factor));
  }
  return model;
}

PeopleModel PeopleEstimate::random_start() const {
  SeededRandom random(static_cast<std::uint64_t>(options_.seed));
  const Index k = options_.components;
  PeopleModel model;
  model.weights = Vector::Constant(k, 1 / double(k));
  for (std::size_t m = 0; m < modes(); ++m) {
    Matrix factor(dims_[m], k);
    for (Index n = 0; n < factor.size(); ++n) factor.data()[n] = -std::log(1 - random.uniform());
    factor.array().colwise() *= frequencies(m).array();
    factor.array().rowwise() /= factor.array().colwise().sum();
    model.factors.push_back(std::move(factor));
  }
  return model;
}

Vector PeopleEstimate::step_scale() const {
  Vector scale(features());
  for (std::size_t m = 0; m < modes(); ++m) {
    const Vector raised =
        first_.value.segment(offset_[m], dims_[m]).cwiseMax(std::max(first_.deviation, 1e-12));
    scale.segment(offset_[m], dims_[m]) =
        (raised / raised.maxCoeff()).array().pow(-kRarePower).min(1e3);
  }
  return scale;
}

PeopleModel PeopleEstimate::take_counts(Noisy<RowMatrix> counts, const PeopleModel& model,
                                        double decay) {
  const Index k = options_.components;
  const Vector scale = step_scale();
  PeopleModel next = model;
  Vector shares = Vector::Zero(k);
  for (std::size_t m = 0; m < modes(); ++m) {
    const auto own_scale = scale.segment(offset_[m], dims_[m]);
    Matrix own = counts.value.middleRows(offset_[m], dims_[m]);
    own.array().colwise() /= own_scale.array();
    const Vector noise = counts.deviation * own_scale.cwiseInverse();
    const double total = own.sum();
    if (total <= 0) {  // noise alone
      shares += model.weights;
      continue;
    }
    const Vector mass = own.colwise().sum().cwiseMax(kLeastPeopleShare * total / double(k));
    estimate_[m].add(own * mass.cwiseInverse().asDiagonal(),
                     noise * mass.cwiseInverse().transpose(), decay);
    frequencies_[m].add(own.rowwise().sum() / total, noise * std::sqrt(double(k)) / total);
    const Vector share = mass / mass.sum();
    next.factors[m] = estimate_[m].value(frequencies(m), share);
    shares += share;
  }
  next.weights = shares / shares.sum();
  return next;
}

}  // namespace sotto
