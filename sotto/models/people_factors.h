// The factors of a tensor of people, one slice of the first mode a person: counts of events, or
// real values (slice_factors.h has the steps of these).
//
// The releases of release/private_people, in this order:
//   1. frequencies of all rows. From them the core: as many frequent rows as the noise of the pairs
//      lets stand out. All rows stay in the model.
//   2. pairs of different events on the core, all modes together: one moment whose leading
//      eigenvectors span the factors of every mode at once, so that a mode with few rows and strong
//      counts shows the way to the others.
//   3. triples in the space of these eigenvectors: two modes of one event and all of another,
//        sum_t  b_t o c_t o (sum_s E[a_t a_s] (b_s; c_s)),
//      which has rank k and is decomposed by alternating least squares (coupled_cp.h). Norms are
//      taken after the compression: it costs hardly any noise.
//   4. expectation steps over all rows, released as counts with noise. Each estimate of a factor is
//      linear with known noise; they are averaged by precision and shrunk (shrinkage.h).
//   5. how many people have how much of each factor.
// Without privacy the same steps are taken on exact sums, with more expectation steps.
// What each may cost is decided in people_factors_plan.h, what is made of them in
// people_factors_estimate.h.
#pragma once

#include <cstdint>
#include <variant>

#include "sotto/base/progress.h"
#include "sotto/base/sensitive.h"
#include "sotto/models/people_factors_estimate.h"
#include "sotto/release/private_people.h"
#include "sotto/release/private_run.h"

namespace sotto {

struct PeopleFit {
  PeopleModel model;   // heaviest factor first; of real values: columns of norm one
  RowMatrix loadings;  // bins x k: people with a loading in the bin; bins cut [0, 1] evenly
  double loadings_deviation = 0;
  Index core = 0;
  std::int64_t steps = 0;
};

// People whom others hold (moments/people_questions.h): those of the values that the plan is for.
using HeldElsewhere = std::variant<Sensitive<People>, Sensitive<Slices>>;

// `run` is made from run_plan(plan).
PeopleFit fit_private_people(HeldElsewhere people, const PeoplePlan& plan,
                             const PeopleOptions& options, PrivateRun& run,
                             const ProgressCallback& progress = {});
PeopleFit fit_private_people(Sensitive<AnyTensor> tensor, const PeoplePlan& plan,
                             const PeopleOptions& options, PrivateRun& run,
                             const ProgressCallback& progress = {});

// Of data that may be looked at.
PeopleFit fit_people(const SparseTensor& tensor, const PeopleOptions& options,
                     const ProgressCallback& progress = {});

// What a model says about people it was not learnt from, or was: one row a person. Counts:
// proportions, by the rounds of an expectation step. Real values: least-squares loadings.
RowMatrix person_loadings(const SparseTensor& people, const PeopleModel& model,
                          const PeopleOptions& options);

}  // namespace sotto
