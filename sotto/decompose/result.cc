#include "sotto/decompose/result.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sotto {

void Decomposition::keep_first(Index k) {
  weights.conservativeResize(k);
  for (Matrix& factor : factors) factor.conservativeResize(Eigen::NoChange, k);
  if (residuals.size() > 0) residuals.conservativeResize(k);
  agreement.conservativeResize(k);
  iterations.resize(static_cast<std::size_t>(k));
}

void Decomposition::sort_by_weight() {
  std::vector<Index> order(static_cast<std::size_t>(weights.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return std::abs(weights[a]) > std::abs(weights[b]); });
  weights = Vector(weights(order));
  if (residuals.size() > 0) residuals = Vector(residuals(order));
  agreement = Vector(agreement(order));
  for (Matrix& factor : factors) factor = Matrix(factor(Eigen::all, order));
  std::vector<int> reordered;
  reordered.reserve(order.size());
  for (const Index from : order) reordered.push_back(iterations[static_cast<std::size_t>(from)]);
  iterations = std::move(reordered);
}

}  // namespace sotto
