#include "sotto/complete/fit/scores.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sotto/base/error.h"

namespace sotto {
namespace {

constexpr std::size_t kPlaces = 10;

// The ten entries with the largest `key`, in decreasing order.
template <class Key>
double discounted_gain(std::vector<std::int32_t> entries, const ObservedEntries& test, double low,
                       Key key) {
  std::stable_sort(entries.begin(), entries.end(),
                   [&](std::int32_t a, std::int32_t b) { return key(a) > key(b); });
  double gain = 0;
  for (std::size_t n = 0; n < std::min(kPlaces, entries.size()); ++n) {
    gain += (test.at(entries[n]) - low) / std::log2(static_cast<double>(n) + 2);
  }
  return gain;
}

std::optional<double> ndcg(const ObservedEntries& test, std::span<const double> predicted,
                           double low) {
  const RowEntries users(test, 0);
  double sum = 0;
  Index counted = 0;
  for (Index u = 0; u < users.rows(); ++u) {
    const auto of = users.of(u);
    if (of.size() < 2) continue;
    const std::vector<std::int32_t> entries(of.begin(), of.end());
    const double best =
        discounted_gain(entries, test, low, [&](std::int32_t e) { return test.at(e); });
    if (!(best > 0)) continue;
    sum += discounted_gain(entries, test, low,
                           [&](std::int32_t e) { return predicted[static_cast<std::size_t>(e)]; }) /
           best;
    ++counted;
  }
  if (counted == 0) return std::nullopt;
  return sum / static_cast<double>(counted);
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

CompletionScores score(const ObservedEntries& test, std::span<const double> predicted, double low) {
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
  scores.ndcg10 = ndcg(test, predicted, low);
  return scores;
}

}  // namespace sotto
