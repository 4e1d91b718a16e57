#include "sotto/audit/block_moments.h"

#include <algorithm>
#include <cmath>

namespace sotto::audit {
namespace {

// Enough for a release that all runs make.
constexpr double kMostSpread = 0.5;

struct Sum {
  Numbers mean, square;
  double count = 0;
};

Sum sum_of(std::span<const SeenRun> runs, std::size_t place, std::size_t size) {
  Sum sum{Numbers(size), Numbers(size), 0};
  for (const SeenRun& run : runs) {
    const Numbers* numbers = release_of(run, place, size);
    if (numbers == nullptr) continue;
    ++sum.count;
    for (std::size_t i = 0; i < size; ++i) {
      const double step = (*numbers)[i] - sum.mean[i];
      sum.mean[i] += step / sum.count;
      sum.square[i] += step * ((*numbers)[i] - sum.mean[i]);
    }
  }
  return sum;
}

// Where earlier releases decide the question, pairs with the same noise differ in that, too, and
// from pair to pair. Such differences are not exact.
bool find_exact_difference(const NeighbourRuns& runs, std::size_t place, Numbers& difference) {
  const std::size_t size = difference.size();
  Numbers mean(size), square(size);
  double pairs = 0;
  for (const auto& [here, there] : runs.same_noise) {
    const Numbers* a = release_of(here, place, size);
    const Numbers* b = release_of(there, place, size);
    if (a == nullptr || b == nullptr) return false;
    ++pairs;
    for (std::size_t i = 0; i < size; ++i) {
      mean[i] += (*b)[i] - (*a)[i];
      square[i] += ((*b)[i] - (*a)[i]) * ((*b)[i] - (*a)[i]);
    }
  }
  if (pairs == 0) return false;
  double signal = 0, spread = 0;
  for (std::size_t i = 0; i < size; ++i) {
    mean[i] /= pairs;
    signal += mean[i] * mean[i];
    spread += std::max(0.0, square[i] / pairs - mean[i] * mean[i]);
  }
  if (signal == 0 || spread > kMostSpread * signal) return false;
  difference = std::move(mean);
  return true;
}

}  // namespace

const Numbers* release_of(const SeenRun& run, std::size_t place, std::size_t size) {
  if (place >= run.releases.size()) return nullptr;
  const Numbers& numbers = run.releases[place].numbers;
  return numbers.size() == size ? &numbers : nullptr;
}

double BlockMoments::standardised(std::size_t i) const {
  constexpr double kHardlyAny = 1e-9;
  if (difference[i] == 0) return 0;
  return difference[i] / std::max(std::sqrt(variance[i]), kHardlyAny * std::abs(difference[i]));
}

BlockMoments moments_of(const NeighbourRuns& runs, std::size_t place, std::size_t fitted) {
  const std::size_t size = runs.here.front().releases[place].numbers.size();
  const Sum here = sum_of(std::span(runs.here).first(fitted), place, size);
  const Sum there = sum_of(std::span(runs.there).first(fitted), place, size);
  BlockMoments moments{here.mean, there.mean, Numbers(size), Numbers(size), false};
  const double freedom = std::max(1.0, here.count + there.count - 2);
  for (std::size_t i = 0; i < size; ++i) {
    moments.variance[i] = (here.square[i] + there.square[i]) / freedom;
    moments.difference[i] = there.mean[i] - here.mean[i];
  }
  moments.is_exact = find_exact_difference(runs, place, moments.difference);
  return moments;
}

}  // namespace sotto::audit
