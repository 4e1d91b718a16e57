#include "sotto/release/private_people.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <utility>
#include <variant>

#include "sotto/base/error.h"
#include "sotto/base/join_text.h"
#include "sotto/release/access.h"
#include "sotto/release/person_block.h"

namespace sotto {
namespace {

constexpr double kSmallestAlpha = 1e-30;

void require_factors(const PersonFactors& factors) {
  require_moderate(factors.stacked, 0);
  require_moderate(factors.alpha, kSmallestAlpha);
  SOTTO_REQUIRE(factors.rounds >= 1, "an expectation step takes at least one round");
}

std::unique_ptr<const SparseTensor> people_tensor(AnyTensor&& tensor) {
  auto* sparse = std::get_if<SparseTensor>(&tensor);
  return std::make_unique<const SparseTensor>(
      sparse != nullptr ? std::move(*sparse)
                        : SparseTensor::from_dense(std::get<DenseTensor>(tensor)));
}

}  // namespace

Index PublicPeopleShape::features() const {
  return std::accumulate(dims.begin(), dims.end(), Index{0});
}

PublicPeopleShape people_shape(const std::vector<Index>& dims, const std::string& place) {
  SOTTO_REQUIRE_AT(dims.size() >= 3, place,
                   "people need at least two modes beside them, the tensor has order {}",
                   dims.size());
  PublicPeopleShape shape{{dims.begin() + 1, dims.end()}, dims.front()};
  SOTTO_REQUIRE_AT(shape.features() <= kMostPersonNumbers, place,
                   "the modes beside the people have {} rows, at most {} are allowed",
                   shape.features(), kMostPersonNumbers);
  return shape;
}

PublicPeopleShape public_people_shape(const Sensitive<AnyTensor>& data, const std::string& place) {
  return people_shape(dims_of(ReleaseAccess::view(data)), place);
}

PrivacyStatement person_statement(const PublicPeopleShape& shape, const PrivacyTarget& target) {
  PrivacyStatement statement;
  statement.unit = "one person: a whole slice of the first mode";
  statement.neighbours = "one person with any slice added or removed";
  statement.adds_or_removes = true;
  statement.public_facts = {
      fmt::format("the sizes of the modes beside the people, {}", join_text(shape.dims, " x ")),
      fmt::format(
          "a guess at the number of people, {}, by which delta is judged and the core is chosen",
          shape.people),
      "all options"};
  statement.units = {shape.people, "people, by a public guess"};
  statement.delta = target.delta;
  // What is released later depends on earlier releases; the budget was fixed before.
  statement.budget = {target.epsilon, target.delta};
  return statement;
}

double person_noise(std::int64_t numbers, double mu) {
  return person_sensitivity(static_cast<double>(numbers)) / mu;
}

Sensitive<People> held_people(Sensitive<AnyTensor> tensor) {
  return std::move(tensor).transform([](AnyTensor&& t) -> People {
    return std::make_unique<PersonSums>(people_tensor(std::move(t)));
  });
}

Sensitive<Slices> held_slices(Sensitive<AnyTensor> tensor) {
  return std::move(tensor).transform([](AnyTensor&& t) -> Slices {
    return std::make_unique<SliceSums>(people_tensor(std::move(t)));
  });
}

std::string people_answer(const Sensitive<People>& held, const PeopleQuestion& question,
                          Index shard) {
  return answer_people_question(*ReleaseAccess::view(held), question, shard);
}

std::string slices_answer(const Sensitive<Slices>& held, const PeopleQuestion& question,
                          Index shard) {
  return answer_slice_question(*ReleaseAccess::view(held), question, shard);
}

PrivatePeople::PrivatePeople(Sensitive<AnyTensor> tensor, PrivateRun& run)
    : PrivatePeople(held_people(std::move(tensor)), run) {}

PrivatePeople::PrivatePeople(Sensitive<People> people, PrivateRun& run)
    : run_(run), people_(std::move(people)) {
  run.require_budget();
}

const PeopleSource& PrivatePeople::sums() const { return *ReleaseAccess::view(people_); }

Released<Noisy<Vector>> PrivatePeople::frequencies(double mu) {
  require_person_numbers(features());
  return publish_person_block(run_, kPeopleFrequencies, mu, sums().frequencies());
}

Released<Noisy<Matrix>> PrivatePeople::pairs(std::span<const std::int32_t> core,
                                             const Vector& weights, double mu) {
  const Index size = std::ssize(core);
  require_person_numbers(size * size);
  require_moderate(weights, 0);
  return publish_person_matrix(run_, kPeoplePairs, mu, sums().pairs(core, weights));
}

Released<Noisy<Vector>> PrivatePeople::triples(const TripleBasis& basis, double mu) {
  require_person_numbers(basis.size());
  for (const RowMatrix& rows : basis.of_mode) require_moderate(rows, -kLargestGiven);
  require_moderate(basis.of_other, -kLargestGiven);
  return publish_person_block(run_, kPeopleTriples, mu, sums().triples(basis));
}

Released<Noisy<RowMatrix>> PrivatePeople::expected_counts(const PersonFactors& factors,
                                                          const Vector& scale, double mu) {
  require_person_numbers(factors.stacked.size());
  require_factors(factors);
  require_moderate(scale, 0);
  return publish_person_block(run_, kPeopleCounts, mu, sums().expected_counts(factors, scale));
}

Released<Noisy<RowMatrix>> PrivatePeople::loadings(const PersonFactors& factors, Index bins,
                                                   double mu) {
  require_person_numbers(factors.alpha.size() * bins);
  require_factors(factors);
  const Noisy<RowMatrix> one =
      publish_person_block(run_, kPeopleLoadings, mu, sums().loadings(factors, bins)).value();
  const double people = std::sqrt(static_cast<double>(factors.alpha.size()));
  return ReleaseAccess::released(Noisy<RowMatrix>{one.value * people, one.deviation * people});
}

PrivateSlices::PrivateSlices(Sensitive<AnyTensor> tensor, PrivateRun& run)
    : PrivateSlices(held_slices(std::move(tensor)), run) {}

PrivateSlices::PrivateSlices(Sensitive<Slices> slices, PrivateRun& run)
    : run_(run), slices_(std::move(slices)) {
  run.require_budget();
}

const SliceSource& PrivateSlices::sums() const { return *ReleaseAccess::view(slices_); }

Released<Noisy<Vector>> PrivateSlices::row_norms(double mu) {
  require_person_numbers(sums().features());
  return publish_person_block(run_, kSliceNorms, mu, sums().row_norms());
}

Released<Noisy<Matrix>> PrivateSlices::gram(Index mode, std::span<const std::int32_t> core,
                                            double mu) {
  require_person_numbers(std::ssize(core) * std::ssize(core));
  return publish_person_matrix(run_, kSliceGrams, mu, sums().gram(mode, core));
}

Released<Noisy<Matrix>> PrivateSlices::compressed(const std::vector<RowMatrix>& bases, double mu) {
  Index size = 1;
  for (const RowMatrix& basis : bases) {
    require_moderate(basis, -kLargestGiven);
    size *= basis.cols();
    require_person_numbers(size * size);
  }
  return publish_person_matrix(run_, kSliceMoments, mu, sums().compressed(bases));
}

Released<Noisy<Vector>> PrivateSlices::normal(const SliceFactors& factors, double mu) {
  require_moderate(factors.stacked, -kLargestGiven);
  require_moderate(factors.solve, -kLargestGiven);
  require_person_numbers(factors.stacked.size() + factors.solve.size());
  return publish_person_block(run_, kSliceEquations, mu, sums().normal(factors));
}

Released<Noisy<RowMatrix>> PrivateSlices::loadings(const SliceFactors& factors, Index bins,
                                                   double mu) {
  require_moderate(factors.stacked, -kLargestGiven);
  require_moderate(factors.solve, -kLargestGiven);
  require_person_numbers(factors.solve.rows() * bins);
  const Noisy<RowMatrix> one =
      publish_person_block(run_, kPeopleLoadings, mu, sums().loadings(factors, bins)).value();
  const double people = std::sqrt(static_cast<double>(factors.solve.rows()));
  return ReleaseAccess::released(Noisy<RowMatrix>{one.value * people, one.deviation * people});
}

}  // namespace sotto
