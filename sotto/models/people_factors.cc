#include "sotto/models/people_factors.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "sotto/models/slice_factors.h"

namespace sotto {
namespace {

// Of the proportions, in an expectation step.
constexpr int kPeopleRounds = 8;
// What an earlier step still counts when a later one has come.
constexpr double kPeopleStepDecay = 0.6;
constexpr std::int64_t kExactSteps = 30;
// Exact sums are treated as sums with so little noise.
constexpr double kExactDeviation = 1e-6;

// Sums over people with noise that was paid for.
class NoisyPeople {
 public:
  NoisyPeople(PrivatePeople& people, const PeoplePlan& plan) : people_(people), plan_(plan) {}

  double pair_deviation() const { return 1 / plan_.mu_of(plan_.shares.pairs); }
  double decay() const { return kPeopleStepDecay; }
  Noisy<Vector> frequencies() {
    return people_.frequencies(plan_.mu_of(plan_.shares.frequencies)).value();
  }
  Noisy<Matrix> pairs(const std::vector<std::int32_t>& core, const Vector& weights) {
    return people_.pairs(core, weights, plan_.mu_of(plan_.shares.pairs)).value();
  }
  Noisy<Vector> triples(const TripleBasis& basis) {
    return people_.triples(basis, plan_.mu_of(plan_.shares.triples)).value();
  }
  Noisy<RowMatrix> counts(const PersonFactors& factors, const Vector& scale, std::int64_t step) {
    const double mu = plan_.mu_of(plan_.shares.of_step(step, plan_.steps));
    return people_.expected_counts(factors, scale, mu).value();
  }
  Noisy<RowMatrix> loadings(const PersonFactors& factors) {
    return people_.loadings(factors, kLoadingBins, plan_.mu_of(plan_.shares.loadings)).value();
  }

 private:
  PrivatePeople& people_;
  const PeoplePlan& plan_;
};

// The same without noise.
class ExactPeople {
 public:
  explicit ExactPeople(const SparseTensor& events) : sums_(events) {}

  double pair_deviation() const { return 0; }
  double decay() const { return 0; }
  Noisy<Vector> frequencies() { return {sums_.frequencies(), kExactDeviation}; }
  Noisy<Matrix> pairs(const std::vector<std::int32_t>& core, const Vector& weights) {
    return {sums_.pairs(core, weights), kExactDeviation};
  }
  Noisy<Vector> triples(const TripleBasis& basis) {
    return {sums_.triples(basis), kExactDeviation};
  }
  Noisy<RowMatrix> counts(const PersonFactors& factors, const Vector& scale, std::int64_t) {
    return {sums_.expected_counts(factors, scale), kExactDeviation};
  }
  Noisy<RowMatrix> loadings(const PersonFactors& factors) {
    const double people = std::sqrt(double(factors.alpha.size()));
    return {sums_.loadings(factors, kLoadingBins) * people, 0};
  }

 private:
  PersonSums sums_;
};

// Sums over slices of real values with noise that was paid for.
class NoisySlices {
 public:
  NoisySlices(PrivateSlices& slices, const PeoplePlan& plan) : slices_(slices), plan_(plan) {}

  double decay() const { return kPeopleStepDecay; }
  Noisy<Vector> norms() { return slices_.row_norms(plan_.mu_of(plan_.shares.frequencies)).value(); }
  Noisy<Matrix> gram(std::size_t mode, const std::vector<std::int32_t>& core) {
    return slices_.gram(static_cast<Index>(mode), core, plan_.mu_of(plan_.share_of_gram())).value();
  }
  Noisy<Matrix> moment(const std::vector<RowMatrix>& bases) {
    return slices_.compressed(bases, plan_.mu_of(plan_.shares.triples)).value();
  }
  Noisy<Vector> equations(const SliceFactors& factors, std::int64_t step) {
    return slices_.normal(factors, plan_.mu_of(plan_.shares.of_step(step, plan_.steps))).value();
  }
  Noisy<RowMatrix> loadings(const SliceFactors& factors) {
    return slices_.loadings(factors, kLoadingBins, plan_.mu_of(plan_.shares.loadings)).value();
  }

 private:
  PrivateSlices& slices_;
  const PeoplePlan& plan_;
};

// The same without noise.
class ExactSlices {
 public:
  explicit ExactSlices(const SparseTensor& values) : sums_(values) {}

  double decay() const { return 0; }
  Noisy<Vector> norms() { return {sums_.row_norms(), kExactDeviation}; }
  Noisy<Matrix> gram(std::size_t mode, const std::vector<std::int32_t>& core) {
    return {sums_.gram(static_cast<Index>(mode), core), kExactDeviation};
  }
  Noisy<Matrix> moment(const std::vector<RowMatrix>& bases) {
    return {sums_.compressed(bases), kExactDeviation};
  }
  Noisy<Vector> equations(const SliceFactors& factors, std::int64_t) {
    return {sums_.normal(factors), kExactDeviation};
  }
  Noisy<RowMatrix> loadings(const SliceFactors& factors) {
    const double people = std::sqrt(double(factors.solve.rows()));
    return {sums_.loadings(factors, kLoadingBins) * people, 0};
  }

 private:
  SliceSums sums_;
};

void sort_by_weight(PeopleFit& fit) {
  const Index k = fit.model.weights.size();
  std::vector<Index> order(static_cast<std::size_t>(k));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return fit.model.weights[a] > fit.model.weights[b]; });
  const auto columns = [&](auto& m) { m = m(Eigen::all, order).eval(); };
  for (Matrix& factor : fit.model.factors) columns(factor);
  columns(fit.loadings);
  fit.model.weights = fit.model.weights(order).eval();
}

template <class Sums>
PeopleFit fit_sums(Sums& sums, const PublicPeopleShape& shape, const PeopleOptions& options,
                   std::int64_t steps, const ProgressCallback& progress) {
  PeopleEstimate estimate(shape, options);
  continue_or_throw(progress, {"frequencies", 0, 0});
  estimate.take_frequencies(sums.frequencies());
  PeopleFit fit;
  if (options.chosen_route() == PeopleRoute::alternating) {
    fit.model = estimate.random_start();
  } else {
    continue_or_throw(progress, {"pairs of events", 0, 0});
    const auto& core = estimate.choose_core(sums.pair_deviation(), options.core);
    estimate.take_pairs(sums.pairs(core, estimate.core_weights()));
    continue_or_throw(progress, {"triples of rows", 0, 0});
    fit.model = estimate.take_triples(sums.triples(estimate.triple_basis()));
  }
  for (std::int64_t step = 0; step < steps; ++step) {
    continue_or_throw(progress, {"expectation step", step, steps});
    const PersonFactors factors = fit.model.stacked(options.alpha0, kPeopleRounds);
    fit.model = estimate.take_counts(sums.counts(factors, estimate.step_scale(), step), fit.model,
                                     sums.decay());
  }
  continue_or_throw(progress, {"loadings", 0, 0});
  const Noisy<RowMatrix> loadings = sums.loadings(fit.model.stacked(options.alpha0, kPeopleRounds));
  fit.loadings = loadings.value;
  fit.loadings_deviation = loadings.deviation;
  fit.core = estimate.core();
  fit.steps = steps;
  sort_by_weight(fit);
  return fit;
}

template <class Sums>
PeopleFit fit_slices(Sums& sums, const PublicPeopleShape& shape, const PeopleOptions& options,
                     std::int64_t steps, const ProgressCallback& progress) {
  SliceEstimate estimate(shape, options);
  continue_or_throw(progress, {"norms of rows", 0, 0});
  estimate.take_norms(sums.norms());
  if (options.chosen_route() == PeopleRoute::alternating) {
    estimate.start_at_random();
  } else {
    for (std::size_t m = 0; m < shape.dims.size(); ++m) {
      continue_or_throw(progress, {"Gram matrices", std::int64_t(m), std::ssize(shape.dims)});
      estimate.take_gram(m, sums.gram(m, estimate.core(m)));
    }
    continue_or_throw(progress, {"compressed slices", 0, 0});
    estimate.take_moment(sums.moment(estimate.bases()));
  }
  for (std::int64_t step = 0; step < steps; ++step) {
    continue_or_throw(progress, {"alternating step", step, steps});
    estimate.take_equations(sums.equations(estimate.factors(), step), sums.decay());
  }
  continue_or_throw(progress, {"loadings", 0, 0});
  const Noisy<RowMatrix> loadings = sums.loadings(estimate.factors());
  PeopleFit fit;
  fit.model = {estimate.modes(), estimate.weights()};
  fit.loadings = loadings.value;
  fit.loadings_deviation = loadings.deviation;
  if (options.chosen_route() != PeopleRoute::alternating) fit.core = estimate.core();
  fit.steps = steps;
  sort_by_weight(fit);
  return fit;
}

}  // namespace

PeopleFit fit_private_people(HeldElsewhere held, const PeoplePlan& plan,
                             const PeopleOptions& options, PrivateRun& run,
                             const ProgressCallback& progress) {
  if (plan.values == PeopleValues::real) {
    PrivateSlices slices(std::get<Sensitive<Slices>>(std::move(held)), run);
    NoisySlices sums(slices, plan);
    return fit_slices(sums, plan.shape, options, plan.steps, progress);
  }
  PrivatePeople people(std::get<Sensitive<People>>(std::move(held)), run);
  NoisyPeople sums(people, plan);
  return fit_sums(sums, plan.shape, options, plan.steps, progress);
}

PeopleFit fit_private_people(Sensitive<AnyTensor> tensor, const PeoplePlan& plan,
                             const PeopleOptions& options, PrivateRun& run,
                             const ProgressCallback& progress) {
  if (plan.values == PeopleValues::real) {
    return fit_private_people(held_slices(std::move(tensor)), plan, options, run, progress);
  }
  return fit_private_people(held_people(std::move(tensor)), plan, options, run, progress);
}

PeopleFit fit_people(const SparseTensor& tensor, const PeopleOptions& options,
                     const ProgressCallback& progress) {
  const PublicPeopleShape shape = people_shape(tensor.dims(), "");
  options.check(shape.dims);
  const std::int64_t steps =
      options.chosen_route() == PeopleRoute::moments ? 0 : options.refine.value_or(kExactSteps);
  if (options.values == PeopleValues::real) {
    ExactSlices sums(tensor);
    return fit_slices(sums, shape, options, steps, progress);
  }
  ExactPeople sums(tensor);
  return fit_sums(sums, shape, options, steps, progress);
}

RowMatrix person_loadings(const SparseTensor& people, const PeopleModel& model,
                          const PeopleOptions& options) {
  if (options.values == PeopleValues::real) {
    return SliceSums(people).solved(slice_factors(model.factors));
  }
  return PersonSums(people).proportions(model.stacked(options.alpha0, kPeopleRounds));
}

}  // namespace sotto
