#include "sotto/audit/reach.h"

#include <cmath>
#include <optional>

#include "sotto/audit/block_moments.h"
#include "sotto/privacy/spends.h"

namespace sotto::audit {
namespace {

double in_deviations(const BlockMoments& moments) {
  double sum = 0;
  for (std::size_t i = 0; i < moments.size(); ++i) {
    const double x = moments.standardised(i);
    sum += x * x;
  }
  return std::sqrt(sum);
}

// The sum of the differences, or their length for the vector mechanism.
double in_scales(const BlockMoments& moments, const ReleaseRecord& record) {
  double sum = 0, square = 0;
  for (const double x : moments.difference) {
    sum += std::abs(x);
    square += x * x;
  }
  return (record.mechanism == "vector" ? std::sqrt(square) : sum) / record.noise;
}

std::optional<double> share_of(const BlockMoments& moments, const ReleaseRecord& record) {
  if (!moments.is_exact || !(record.noise > 0)) return {};
  if (const auto* cost = std::get_if<GaussianCost>(&record.cost)) {
    return in_deviations(moments) / cost->mu;
  }
  if (record.mechanism != "laplace" && record.mechanism != "vector") return {};
  return in_scales(moments, record) / pure_epsilon(record.cost);
}

}  // namespace

std::vector<Reach> reach_of(const NeighbourRuns& runs) {
  std::vector<Reach> reaches;
  const std::vector<SeenRelease>& releases = runs.here.front().releases;
  for (std::size_t r = 0; r < releases.size(); ++r) {
    const auto share = share_of(moments_of(runs, r, runs.here.size()), releases[r].record);
    if (share) reaches.push_back({r, releases[r].record.what, *share});
  }
  return reaches;
}

}  // namespace sotto::audit
