#include "sotto/release/rating_sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sotto/base/clip.h"
#include "sotto/base/error.h"
#include "sotto/privacy/checks.h"
#include "sotto/privacy/gaussian.h"
#include "sotto/privacy/gdp.h"
#include "sotto/privacy/laplace.h"
#include "sotto/release/access.h"
#include "sotto/release/rounding.h"

namespace sotto {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr Index kMostColumns = 1 << 11;

void check(const RatingPlan& plan, std::size_t entries) {
  require_epsilon(plan.target.epsilon);
  require_delta(plan.target.delta);
  plan.bounds.check();
  require_rating_count(entries);
}

// The coefficients of the entries: the largest of all, and the largest norm of those of one entry,
// L1 for Laplace noise and L2 for Gaussian.
struct Weights {
  double coefficient = 1;
  double norm = 1;
};

Weights weights_of(std::span<const SumQuery> queries, RatingNoise noise, std::size_t entries) {
  const auto is_plain = [](const SumQuery& q) { return q.table == nullptr && q.weight.empty(); };
  if (entries == 0 || (queries.size() == 1 && is_plain(queries[0]))) return {};
  double coefficient = 0, norm = 0;
  bool finite = true;
  for (std::size_t e = 0; e < entries; ++e) {
    double sum = 0;
    for (const SumQuery& query : queries) {
      for (Index c = 0; c < query.columns(); ++c) {
        const double size = std::abs(query.coefficient(e, c));
        finite = finite && std::isfinite(size);
        coefficient = std::max(coefficient, size);
        sum += noise == RatingNoise::laplace ? size : size * size;
      }
    }
    norm = std::max(norm, sum);
  }
  SOTTO_REQUIRE(finite, "a coefficient of a query is not finite");
  SOTTO_REQUIRE(coefficient >= 1e-30 && coefficient <= 1e30,
                "the largest coefficient of a query must lie between 1e-30 and 1e30, got {}",
                coefficient);
  return {coefficient, (noise == RatingNoise::laplace ? norm : std::sqrt(norm)) * kSafe};
}

// How much z^power changes with one value: z lies within +-half, z^2 between 0 and half^2.
double reach(int power, const ValueBounds& bounds) {
  return (power == 1 ? bounds.width() : bounds.half() * bounds.half()) * kSafe;
}

// A power of two, so small that rounding to it hardly matters, and so large that the sum of all
// contributions, each at most `largest`, stays below 2^61 units.
double sum_unit(double largest, std::size_t entries) {
  const int size = std::ilogb(static_cast<double>(entries) + 1) + 1;
  return std::exp2(std::ilogb(largest) + 1 - std::min(40, 61 - size));
}

double budget_of(const RatingPlan& plan) {
  return plan.noise == RatingNoise::laplace ? affordable_epsilon(plan.target, plan.values)
                                            : affordable_mu(plan.target, 1, plan.values);
}

// The sums of a query as the noise sees them.
struct SumShape {
  Index rows = 0, columns = 0;
  Index of_an_entry = 1;  // numbers to which one entry contributes
  int power = 1;
  Weights weights;
  double share = 0;

  std::int64_t count() const { return rows * columns; }
};

// How a query is rounded and what noise it gets. All of these numbers are public.
struct SumNoise {
  double unit;         // what contributions are rounded to
  double sensitivity;  // L1 for Laplace noise and L2 for Gaussian
  double error;        // of the sums, by rounding
  double noise;        // scale or standard deviation
};

SumNoise noise_for(const SumShape& sum, const RatingPlan& plan, double budget,
                   std::size_t entries) {
  SumNoise found{};
  const double moved = reach(sum.power, plan.bounds);
  found.unit = sum_unit(sum.weights.coefficient * moved, entries);
  const auto columns = static_cast<double>(sum.of_an_entry);
  const auto n = static_cast<double>(sum.count());
  const double span = sum.weights.norm * moved;
  found.error = 0x1p-52 * static_cast<double>(entries) * (span + columns * found.unit);
  if (plan.noise == RatingNoise::laplace) {
    found.sensitivity = (span + columns * found.unit) * kSafe;
    found.noise =
        deviation_for({found.sensitivity + 2 * found.error, n}, sum.share * budget * (1 - 0x1p-44));
  } else {
    found.sensitivity = (span + std::sqrt(columns) * found.unit) * kSafe;
    found.noise = deviation_for({found.sensitivity + 2 * found.error, std::sqrt(n)},
                                std::sqrt(sum.share) * budget * (1 - 0x1p-44));
  }
  return found;
}

// What release_values draws for so many values.
LaplaceMechanism value_mechanism(const RatingPlan& plan, bool as_published, std::int64_t count) {
  const double width = plan.bounds.width() * kSafe;
  const double scale = as_published ? plan.bounds.width() / plan.target.epsilon
                                    : deviation_for({width, static_cast<double>(count)},
                                                    affordable_epsilon(plan.target, count));
  LaplaceMechanism mechanism("every rating", width, scale, count);
  require_payable(mechanism.record(), plan.target);
  return mechanism;
}

std::vector<double> centred(std::vector<double> values, const ValueBounds& bounds) {
  refuse_nan(values);
  for (double& x : values) x = bounds.centred(x);
  return values;
}

}  // namespace

void require_rating_count(std::size_t ratings) {
  SOTTO_REQUIRE(static_cast<std::uint64_t>(ratings) < std::uint64_t{1} << 32,
                "at most 2^32 ratings, got {}", ratings);
}

double ValueBounds::centred(double x) const {
  return clipped((clipped(x, low, high) - low) - half(), -half(), half());
}

void ValueBounds::check() const {
  SOTTO_REQUIRE_AT(std::isfinite(width()) && width() > 0, "`range`",
                   "needs finite LO < HI, got {}:{}", low, high);
  SOTTO_REQUIRE_AT(width() >= 1e-100 && width() <= 1e100, "`range`",
                   "LO and HI must be between 1e-100 and 1e100 apart, got {}:{}", low, high);
}

void refuse_nan(std::span<const double> values) {
  SOTTO_REQUIRE(std::none_of(values.begin(), values.end(), [](double x) { return std::isnan(x); }),
                "a value is not a number; nothing was released");
}

RatingNoise choose_noise(const PrivacyTarget& target, std::span<const double> shares) {
  const double mu = gdp_mu(target.epsilon, target.delta);
  double advantage = 0;  // log of Gaussian over Laplace deviation
  for (const double share : shares) {
    advantage += std::log(target.epsilon * share / (std::sqrt(2.0) * mu * std::sqrt(share)));
  }
  return advantage < 0 ? RatingNoise::gaussian : RatingNoise::laplace;
}

RatingSums::RatingSums(RatingValues values, const RatingPlan& plan, PrivateRun& run)
    : plan_(plan), run_(run) {
  check(plan, ReleaseAccess::view(values).size());
  centred_ = centred(ReleaseAccess::take(std::move(values)), plan.bounds);
  budget_ = budget_of(plan);
}

// Whole units are added exactly, so the sum does not depend on the order.
void RatingSums::add_exact_sums(const SumQuery& query, double unit, std::span<double> sums) const {
  const Index columns = query.columns();
  std::vector<std::int64_t> sum(sums.size(), 0);
  for (std::size_t e = 0; e < centred_.size(); ++e) {
    const double z = centred_[e];
    const double x = (query.power == 1 ? z : z * z) / unit;
    std::int64_t* row = sum.data() + query.row_of[e] * columns;
    for (Index c = 0; c < columns; ++c) row[c] += std::llrint(query.coefficient(e, c) * x);
  }
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = static_cast<double>(sum[i]) * unit;
}

// The numbers of all queries in their order as rows x columns, row by row.
Released<Noisy<Matrix>> RatingSums::publish(const std::string& what,
                                            std::span<const SumQuery> queries, double share,
                                            Index rows, Index columns) {
  const std::size_t entries = centred_.size();
  Index of_an_entry = 0;
  for (const SumQuery& query : queries) {
    SOTTO_REQUIRE(query.row_of.size() == entries &&
                      (query.table == nullptr || query.table_row.size() == entries) &&
                      (query.weight.empty() || query.weight.size() == entries) &&
                      (query.power == 1 || query.power == 2) &&
                      query.power == queries.front().power,
                  "a query names a row for every entry, and the power 1 or 2");
    of_an_entry += query.columns();
  }
  SOTTO_REQUIRE(of_an_entry <= kMostColumns, "a query has at most {} columns", kMostColumns);
  run_.require_share(what, share);
  const SumShape shape{
      rows, columns, of_an_entry, queries.front().power, weights_of(queries, plan_.noise, entries),
      share};
  const SumNoise chosen = noise_for(shape, plan_, budget_, entries);
  std::vector<double> numbers(static_cast<std::size_t>(rows * columns));
  std::size_t at = 0;
  for (const SumQuery& query : queries) {
    const auto count = static_cast<std::size_t>(query.rows * query.columns());
    add_exact_sums(query, chosen.unit, std::span(numbers).subspan(at, count));
    at += count;
  }
  Matrix sums = Eigen::Map<const RowMajor>(numbers.data(), rows, columns);
  if (plan_.noise == RatingNoise::laplace) {
    return run_.publish(
        LaplaceMechanism(what, chosen.sensitivity, chosen.noise, shape.count(), chosen.error),
        std::move(sums));
  }
  return run_.publish(
      GaussianMechanism(what, chosen.sensitivity, chosen.noise, shape.count(), chosen.error),
      std::move(sums));
}

Released<Noisy<Matrix>> RatingSums::release(const SumQuery& query, double share) {
  return publish(query.what, {&query, 1}, share, query.rows, query.columns());
}

Released<Noisy<Vector>> RatingSums::release_together(const std::string& what,
                                                     std::span<const SumQuery> queries,
                                                     double share) {
  SOTTO_REQUIRE(!queries.empty(), "there is no query");
  Index count = 0;
  for (const SumQuery& query : queries) count += query.rows * query.columns();
  const Noisy<Matrix> found = publish(what, queries, share, count, 1).value();
  return ReleaseAccess::released(Noisy<Vector>{found.value.col(0), found.deviation});
}

double relative_deviation(const RatingPlan& plan, double share) {
  const double budget = budget_of(plan);
  return plan.noise == RatingNoise::laplace ? std::sqrt(2.0) / (share * budget)
                                            : 1 / (std::sqrt(share) * budget);
}

PlannedRelease planned_sum(const PlannedSum& sum, const RatingPlan& plan) {
  check(plan, static_cast<std::size_t>(plan.ratings));
  PlannedRelease release;
  release.what = sum.what;
  release.mechanism = name_of(plan.noise);
  release.values = sum.rows * sum.columns;
  release.count = sum.count;
  release.share = static_cast<double>(sum.count) * sum.share;
  if (sum.has_coefficients) return release;
  const SumShape shape{sum.rows, sum.columns, sum.columns, sum.power, {}, sum.share};
  release.noise =
      noise_for(shape, plan, budget_of(plan), static_cast<std::size_t>(plan.ratings)).noise;
  return release;
}

Released<std::vector<double>> release_values(RatingValues values, const RatingPlan& plan,
                                             bool as_published, PrivateRun& run) {
  check(plan, ReleaseAccess::view(values).size());
  std::vector<double> exact = centred(ReleaseAccess::take(std::move(values)), plan.bounds);
  const LaplaceMechanism mechanism =
      value_mechanism(plan, as_published, static_cast<std::int64_t>(exact.size()));
  std::vector<double> noisy = run.publish(mechanism, std::move(exact)).value().value;
  for (double& x : noisy) x += plan.bounds.middle();
  return ReleaseAccess::released(std::move(noisy));
}

PlannedRelease planned_values(const RatingPlan& plan, bool as_published) {
  check(plan, static_cast<std::size_t>(plan.ratings));
  return planned(value_mechanism(plan, as_published, plan.ratings).record(), 1);
}

PrivacyStatement rating_statement(const RatingPlan& plan) {
  PrivacyStatement statement;
  statement.unit = "the value of one rating";
  statement.neighbours = "one value replaced by another within the range";
  statement.public_facts = {
      fmt::format("the range of the values, {:g} to {:g} (others are clipped to it)",
                  plan.bounds.low, plan.bounds.high),
      "the positions: who rated what, and when", "all options"};
  statement.delta = plan.target.delta;
  statement.units = {plan.ratings, "ratings"};
  return statement;
}

}  // namespace sotto
