// Visits of people with a known truth: a sparse tensor people x codes x drugs (x months).
//
// There are k phenotypes. Each has its own distribution over the rows of every mode: nine tenths
// from a Dirichlet around a Zipf law whose ranks are shuffled for the phenotype, one tenth from the
// Zipf law itself. A person mixes phenotypes by a Dirichlet(alpha) and has `least` + Poisson
// events; each event takes one phenotype of the person and draws a row of every mode from it. Heavy
// users: a share of people with twenty times as many events.
//
// Person n depends on the seed and n alone, not on the number of threads.
// Cost: O(1) per event.
#pragma once

#include <cstdint>
#include <vector>

#include "sotto/base/options.h"
#include "sotto/linalg/matrix.h"
#include "sotto/tensor/sparse_tensor.h"

namespace sotto {

struct VisitModel {
  std::int64_t people = 10000;
  std::int64_t codes = 500;
  std::int64_t drugs = 200;
  std::int64_t months = 0;  // 0: no such mode
  std::int64_t phenotypes = 6;
  double events = 20;  // of a person, on average
  std::int64_t least = 5;
  double heavy = 0;  // share of people with many events
  double zipf = 0.7;
  double alpha = 0.2;
  std::int64_t seed = 0;

  OptionTable table();
};

struct SyntheticVisits {
  SparseTensor visits;          // people x codes x drugs (x months)
  std::vector<Matrix> factors;  // of each mode beside the people, columns sum to one
  RowMatrix loadings;           // people x k
};

SyntheticVisits generate_visits(const VisitModel& model);

}  // namespace sotto
