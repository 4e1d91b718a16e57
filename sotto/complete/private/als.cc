#include "sotto/complete/private/als.h"
#include "sotto/linalg/spectral.h"

#include <algorithm>
#include <cmath>

namespace sotto {
namespace {

// Tuned on generated ratings (docs/completion.md).
constexpr int kSweeps = 2;
constexpr double kStartBudgetShare = 0.5;  // of the budget
// In units of the variance of a rating.
constexpr double kMostLowRank = 0.5, kAlsErrorVariance = 0.7;

// Rows divided by their norm, so that every entry spends its whole share.
Matrix unit_rows(const FactorRows& factors, Index rank, RatingNoise noise,
                 std::span<const std::int32_t> used) {
  Matrix table = factors.leftCols(rank);
  for (Index i = 0; i < table.rows(); ++i) {
    const double norm =
        noise == RatingNoise::laplace ? table.row(i).lpNorm<1>() : table.row(i).norm();
    if (norm > 0) table.row(i) /= norm;
  }
  ask_for_something(table, used);
  return table;
}

// Names of the releases in plans and certificates; an even half sweep is that of the items.
constexpr const char* right_hand_sides(std::size_t mode) {
  return mode == 0 ? "right-hand sides of the users" : "right-hand sides of the items";
}
constexpr std::size_t mode_of(int half_sweep) { return half_sweep % 2 == 0 ? 1 : 0; }

// One row with y = P (a - a before) + errors.
struct NoisyRow {
  Matrix across, within;  // P = sum q f^T, Q = sum q q^T
  Vector y;
};

// One half sweep: solves the rows of `mode` again with those of the other mode fixed.
class HalfSweep {
 public:
  HalfSweep(const ObservedEntries& positions, std::size_t mode, Index rank, CompletionModel& model)
      : positions_(positions), mode_(mode), rank_(rank), model_(model) {}

  void run(RatingSums& sums, double share, double rating_variance) {
    const Matrix table =
        unit_rows(model_.factors[1 - mode_], rank_, sums.plan().noise, positions_.index[1 - mode_]);
    const Noisy<Matrix> right =
        sums.release({right_hand_sides(mode_), positions_.dims[mode_], positions_.index[mode_],
                      &table, positions_.index[1 - mode_]},
                     share)
            .value();
    error_ = kAlsErrorVariance * rating_variance;
    noise_ = right.variance;
    const std::vector<NoisyRow> rows = systems(right.value, table, sums.plan().bounds.middle());
    const double prior = std::min(prior_variance(rows), kMostLowRank * rating_variance / square());
    for (std::size_t r = 0; r < rows.size(); ++r) {
      model_.factors[mode_].row(static_cast<Index>(r)).head(rank_) += posterior(rows[r], prior);
    }
  }

 private:
  std::vector<NoisyRow> systems(const Matrix& right, const Matrix& table, double middle) const {
    const FactorRows& held = model_.factors[1 - mode_];
    const Matrix none = Matrix::Zero(rank_, rank_);
    std::vector<NoisyRow> rows;
    for (Index r = 0; r < right.rows(); ++r) rows.push_back({none, none, right.row(r)});
    for (Index e = 0; e < positions_.size(); ++e) {
      const std::int32_t other = positions_.row(static_cast<Index>(1 - mode_), e);
      NoisyRow& row = rows[static_cast<std::size_t>(positions_.row(static_cast<Index>(mode_), e))];
      const Vector q = table.row(other);
      row.across.noalias() += q * held.row(other).head(rank_);
      row.within.noalias() += q * q.transpose();
      const double before = held.row(other).dot(
          model_.factors[mode_].row(positions_.row(static_cast<Index>(mode_), e)));
      row.y -= (model_.biases.predict(positions_, e) + before - middle) * q;
    }
    return rows;
  }

  // E |y|^2 = t |P|^2 + s tr Q + rank V. This gives the prior variance t by the method of moments:
  // every row is weighted by how much it tells, less two deviations of what noise alone would add
  // (the square of Laplace noise has variance 5 V^2). Zero where the sums are no larger than their
  // noise.
  double prior_variance(const std::vector<NoisyRow>& rows) const {
    const auto rank = static_cast<double>(rank_);
    double above = 0, expected = 0, spread = 0;
    for (const NoisyRow& row : rows) {
      const double size = row.across.squaredNorm();
      const double other = error_ * row.within.trace() + rank * noise_;
      const double weight = size / (other * other);
      above += weight * (row.y.squaredNorm() - other);
      expected += weight * size;
      spread += weight * weight * other * other * 5 / rank;
    }
    return expected > 0 ? std::max(0.0, above - 2 * std::sqrt(spread)) / expected : 0;
  }

  // Mean square of the fixed factors over the entries.
  double square() const {
    double sum = 1e-300;  // never 0, it is a divisor
    for (const std::int32_t r : positions_.index[1 - mode_]) {
      sum += model_.factors[1 - mode_].row(r).squaredNorm();
    }
    return sum / static_cast<double>(positions_.size());
  }

  Vector posterior(const NoisyRow& row, double prior) const {
    Matrix spread = prior * row.across * row.across.transpose() + error_ * row.within;
    spread.diagonal().array() += noise_;
    return prior * row.across.transpose() * solve_positive_definite(spread, row.y);
  }

  const ObservedEntries& positions_;
  std::size_t mode_;
  Index rank_;
  CompletionModel& model_;
  double error_ = 0, noise_ = 0;
};

}  // namespace

std::vector<double> PrivateAlsPlan::shares() const {
  std::vector<double> result = start.shares();
  result.insert(result.end(), static_cast<std::size_t>(half_sweeps), half_sweep);
  return result;
}

std::vector<double> PrivateAlsPlan::parts() const {
  std::vector<double> result = start.parts();
  result.insert(result.end(), static_cast<std::size_t>(half_sweeps), half_sweep);
  return result;
}

PrivateAlsPlan plan_private_als(const RatingShape& shape, double epsilon, Index rank) {
  PrivateAlsPlan plan;
  RatingShape known = shape;
  known.positions_tell = true;  // it starts from tastes, whatever they are worth
  plan.start = plan_private_sums(known, kStartBudgetShare * epsilon, rank);
  plan.start.squares *= kStartBudgetShare;
  plan.start.sums *= kStartBudgetShare;
  plan.half_sweeps = 2 * kSweeps;
  plan.half_sweep = (1 - kStartBudgetShare) / (2 * kSweeps);
  plan.values =
      plan.start.values + kSweeps * (shape.dims[0] + shape.dims[1]) * plan.start.taste_count;
  return plan;
}

std::vector<PlannedRelease> planned_releases(const PrivateAlsPlan& plan, const RatingPlan& settings,
                                             const RatingShape& shape) {
  std::vector<PlannedRelease> releases = planned_releases(plan.start, settings, shape);
  for (const std::size_t mode : {mode_of(0), mode_of(1)}) {
    PlannedSum sum{right_hand_sides(mode), shape.dims[mode], plan.half_sweep,
                   plan.start.taste_count};
    sum.count = plan.half_sweeps / 2;
    sum.has_coefficients = true;
    releases.push_back(planned_sum(sum, settings));
  }
  return releases;
}

CompletionModel fit_private_als(const ObservedEntries& positions, const PrivateAlsPlan& plan,
                                LowRank kind, Index rank, RatingSums& sums) {
  auto [model, variance] = fit_private_sums(positions, plan.start, kind, rank, sums);
  for (int half = 0; half < plan.half_sweeps; ++half) {
    HalfSweep(positions, mode_of(half), plan.start.taste_count, model)
        .run(sums, plan.half_sweep, variance);
  }
  return std::move(model);
}

}  // namespace sotto
