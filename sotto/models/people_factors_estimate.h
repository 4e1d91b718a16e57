// Factors from what was released about people: post-processing alone, nothing here sees a person.
// people_factors.h says in which order the releases come.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sotto/models/people_factors_plan.h"
#include "sotto/models/private_topics_estimate.h"
#include "sotto/moments/person_sums.h"
#include "sotto/release/noisy.h"

namespace sotto {

// X_p = sum_t a_pt b_t o c_t o ..: the factors of the modes beside the people.
struct PeopleModel {
  std::vector<Matrix> factors;  // rows of the mode x k, columns sum to one
  Vector weights;               // shares of the factors in all events, at norm one a person

  // For an expectation step: alpha0 * weights are the Dirichlet parameters.
  PersonFactors stacked(double alpha0, int rounds) const;
};

// The state between the releases.
class PeopleEstimate {
 public:
  PeopleEstimate(const PublicPeopleShape& shape, const PeopleOptions& options);

  void take_frequencies(Noisy<Vector> frequencies);
  // Features whose pairs are released: the most frequent ones, as many as leave the leading
  // eigenvalue well above the edge of the spectrum of noise of this deviation.
  const std::vector<std::int32_t>& choose_core(double pair_deviation, std::optional<Index> size);
  // Modes with few rows have large counts. Weights bring modes closer to each other, so that no
  // mode drowns the others in the norm of a person's pairs.
  Vector core_weights() const;

  void take_pairs(const Noisy<Matrix>& pairs);
  // Leading directions of the pairs: of all features together, and orthonormal within each mode;
  // both whitened by the frequencies.
  TripleBasis triple_basis() const;
  PeopleModel take_triples(const Noisy<Vector>& triples);

  // In place of moments: the frequencies, each number times a random one.
  PeopleModel random_start() const;

  // Rare rows are raised, so that they get less noise in an expectation step and frequent ones a
  // little more.
  Vector step_scale() const;
  // `counts` of an expectation step from `model`, scaled by step_scale(). Earlier steps keep the
  // share `decay` of their weight.
  PeopleModel take_counts(Noisy<RowMatrix> counts, const PeopleModel& model, double decay);

  Index core() const { return std::ssize(core_); }

 private:
  std::size_t modes() const { return dims_.size(); }
  Index features() const { return offset_.back(); }
  Vector frequencies(std::size_t mode) const { return frequencies_[mode].value(); }
  void set_weights();

  std::vector<Index> dims_, offset_;
  double people_;  // a public guess
  PeopleOptions options_;
  Noisy<Vector> first_{};
  std::vector<FrequencyEstimate> frequencies_;  // of each mode
  std::vector<WordEstimate> estimate_;
  Vector weights_;                  // of the features
  std::vector<std::int32_t> core_;  // features of the pairs, in increasing order
  Matrix leading_;                  // features x directions, zero outside of the core
  std::vector<Matrix> of_mode_;     // the same within each mode, orthonormal
  std::vector<Matrix> whiten_;      // of each mode, symmetric
  std::vector<Matrix> unwhiten_;
  Matrix whiten_all_;
};

}  // namespace sotto
