// Noisy sums of ratings, unit: one value. Who rated what and when is public, the values are not.
//
// Neighbours change one value within a public range [low, high]; positions stay. A query adds, for
// each row of some public grouping of the entries, public coefficients times the values. A change
// of one value moves the sums of one row, by at most (high - low) times the norm of its
// coefficients, so the sensitivity is known exactly from public numbers: nothing is clipped, and
// whatever is done with the sums afterwards costs nothing. Values outside the range are clipped.
//
// Noise: Laplace (pure epsilon) or Gaussian (GDP), one kind for a run, chosen from public numbers.
// Cost: entries * columns. Proof, floating point included: rating_sums.md.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sotto/base/enum_names.h"
#include "sotto/base/sensitive.h"
#include "sotto/linalg/matrix.h"
#include "sotto/release/calibration.h"
#include "sotto/release/privacy_options.h"
#include "sotto/release/private_run.h"

namespace sotto {

using RatingValues = Sensitive<std::vector<double>>;

// NaN is refused. Infinities are clipped to the range like all values beyond it.
void refuse_nan(std::span<const double> values);

// Sums of 2^32 ratings and more would not be exact.
void require_rating_count(std::size_t ratings);

enum class RatingNoise { laplace, gaussian };
constexpr auto enum_names(RatingNoise) {
  return std::to_array<EnumName<RatingNoise>>(
      {{RatingNoise::laplace, "laplace"}, {RatingNoise::gaussian, "gaussian"}});
}

// The public numbers of a run. `target.delta` is kTailDelta where none was asked for.
struct RatingPlan {
  PrivacyTarget target;
  ValueBounds bounds;
  RatingNoise noise = RatingNoise::laplace;
  std::int64_t values = 1;   // numbers that will be released, in all
  std::int64_t ratings = 0;  // their number, by which delta is judged; 0: not given
};

// The noise that is smaller in the geometric mean over releases with these shares of the budget,
// which sum to at most 1.
RatingNoise choose_noise(const PrivacyTarget& target, std::span<const double> shares);

// For each row r and column c: the sum over the entries e with row_of[e] = r of
// weight[e] * table(table_row[e], c) * z_e^power, z the value less the middle of the range, power 1
// or 2. Without weights they are 1; without a table there is one column, of coefficients 1. The
// largest coefficient of an entry lies between 1e-30 and 1e30.
struct SumQuery {
  std::string what;
  Index rows;
  std::span<const std::int32_t> row_of;
  const Matrix* table = nullptr;
  std::span<const std::int32_t> table_row = {};
  int power = 1;
  std::span<const double> weight = {};

  double coefficient(std::size_t e, Index column) const {
    const double own = weight.empty() ? 1 : weight[e];
    return table == nullptr ? own : own * (*table)(table_row[e], column);
  }
  Index columns() const { return table == nullptr ? 1 : table->cols(); }
};

// A query as in a plan, before there are coefficients.
struct PlannedSum {
  std::string what;
  Index rows;
  double share;
  Index columns = 1;
  int power = 1;
  std::int64_t count = 1;         // the number of queries like this
  bool has_coefficients = false;  // if not, all are 1, and the noise is fixed already
};
// plan.values and plan.ratings must be set. `share` is that of one query.
PlannedRelease planned_sum(const PlannedSum& sum, const RatingPlan& plan);

// The standard deviation of the noise of a release, in widths of the range, where the coefficients
// of an entry have norm 1. Public.
double relative_deviation(const RatingPlan& plan, double share);

class RatingSums {
 public:
  // The run must outlive this.
  RatingSums(RatingValues values, const RatingPlan& plan, PrivateRun& run);

  const RatingPlan& plan() const { return plan_; }

  // rows x columns. Spends `share` of the budget: of epsilon, or of mu squared. Refuses what is not
  // in the plan of the run: another name, a larger share, more numbers.
  Released<Noisy<Matrix>> release(const SumQuery& query, double share);

  // Several queries of one power as one release, with noise of one scale: what counts is the norm
  // of all coefficients of an entry together, so that entries may be weighted differently. The
  // numbers come query by query, row by row.
  Released<Noisy<Vector>> release_together(const std::string& what,
                                           std::span<const SumQuery> queries, double share);

 private:
  Released<Noisy<Matrix>> publish(const std::string& what, std::span<const SumQuery> queries,
                                  double share, Index rows, Index columns);
  void add_exact_sums(const SumQuery& query, double unit, std::span<double> sums) const;

  RatingPlan plan_;
  std::vector<double> centred_;  // the values less the middle of the range
  PrivateRun& run_;
  double budget_;  // epsilon or mu
};

// Every value with Laplace noise of its own (Wei et al. 2022, Algorithm 1). `as_published` uses the
// scale (high - low) / epsilon as it is; otherwise the scale is raised to pay for precision, so
// that the certificate stays within epsilon.
Released<std::vector<double>> release_values(RatingValues values, const RatingPlan& plan,
                                             bool as_published, PrivateRun& run);
// The same as in a plan. plan.ratings must be set.
PlannedRelease planned_values(const RatingPlan& plan, bool as_published);

// What the certificate states about the rating unit.
PrivacyStatement rating_statement(const RatingPlan& plan);

}  // namespace sotto
