#include "sotto/release/private_people.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>
#include <variant>

#include "sotto/base/error.h"
#include "sotto/privacy/gaussian.h"
#include "sotto/release/access.h"
#include "sotto/release/packed_matrix.h"
#include "sotto/release/rounding.h"

namespace sotto {
namespace {

// private_people.md, 2: what is given may be this large.
constexpr double kLargestGiven = 1e30;
constexpr double kSmallestAlpha = 1e-30;

double person_sensitivity(double numbers) {
  return kSafeLong + std::sqrt(numbers) * kPersonUnit / 2;
}

GaussianMechanism person_mechanism(const char* what, std::int64_t count, double mu) {
  const auto numbers = static_cast<double>(count);
  const double sensitivity = person_sensitivity(numbers);
  return GaussianMechanism(what, sensitivity, deviation_for({sensitivity, std::sqrt(numbers)}, mu),
                           count);
}

template <class Given>
void require_moderate(const Given& given, double least) {
  SOTTO_REQUIRE(given.size() > 0 && given.allFinite() && given.minCoeff() >= least &&
                    given.maxCoeff() <= kLargestGiven,
                "what a release is asked for must lie between {} and {}", least, kLargestGiven);
}

void require_numbers(Index numbers) {
  SOTTO_REQUIRE(numbers >= 1 && numbers <= kMostPeopleNumbers,
                "a release of people has at most {} numbers, this one would have {}",
                kMostPeopleNumbers, numbers);
}

void require_factors(const PersonFactors& factors) {
  require_moderate(factors.stacked, 0);
  require_moderate(factors.alpha, kSmallestAlpha);
  SOTTO_REQUIRE(factors.rounds >= 1, "an expectation step takes at least one round");
}

SparseTensor as_sparse(AnyTensor&& tensor) {
  if (auto* sparse = std::get_if<SparseTensor>(&tensor)) return std::move(*sparse);
  return SparseTensor::from_dense(std::get<DenseTensor>(tensor));
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
  SOTTO_REQUIRE_AT(shape.features() <= kMostPeopleNumbers, place,
                   "the modes beside the people have {} rows, at most {} are allowed",
                   shape.features(), kMostPeopleNumbers);
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
      fmt::format("the sizes of the modes beside the people, {}",
                  fmt::join(shape.dims.begin(), shape.dims.end(), " x ")),
      fmt::format("a guess at the number of people, {}, which says what delta means", shape.people),
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

PrivatePeople::PrivatePeople(Sensitive<AnyTensor> tensor, PrivateRun& run)
    : run_(run),
      events_(std::move(tensor).transform([](AnyTensor&& t) { return as_sparse(std::move(t)); })),
      sums_(std::make_unique<PersonSums>(ReleaseAccess::view(events_))) {
  run.require_budget();
}

template <class Block>
Released<Noisy<Block>> PrivatePeople::release(const char* what, double mu, Block sums) {
  const auto numbers = static_cast<std::int64_t>(sums.size());
  return run_.publish(person_mechanism(what, numbers, mu), std::move(sums));
}

Released<Noisy<Vector>> PrivatePeople::frequencies(double mu) {
  require_numbers(features());
  return release(kPeopleFrequencies, mu, sums_->frequencies());
}

Released<Noisy<Matrix>> PrivatePeople::pairs(std::span<const std::int32_t> core,
                                             const Vector& weights, double mu) {
  const Index size = std::ssize(core);
  require_numbers(size * size);
  require_moderate(weights, 0);
  const Matrix sum = sums_->pairs(core, weights);
  PackedMatrix packed(size, [&](Index i, Index j) { return sum(i, j); });
  const auto side = static_cast<double>(size);
  const double sensitivity = person_sensitivity(side * side);
  // The grid is set by the noise off the diagonal, smaller by sqrt(2).
  const SymmetricGaussianMechanism mechanism(
      kPeoplePairs, sensitivity, deviation_for({sensitivity, side, std::numbers::sqrt2}, mu), size,
      2);
  return ReleaseAccess::released(unpacked(run_.publish(mechanism, std::move(packed)).value()));
}

Released<Noisy<Vector>> PrivatePeople::triples(const TripleBasis& basis, double mu) {
  require_numbers(basis.size());
  for (const RowMatrix& rows : basis.of_mode) require_moderate(rows, -kLargestGiven);
  require_moderate(basis.of_other, -kLargestGiven);
  return release(kPeopleTriples, mu, sums_->triples(basis));
}

Released<Noisy<RowMatrix>> PrivatePeople::expected_counts(const PersonFactors& factors,
                                                          const Vector& scale, double mu) {
  require_numbers(factors.stacked.size());
  require_factors(factors);
  require_moderate(scale, 0);
  return release(kPeopleCounts, mu, sums_->expected_counts(factors, scale));
}

Released<Noisy<RowMatrix>> PrivatePeople::loadings(const PersonFactors& factors, Index bins,
                                                   double mu) {
  require_numbers(factors.alpha.size() * bins);
  require_factors(factors);
  const Noisy<RowMatrix> one = release(kPeopleLoadings, mu, sums_->loadings(factors, bins)).value();
  const double people = std::sqrt(static_cast<double>(factors.alpha.size()));
  return ReleaseAccess::released(Noisy<RowMatrix>{one.value * people, one.deviation * people});
}

}  // namespace sotto
