// Which releases the private factors of a tensor of people are made of, and what each costs:
// decided from public numbers before an entry is read. people_factors.h makes them; docs/people.md
// has the measurements behind the shares.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "sotto/base/enum_names.h"
#include "sotto/base/options.h"
#include "sotto/release/plan.h"
#include "sotto/release/privacy_options.h"
#include "sotto/release/private_people.h"

namespace sotto {

// What the entries of a tensor of people are.
enum class PeopleValues { counts, real };
constexpr auto enum_names(PeopleValues) {
  return std::to_array<EnumName<PeopleValues>>(
      {{PeopleValues::counts, "counts"}, {PeopleValues::real, "real"}});
}

// How the factors are found: from moments; by steps that alternate between loadings and factors,
// from a random start; or by such steps from where the moments are.
enum class PeopleRoute { automatic, moments, alternating, both };
constexpr auto enum_names(PeopleRoute) {
  return std::to_array<EnumName<PeopleRoute>>({{PeopleRoute::automatic, "auto"},
                                               {PeopleRoute::moments, "moments"},
                                               {PeopleRoute::alternating, "alternating"},
                                               {PeopleRoute::both, "both"}});
}

struct PeopleOptions {
  std::int64_t components = 1;
  PeopleValues values = PeopleValues::counts;
  PeopleRoute route = PeopleRoute::automatic;
  bool non_negative = false;           // factors of real values; those of counts always are
  double alpha0 = 1;                   // sum of the Dirichlet parameters of a person's loadings
  std::optional<std::int64_t> refine;  // expectation steps
  std::optional<std::int64_t> core;    // features of the pair moment
  std::int64_t seed = 0;               // of the starts

  // Refuses more components than the rows of the modes allow, and steps that the route has not.
  void check(const std::vector<Index>& dims) const;
  // Never `automatic`: both where there are steps. docs/people.md has the comparison behind it.
  PeopleRoute chosen_route() const;
};

// Shares of mu^2.
struct PeopleShares {
  double frequencies = 0.05;
  double pairs = 0.35;
  double triples = 0.15;
  double steps = 0.42;  // all expectation steps together
  double loadings = 0.03;

  double of_step(std::int64_t step, std::int64_t steps_in_all) const;
};

struct PeoplePlan {
  PublicPeopleShape shape;
  PrivacyTarget target{};
  std::int64_t components = 0;
  PeopleValues values = PeopleValues::counts;
  PeopleRoute route = PeopleRoute::both;
  double mu = 0;  // of the whole run
  PeopleShares shares;
  std::int64_t steps = 0;
  std::optional<std::int64_t> core;

  // What a release with this share of the budget costs: a hair less, for the rounding of shares.
  double mu_of(double share) const;
  double share_of_gram() const { return shares.pairs / double(shape.dims.size()); }
};

constexpr Index kLoadingBins = 10;
constexpr std::int64_t kMostPeopleComponents = 64;

// Dimensions in which the triples of k components are released.
Index triple_directions(Index components);

// Features of the core: at most this many, at least that many.
Index largest_people_core(Index features);
Index least_people_core(Index components, Index features);

PeoplePlan plan_people(const PublicPeopleShape& shape, const PeopleOptions& options,
                       const TargetOptions& privacy);

// The plan that the run is made from, without forecasts.
Plan run_plan(const PeoplePlan& plan);

// Directions of each mode in which slices of real values are compressed: k and a few more, as long
// as their product stays small.
std::vector<Index> slice_directions(const std::vector<Index>& dims, Index components);

// What a run will meet, from public numbers and a guess at the people: the leading eigenvalue of
// the pairs over the edge of the spectrum of their noise, for rows as frequent as 1/(r + d/100), in
// the core where this is largest.
double forecast_people(const PeoplePlan& plan, double events);
// What it must be for this many components to be found.
double strength_for(Index components);
// The least epsilon at which they are. Infinite where no epsilon up to 100 reaches it.
double expected_people_epsilon(const PublicPeopleShape& shape, const PeopleOptions& options,
                               const TargetOptions& privacy, double events);

}  // namespace sotto
