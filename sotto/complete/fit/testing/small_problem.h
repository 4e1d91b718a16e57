// For tests: small sets of observed entries, and the model written out term by term.
#pragma once

#include <vector>

#include "sotto/base/random.h"
#include "sotto/complete/fit/model.h"

namespace sotto {

// Distinct places of a tensor, about `share` of them, with standard normal values.
inline ObservedEntries random_entries(const std::vector<Index>& dims, double share,
                                      std::uint64_t seed) {
  ObservedEntries entries(dims);
  SeededRandom random(seed);
  std::vector<std::int32_t> rows(dims.size(), 0);
  for (;;) {
    if (random.uniform() < share) entries.append(rows, random.normal());
    std::size_t m = 0;
    while (m < dims.size() && ++rows[m] == dims[m]) rows[m++] = 0;
    if (m == dims.size()) return entries;
  }
}

inline CompletionModel random_model(LowRank kind, Index rank, const std::vector<Index>& dims,
                                    std::uint64_t seed) {
  Start start;
  start.centre.assign(dims.size(), 0.2);
  start.spread = 0.7;
  start.core_spread = 0.5;
  start.seed = seed;
  CompletionModel model = start_model(kind, rank, dims, start);
  SeededRandom random(seed + 1000);
  model.biases.mean = 0.3;
  for (std::size_t m = 0; m < dims.size(); ++m) {
    if (dims[m] == 1) continue;
    for (double& b : model.biases.rows[m]) b = 0.3 * random.normal();
  }
  return model;
}

// The low-rank part by its definition.
inline double naive_low_rank(const CompletionModel& model, const ObservedEntries& entries,
                             Index entry) {
  const Index order = model.order();
  std::vector<Index> p(static_cast<std::size_t>(order), 0);
  double sum = 0;
  for (;;) {
    Index core_row = 0;
    bool diagonal = true;
    for (std::size_t m = 0; m + 1 < p.size(); ++m) {
      core_row = core_row * model.rank + p[m];
      diagonal = diagonal && p[m] == p[m + 1];
    }
    double term = model.kind == LowRank::cp ? (diagonal ? 1 : 0) : model.core(core_row, p.back());
    for (std::size_t m = 0; m < p.size(); ++m) {
      term *= model.factors[m](entries.row(static_cast<Index>(m), entry), p[m]);
    }
    sum += term;
    std::size_t m = 0;
    while (m < p.size() && ++p[m] == model.rank) p[m++] = 0;
    if (m == p.size()) return sum;
  }
}

}  // namespace sotto
