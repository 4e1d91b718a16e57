#include "sotto/complete/fit/biases.h"

#include <numeric>

#include "sotto/base/error.h"

namespace sotto {
namespace {

// One step of backfitting. `left` is value - predicted for each entry, before and after.
void refit_mode(const ObservedEntries& entries, Index mode, double shrink, Vector& bias,
                std::vector<double>& left) {
  const auto& rows = entries.index[static_cast<std::size_t>(mode)];
  Vector sum = Vector::Zero(bias.size()), count = Vector::Zero(bias.size());
  for (std::size_t e = 0; e < left.size(); ++e) {
    sum[rows[e]] += left[e];
    count[rows[e]] += 1;
  }
  // The new bias times (count + shrink) is the sum of what the other modes leave.
  const Vector change =
      (sum.array() - shrink * bias.array()) / (count.array() + shrink).max(1e-300);
  bias += change;
  for (std::size_t e = 0; e < left.size(); ++e) left[e] -= change[rows[e]];
}

}  // namespace

Biases Biases::constant(const ObservedEntries& entries) {
  SOTTO_REQUIRE(entries.size() > 0, "there are no entries to learn from");
  Biases biases;
  biases.mean = std::accumulate(entries.value.begin(), entries.value.end(), 0.0) /
                static_cast<double>(entries.size());
  for (const Index dim : entries.dims) biases.rows.push_back(Vector::Zero(dim));
  return biases;
}

std::vector<double> default_bias_shrink(Index order) {
  std::vector<double> shrink(static_cast<std::size_t>(order), 10);
  shrink[0] = shrink[1] = 3;
  return shrink;
}

Biases fit_biases(const ObservedEntries& entries, std::span<const double> shrink, Index sweeps) {
  SOTTO_REQUIRE(std::ssize(shrink) == entries.order(), "expected {} shrinkages, one a mode, got {}",
                entries.order(), shrink.size());
  Biases biases = Biases::constant(entries);
  std::vector<double> left = entries.value;
  for (double& x : left) x -= biases.mean;
  for (Index s = 0; s < sweeps; ++s) {
    for (std::size_t m = 0; m < shrink.size(); ++m) {
      if (entries.dims[m] > 1) {
        refit_mode(entries, static_cast<Index>(m), shrink[m], biases.rows[m], left);
      }
    }
  }
  return biases;
}

double squared_error(const ObservedEntries& entries, const Biases& biases) {
  double sum = 0;
  for (Index e = 0; e < entries.size(); ++e) {
    const double error = entries.at(e) - biases.predict(entries, e);
    sum += error * error;
  }
  return sum;
}

}  // namespace sotto
