// Noisy sums over people, unit: one person, which is one slice of the first mode of a tensor.
//
// Neighbours add or remove one person with any slice. The sizes of the other modes are public, the
// number of people is not. A person contributes a block of norm one to every release, however many
// events there are, so no bound has to be chosen and nobody is clipped (moments/person_sums.h):
// - frequencies of the features (rows of the other modes), D numbers;
// - pairs of features over pairs of different events, on a core, symmetric, isometric noise;
// - triples: two modes of one event and all of another, in few dimensions;
// - expected counts of an expectation step, D k numbers;
// - loadings: how many people have how much of each factor.
// Everything made of them is post-processing. Gaussian noise, composed by GDP.
// Cost: that of the exact sums; the noise is linear in the numbers released. Proof:
// private_people.md.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sotto/base/sensitive.h"
#include "sotto/moments/people_questions.h"
#include "sotto/moments/person_sums.h"
#include "sotto/moments/slice_sums.h"
#include "sotto/release/calibration.h"
#include "sotto/release/noisy.h"
#include "sotto/release/private_run.h"
#include "sotto/tensor/sparse_tensor.h"

namespace sotto {

// What is public about a tensor of people.
struct PublicPeopleShape {
  std::vector<Index> dims;  // of the modes beside the people
  Index people = 0;         // a public guess at their number, for what delta means

  Index features() const;
};

// The sizes that the file declares. Refuses, naming `place`, less than two modes beside the people.
PublicPeopleShape public_people_shape(const Sensitive<AnyTensor>& data, const std::string& place);
PublicPeopleShape people_shape(const std::vector<Index>& dims, const std::string& place);

// The certificate's words for the person unit.
PrivacyStatement person_statement(const PublicPeopleShape& shape, const PrivacyTarget& target);

// What the releases are called in plans and certificates.
inline constexpr const char* kPeopleFrequencies = "frequencies of the rows of each mode";
inline constexpr const char* kPeoplePairs = "pairs of events of a person";
inline constexpr const char* kPeopleTriples = "triples of rows of a person, compressed";
inline constexpr const char* kPeopleCounts = "expected counts of rows in factors";
inline constexpr const char* kPeopleLoadings = "distribution of the loadings";

// Numbers that one release may have at most (private_people.md, 2).
inline constexpr Index kMostPersonNumbers = Index{1} << 23;

// Of slices of real numbers.
inline constexpr const char* kSliceNorms = "norms of the rows of each mode";
inline constexpr const char* kSliceGrams = "Gram matrix of a mode of the slices";
inline constexpr const char* kSliceMoments = "second moment of the compressed slices";
inline constexpr const char* kSliceEquations = "normal equations of the factors";

// The noise in a number of a release that costs mu, where people contribute blocks of norm one.
double person_noise(std::int64_t numbers, double mu);

using People = std::unique_ptr<PeopleSource>;
using Slices = std::unique_ptr<SliceSource>;

// In this process: takes the tensor over. Refuses entries that are not counts without saying where.
Sensitive<People> held_people(Sensitive<AnyTensor> tensor);
Sensitive<Slices> held_slices(Sensitive<AnyTensor> tensor);

// What a shard answers with the people that it holds: an exact sum, as secret as they are.
std::string people_answer(const Sensitive<People>& held, const PeopleQuestion& question,
                          Index shard);
std::string slices_answer(const Sensitive<Slices>& held, const PeopleQuestion& question,
                          Index shard);

class PrivatePeople {
 public:
  // Takes the tensor over: people in mode 0. Refuses entries that are not counts without saying
  // where. The run has a budget, and must outlive this object.
  PrivatePeople(Sensitive<AnyTensor> tensor, PrivateRun& run);
  // People that shards hold. They have the same features.
  PrivatePeople(Sensitive<People> people, PrivateRun& run);
  PrivatePeople(const PrivatePeople&) = delete;
  PrivatePeople& operator=(const PrivatePeople&) = delete;

  Index features() const { return sums().features(); }

  // Each pays mu, and says how much noise it has. Sums over people, not means.
  Released<Noisy<Vector>> frequencies(double mu);
  Released<Noisy<Matrix>> pairs(std::span<const std::int32_t> core, const Vector& weights,
                                double mu);
  Released<Noisy<Vector>> triples(const TripleBasis& basis, double mu);
  Released<Noisy<RowMatrix>> expected_counts(const PersonFactors& factors, const Vector& scale,
                                             double mu);
  // bins x k, in people.
  Released<Noisy<RowMatrix>> loadings(const PersonFactors& factors, Index bins, double mu);

 private:
  const PeopleSource& sums() const;

  PrivateRun& run_;
  Sensitive<People> people_;
};

// The same for slices of real numbers (moments/slice_sums.h): norms of rows, Gram matrices of modes
// on a core, the second moment of compressed slices, normal equations of an alternating step.
class PrivateSlices {
 public:
  PrivateSlices(Sensitive<AnyTensor> tensor, PrivateRun& run);
  PrivateSlices(Sensitive<Slices> slices, PrivateRun& run);
  PrivateSlices(const PrivateSlices&) = delete;
  PrivateSlices& operator=(const PrivateSlices&) = delete;

  Released<Noisy<Vector>> row_norms(double mu);
  Released<Noisy<Matrix>> gram(Index mode, std::span<const std::int32_t> core, double mu);
  Released<Noisy<Matrix>> compressed(const std::vector<RowMatrix>& bases, double mu);
  Released<Noisy<Vector>> normal(const SliceFactors& factors, double mu);
  // bins x k, in people.
  Released<Noisy<RowMatrix>> loadings(const SliceFactors& factors, Index bins, double mu);

 private:
  const SliceSource& sums() const;

  PrivateRun& run_;
  Sensitive<Slices> slices_;
};

}  // namespace sotto
