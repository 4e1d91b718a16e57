// Sums over people of what their events say: one slice of the first mode of a sparse tensor is one
// person, each entry a cell of the other modes with a count of events.
//
// A feature is one row of one of the other modes; features are numbered one mode after the other,
// `features()` in all. Every person contributes a block of numbers of norm one to a sum, so that a
// heavy user counts as much as anybody (release/private_people.md has the list):
// - frequencies:     how often each feature occurs;
// - pairs:           pairs of features over pairs of *different* events, on a core of features;
// - triples:         two modes of one event and all of another, in few dimensions;
// - expected counts: of an expectation step, events shared out to k factors;
// - loadings:        in which bin a person's proportion of each factor lies.
// An event is never paired with itself: E[x_i x_j] over different events is sum_t a_t^2 b_it b_jt,
// of rank k, and the diagonal that an event adds with itself is not.
// Contributions are rounded to multiples of kPersonUnit and added as integers: the same answer for
// any order and any number of threads.
// Cost: O(cells) a sum, times k or the cube of the small dimension; pairs O(features of a
// person)^2. Privacy: none here.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sotto/linalg/matrix.h"
#include "sotto/moments/sum_over_people.h"
#include "sotto/tensor/sparse_tensor.h"

namespace sotto {

// What triples are taken of: a row of `of_mode` for the event at hand, one matrix a mode over its
// rows; rows of `of_other`, over all features, added up for the other event.
struct TripleBasis {
  std::vector<RowMatrix> of_mode;
  RowMatrix of_other;

  // Numbers of the block of modes a and b, and of all blocks a < b.
  Index size(std::size_t a, std::size_t b) const {
    return of_mode[a].cols() * of_mode[b].cols() * of_other.cols();
  }
  Index size() const;
};

// What an expectation step starts from.
struct PersonFactors {
  RowMatrix stacked;  // features x k, non-negative
  Vector alpha;       // of the proportions
  int rounds = 8;
};

// Whoever holds the people: sums over them.
class PeopleSource {
 public:
  virtual ~PeopleSource() = default;
  virtual Index features() const = 0;
  virtual Vector frequencies() const = 0;
  // core x core, symmetric; feature core[i] weighs weights[i].
  virtual Matrix pairs(std::span<const std::int32_t> core, const Vector& weights) const = 0;
  // Blocks (a, b) in the order (0,1), (0,2), .., (1,2), ..; number (i, j, l) of a block stands at
  // (i * cols of b + j) * cols of other + l.
  virtual Vector triples(const TripleBasis& basis) const = 0;
  // features x k, row j times scale[j].
  virtual RowMatrix expected_counts(const PersonFactors& factors, const Vector& scale) const = 0;
  // bins x k. Contributions have norm one: times sqrt(k) it counts people.
  virtual RowMatrix loadings(const PersonFactors& factors, Index bins) const = 0;
};

class PersonSums final : public PeopleSource {
 public:
  // Refuses less than two modes beside the people, and values that are not counts. The events must
  // outlive this.
  explicit PersonSums(const SparseTensor& events) : PersonSums(nullptr, events) {}
  // Keeps the events.
  explicit PersonSums(std::unique_ptr<const SparseTensor> events);

  Index people() const { return std::ssize(begin_) - 1; }  // with an entry
  Index modes() const { return events_.order() - 1; }
  Index features() const override { return offset_.back(); }
  Index offset(Index mode) const { return offset_[static_cast<std::size_t>(mode)]; }

  Vector frequencies() const override;
  Matrix pairs(std::span<const std::int32_t> core, const Vector& weights) const override;
  Vector triples(const TripleBasis& basis) const override;
  RowMatrix expected_counts(const PersonFactors& factors, const Vector& scale) const override;
  RowMatrix loadings(const PersonFactors& factors, Index bins) const override;
  // Of one person each: the mean proportions of the factors. One row for every index of the first
  // mode; a person without events has those of alpha.
  RowMatrix proportions(const PersonFactors& factors) const;

 private:
  PersonSums(std::unique_ptr<const SparseTensor>&& own, const SparseTensor& events);

  struct Worker;
  template <class Part>
  std::vector<double> sum(Index numbers, Part part) const;

  std::span<const SparseTensor::Coordinate> cell(Index entry) const {
    return events_.index(entry).subspan(1);
  }
  double count(Index entry) const { return events_.values()[static_cast<std::size_t>(entry)]; }

  std::unique_ptr<const SparseTensor> own_;  // null: they are the caller's
  const SparseTensor& events_;
  std::vector<Index> offset_;  // of the modes, and the number of features
  std::vector<Index> begin_;   // person p has the entries begin_[p] .. begin_[p+1]-1
};

}  // namespace sotto
