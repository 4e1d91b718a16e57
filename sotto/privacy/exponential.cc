#include "sotto/privacy/exponential.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/privacy/checks.h"
#include "sotto/privacy/grid.h"
#include "sotto/privacy/uniform.h"

namespace sotto {
namespace {

constexpr double kPoints = 0x1p32;  // of the quantile's grid, less one

// The index that wins the race; index i with probability ~ exp(log_weight_i).
std::size_t race(std::span<const double> log_weights, WordSource& words) {
  std::size_t winner = 0;
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < log_weights.size(); ++i) {
    const double arrival = std::log(exponential_real(words)) - log_weights[i];
    if (arrival < best) {
      best = arrival;
      winner = i;
    }
  }
  return winner;
}

// Every arrival time is right up to a factor e^(+-h), h = 2^-50 (670 + |log weight|), so every
// probability is right up to e^(+-2h).
PrecisionCharge race_charge(double largest_log_weight) {
  return {4 * 0x1p-50 * (670 + largest_log_weight), 0};
}

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

}  // namespace

ExponentialMechanism::ExponentialMechanism(std::string what, double epsilon, double sensitivity,
                                           double score_bound)
    : score_bound_(score_bound), rate_(epsilon / (2 * sensitivity)) {
  require_pure_epsilon(epsilon);
  SOTTO_REQUIRE(sensitivity > 0 && std::isfinite(sensitivity),
                "the sensitivity must be positive and finite, got {}", sensitivity);
  SOTTO_REQUIRE(score_bound > 0 && std::isfinite(rate_ * score_bound),
                "the bound on the scores must be positive and finite, got {}", score_bound);
  record_ = {std::move(what),
             "exponential",
             2 * sensitivity,
             1 / rate_,
             1,
             PureCost{epsilon * kRoundUp},
             race_charge(rate_ * score_bound),
             "sensitivity is twice that of a score, because the normaliser changes too; noise is "
             "the temperature of the scores"};
}

std::size_t ExponentialMechanism::release(std::span<const double> scores,
                                          NoiseStream stream) const {
  SOTTO_REQUIRE(!scores.empty(), "there is nothing to select from");
  SOTTO_REQUIRE(all_finite(scores), "a score is not finite: nothing is chosen");
  std::vector<double> log_weights(scores.size());
  std::transform(scores.begin(), scores.end(), log_weights.begin(), [&](double score) {
    return rate_ * std::clamp(score, -score_bound_, score_bound_);
  });
  WordSource words(stream, 0);
  return race(log_weights, words);
}

PrivateQuantile::PrivateQuantile(std::string what, double epsilon, double quantile, double low,
                                 double high, std::int64_t count)
    : count_(count),
      target_(quantile * static_cast<double>(count)),
      low_(low),
      high_(high),
      rate_(epsilon / 2) {
  require_pure_epsilon(epsilon);
  SOTTO_REQUIRE(quantile >= 0 && quantile <= 1, "a quantile lies in [0, 1], got {}", quantile);
  SOTTO_REQUIRE(std::isfinite(high - low) && low < high,
                "the public bounds must be finite and in order, got {} and {}", low, high);
  SOTTO_REQUIRE(count >= 1 && count <= std::int64_t{1} << 52,
                "a quantile needs 1 to 2^52 records, got {}", count);
  const double largest = rate_ * static_cast<double>(count) + std::log(kPoints + 1);
  record_ = {std::move(what),
             "exponential",
             2,
             1 / rate_,
             1,
             PureCost{epsilon * kRoundUp},
             race_charge(largest),
             "private quantile; sensitivity is twice that of a rank, because the normaliser "
             "changes too; noise is the temperature of the ranks"};
}

double PrivateQuantile::release(std::span<const double> values, NoiseStream stream) const {
  SOTTO_REQUIRE(std::int64_t(values.size()) == count_, "this quantile is over {} records, got {}",
                count_, values.size());
  SOTTO_REQUIRE(all_finite(values), "a record is not finite: nothing is chosen");
  std::vector<std::uint64_t> points(values.size());
  std::transform(values.begin(), values.end(), points.begin(), [&](double x) {
    const double share = (std::clamp(x, low_, high_) - low_) / (high_ - low_);
    return static_cast<std::uint64_t>(std::min(share, 1.0) * kPoints);
  });
  std::sort(points.begin(), points.end());
  // The points with j records at or below them, from points[j-1] up to points[j] - 1.
  std::vector<double> log_weights;
  std::vector<std::uint64_t> starts;
  std::uint64_t start = 0;
  for (std::size_t j = 0; j <= points.size(); ++j) {
    const std::uint64_t end = j < points.size() ? points[j] : std::uint64_t(kPoints) + 1;
    if (end == start) continue;
    const double score = -std::abs(static_cast<double>(j) - target_);
    log_weights.push_back(rate_ * score + std::log(static_cast<double>(end - start)));
    starts.push_back(start);
    start = end;
  }
  starts.push_back(start);
  WordSource words(stream, 0);
  const std::size_t winner = race(log_weights, words);
  const std::uint64_t point =
      starts[winner] + uniform_below(starts[winner + 1] - starts[winner], words);
  return low_ + (high_ - low_) * (static_cast<double>(point) / kPoints);
}

}  // namespace sotto
