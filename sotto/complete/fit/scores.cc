#include "sotto/complete/fit/scores.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sotto/base/error.h"

namespace sotto {
namespace {

constexpr std::size_t kPlaces = 10;

// The values of the ten entries with the largest `key`, in decreasing order of it.
template <class Key>
std::vector<double> values_on_top(std::span<const std::int32_t> of, const ObservedEntries& test,
                                  Key key) {
  std::vector<std::int32_t> entries(of.begin(), of.end());
  std::stable_sort(entries.begin(), entries.end(),
                   [&](std::int32_t a, std::int32_t b) { return key(a) > key(b); });
  if (entries.size() > kPlaces) entries.resize(kPlaces);
  std::vector<double> values;
  values.reserve(entries.size());
  for (const std::int32_t e : entries) values.push_back(test.at(e));
  return values;
}

double discounted_gain(const std::vector<double>& values, double low) {
  double gain = 0;
  for (std::size_t n = 0; n < values.size(); ++n) {
    gain += (values[n] - low) / std::log2(static_cast<double>(n) + 2);
  }
  return gain;
}

double share_of_good(const std::vector<double>& values, double low, double high) {
  constexpr double kGood = 0.75;
  const double least = low + kGood * (high - low);
  const auto good =
      std::count_if(values.begin(), values.end(), [&](double value) { return value >= least; });
  return static_cast<double>(good) / static_cast<double>(values.size());
}

// How the order of predictions does, user by user.
void score_rankings(const ObservedEntries& test, std::span<const double> predicted, double low,
                    double high, CompletionScores& scores) {
  const RowEntries users(test, 0);
  double gain = 0, good = 0;
  Index with_gain = 0, ranked = 0;
  for (Index u = 0; u < users.rows(); ++u) {
    if (users.of(u).size() < 2) continue;
    const auto by_value = [&](std::int32_t e) { return test.at(e); };
    const auto by_prediction = [&](std::int32_t e) {
      return predicted[static_cast<std::size_t>(e)];
    };
    const std::vector<double> found = values_on_top(users.of(u), test, by_prediction);
    good += share_of_good(found, low, high);
    ++ranked;
    const double best = discounted_gain(values_on_top(users.of(u), test, by_value), low);
    if (!(best > 0)) continue;
    gain += discounted_gain(found, low) / best;
    ++with_gain;
  }
  if (with_gain > 0) scores.ndcg10 = gain / static_cast<double>(with_gain);
  if (ranked > 0 && high > low) scores.precision10 = good / static_cast<double>(ranked);
}

}  // namespace

double root_mean_square_error(const ObservedEntries& entries, std::span<const double> predicted) {
  double sum = 0;
  for (std::size_t e = 0; e < predicted.size(); ++e) {
    const double error = entries.value[e] - predicted[e];
    sum += error * error;
  }
  return std::sqrt(sum / static_cast<double>(predicted.size()));
}

CompletionScores score(const ObservedEntries& test, std::span<const double> predicted, double low,
                       double high) {
  SOTTO_REQUIRE(test.size() > 0, "the test set has no entries");
  SOTTO_REQUIRE(predicted.size() == test.value.size(), "one prediction an entry is needed");
  CompletionScores scores;
  scores.rmse = root_mean_square_error(test, predicted);
  for (Index e = 0; e < test.size(); ++e) {
    scores.mae += std::abs(test.at(e) - predicted[static_cast<std::size_t>(e)]);
    scores.unknown += test.has_unknown_row(e) ? 1 : 0;
  }
  scores.mae /= static_cast<double>(test.size());
  scores.entries = test.size();
  score_rankings(test, predicted, low, high, scores);
  return scores;
}

}  // namespace sotto
