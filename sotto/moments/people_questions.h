// Sums over people whom others hold: questions as bytes, and answers as parts (tensor/shards.h).
//
// Contributions are whole multiples of kPersonUnit, and sums of them stay below 2^53 units. So
// parts are exact and add up to the same bits in any order, whoever holds a person.
// Privacy: parts are exact, and as secret as the people.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sotto/linalg/matrix.h"
#include "sotto/moments/person_sums.h"
#include "sotto/moments/slice_sums.h"

namespace sotto {

// These numbers are written into the bytes, so they are never reused.
enum class PeopleSum : std::int64_t {
  frequencies = 1,
  pairs = 2,
  triples = 3,
  expected_counts = 4,
  loadings = 5,
  row_norms = 6,
  gram = 7,
  compressed = 8,
  normal = 9,
  slice_loadings = 10
};

struct PeopleQuestion {
  Index number = 0, shards = 1;
  PeopleSum what = PeopleSum::frequencies;
  std::vector<Index> integers;      // a core of features; rounds, bins, a mode
  std::vector<RowMatrix> matrices;  // weights, bases, factors

  std::string bytes() const;
  static PeopleQuestion read(const std::string& text);
};

// The answer of shard number `shard`. Throws an Error where it cannot answer.
std::string answer_people_question(const PeopleSource& held, const PeopleQuestion& question,
                                   Index shard);
std::string answer_slice_question(const SliceSource& held, const PeopleQuestion& question,
                                  Index shard);

// Hands a question to all holders and returns their answers, joined by joined_answers().
using AskPeople = std::function<std::string(const PeopleQuestion& question)>;

// What both kinds of people have in common.
class PeopleAsker {
 public:
  PeopleAsker(AskPeople ask, Index shards) : ask_(std::move(ask)), shards_(shards) {}
  // The numbers of the sum, in a column.
  RowMatrix operator()(PeopleSum what, std::vector<Index> integers, std::vector<RowMatrix> matrices,
                       Index numbers) const;

 private:
  AskPeople ask_;
  Index shards_;
  mutable Index questions_ = 0;
};

class AskedPeople final : public PeopleSource {
 public:
  AskedPeople(AskPeople ask, Index features, Index shards)
      : ask_(std::move(ask), shards), features_(features) {}

  Index features() const override { return features_; }
  Vector frequencies() const override;
  Matrix pairs(std::span<const std::int32_t> core, const Vector& weights) const override;
  Vector triples(const TripleBasis& basis) const override;
  RowMatrix expected_counts(const PersonFactors& factors, const Vector& scale) const override;
  RowMatrix loadings(const PersonFactors& factors, Index bins) const override;

 private:
  PeopleAsker ask_;
  Index features_;
};

class AskedSlices final : public SliceSource {
 public:
  AskedSlices(AskPeople ask, Index features, Index shards)
      : ask_(std::move(ask), shards), features_(features) {}

  Index features() const override { return features_; }
  Vector row_norms() const override;
  Matrix gram(Index mode, std::span<const std::int32_t> core) const override;
  Matrix compressed(const std::vector<RowMatrix>& bases) const override;
  Vector normal(const SliceFactors& factors) const override;
  RowMatrix loadings(const SliceFactors& factors, Index bins) const override;

 private:
  PeopleAsker ask_;
  Index features_;
};

}  // namespace sotto
