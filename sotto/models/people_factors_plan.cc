#include "sotto/models/people_factors_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/models/least_epsilon.h"

namespace sotto {
namespace {

constexpr Index kLargestPeopleCore = 2048;  // its square is held in memory and factored
constexpr Index kCoreOfComponent = 20;
constexpr Index kExtraDirections = 2;  // leading directions of a noisy moment miss a part
// Dimensions of a compressed slice: the square of their number is released.
constexpr Index kMostCompressed = 1024;
constexpr std::int64_t kChosenPeopleSteps = 3;
constexpr std::int64_t kStepsWithoutMoments = 12;
// Where the worst cosine reaches about 0.9 (docs/planning.md).
constexpr double kStrengthOfComponent = 1.3;
// A later step starts from better factors: it gets a larger share.
constexpr double kPeopleStepGrowth = 1.3;

std::int64_t people_pairs_of(std::int64_t n) { return n * (n + 1) / 2; }

std::int64_t compressed_numbers(const PeoplePlan& plan) {
  std::int64_t size = 1;
  for (const Index r : slice_directions(plan.shape.dims, plan.components)) size *= r;
  return people_pairs_of(size);
}

// Rows of the Gram matrix of a mode.
Index gram_core(const PeoplePlan& plan, Index rows) {
  return std::min(rows, plan.core.value_or(largest_people_core(rows)));
}

// A guess at people of whom nothing is known: row r of a mode has the frequency 1/((r + d/100) H).
struct GuessedRow {
  double frequency;
  double weight;  // of the mode: w^2 of PeopleEstimate::core_weights(), over their sum
};

// The most frequent rows of all modes, as many as a core may have, in decreasing order.
std::vector<GuessedRow> guessed_rows(const std::vector<Index>& dims) {
  constexpr double kSum = 4.6;  // H: the sum of 1/(r + d/100) is about log(101)
  std::vector<GuessedRow> all;
  double weights = 0;
  Index features = 0;
  for (const Index d : dims) {
    // The squares of the frequencies sum to about 100/d / H^2.
    const double weight = std::max(1.0, std::sqrt(double(d) / 100) * kSum);
    weights += weight;
    features += d;
    for (Index r = 1; r <= largest_people_core(d); ++r) {
      all.push_back({1 / ((double(r) + double(d) / 100) * kSum), weight});
    }
  }
  std::sort(all.begin(), all.end(),
            [](const GuessedRow& a, const GuessedRow& b) { return a.frequency > b.frequency; });
  all.resize(static_cast<std::size_t>(largest_people_core(features)));
  for (GuessedRow& row : all) row.weight /= weights;
  return all;
}

Index core_of(const PeoplePlan& plan) {
  return plan.core.value_or(largest_people_core(plan.shape.features()));
}

std::int64_t triple_numbers(const PeoplePlan& plan) {
  const Index wide = triple_directions(plan.components);
  std::int64_t numbers = 0;
  for (std::size_t a = 0; a < plan.shape.dims.size(); ++a) {
    for (std::size_t b = a + 1; b < plan.shape.dims.size(); ++b) {
      numbers += std::min(wide, plan.shape.dims[a]) * std::min(wide, plan.shape.dims[b]) * wide;
    }
  }
  return numbers;
}

PlannedRelease planned_people(const PeoplePlan& plan, const char* what, std::int64_t values,
                              double share) {
  PlannedRelease release;
  release.what = what;
  release.mechanism = "gaussian";
  release.values = values;
  release.share = share;
  // Before mu is known, the list says how many numbers there are.
  if (plan.mu > 0) release.noise = person_noise(values, plan.mu_of(share));
  return release;
}

std::vector<PlannedRelease> planned_list(const PeoplePlan& plan) {
  const std::int64_t features = plan.shape.features(), k = plan.components;
  const PeopleShares& shares = plan.shares;
  std::vector<PlannedRelease> list;
  const bool counts = plan.values == PeopleValues::counts;
  list.push_back(planned_people(plan, counts ? kPeopleFrequencies : kSliceNorms, features,
                                shares.frequencies));
  if (plan.route == PeopleRoute::alternating) {
    // No moments.
  } else if (counts) {
    list.push_back(
        planned_people(plan, kPeoplePairs, people_pairs_of(core_of(plan)), shares.pairs));
    list.push_back(planned_people(plan, kPeopleTriples, triple_numbers(plan), shares.triples));
  } else {
    for (const Index d : plan.shape.dims) {
      list.push_back(planned_people(plan, kSliceGrams, people_pairs_of(gram_core(plan, d)),
                                    plan.share_of_gram()));
    }
    list.push_back(planned_people(plan, kSliceMoments, compressed_numbers(plan), shares.triples));
  }
  for (std::int64_t step = 0; step < plan.steps; ++step) {
    list.push_back(planned_people(plan, counts ? kPeopleCounts : kSliceEquations,
                                  features * k + (counts ? 0 : k * k),
                                  shares.of_step(step, plan.steps)));
  }
  list.push_back(planned_people(plan, kPeopleLoadings, kLoadingBins * k, shares.loadings));
  // In people: a person counts once for each component.
  if (plan.mu > 0) *list.back().noise *= std::sqrt(double(k));
  return list;
}

std::string method_of(const PeoplePlan& plan) {
  const bool counts = plan.values == PeopleValues::counts;
  std::string moments =
      counts ? "pairs and triples of different events" : "Gram matrices and compressed slices";
  const std::string steps = counts ? "expectation steps" : "alternating steps";
  switch (plan.route) {
    case PeopleRoute::moments:
      return moments;
    case PeopleRoute::alternating:
      return steps + " from a random start";
    default:
      return moments + ", refined by " + steps;
  }
}

}  // namespace

void PeopleOptions::check(const std::vector<Index>& dims) const {
  SOTTO_REQUIRE_AT(components <= kMostPeopleComponents, "`components`",
                   "at most {} are found in a tensor of people, got {}", kMostPeopleComponents,
                   components);
  // Two modes must tell the components apart.
  std::vector<Index> sizes = dims;
  std::sort(sizes.rbegin(), sizes.rend());
  SOTTO_REQUIRE_AT(sizes.size() >= 2 && sizes[1] >= components, "`components`",
                   "needs two modes beside the people with at least {} rows each", components);
  SOTTO_REQUIRE_AT(route != PeopleRoute::moments || refine.value_or(0) == 0, "`refine`",
                   "does not work with `route` moments, which makes no steps");
  SOTTO_REQUIRE_AT(route != PeopleRoute::alternating || refine.value_or(1) > 0, "`refine`",
                   "must be above 0 with `route` alternating, which is made of steps");
  SOTTO_REQUIRE_AT(route != PeopleRoute::alternating || !core, "`core`",
                   "does not work with `route` alternating, which takes no moments");
}

PeopleRoute PeopleOptions::chosen_route() const {
  if (route == PeopleRoute::alternating) return route;
  return route == PeopleRoute::moments || refine.value_or(1) == 0 ? PeopleRoute::moments
                                                                  : PeopleRoute::both;
}

double PeopleShares::of_step(std::int64_t step, std::int64_t steps_in_all) const {
  double sum = 0;
  for (std::int64_t s = 0; s < steps_in_all; ++s) sum += std::pow(kPeopleStepGrowth, double(s));
  return steps * std::pow(kPeopleStepGrowth, double(step)) / sum;
}

double PeoplePlan::mu_of(double share) const { return mu * std::sqrt(share) * (1 - 0x1p-40); }

std::vector<Index> slice_directions(const std::vector<Index>& dims, Index components) {
  for (Index wide = components + kExtraDirections; wide >= components; --wide) {
    std::vector<Index> directions;
    Index product = 1;
    for (const Index d : dims) {
      directions.push_back(std::min(d, wide));
      product = std::min(product * directions.back(), 2 * kMostCompressed);
    }
    if (product <= kMostCompressed) return directions;
  }
  throw Error(fmt::format("{} components of {} modes of real values are too many: their product "
                          "space has more than {} dimensions",
                          components, dims.size(), kMostCompressed),
              "`components`");
}

Index triple_directions(Index components) { return components + kExtraDirections; }

Index largest_people_core(Index features) { return std::min(features, kLargestPeopleCore); }

Index least_people_core(Index components, Index features) {
  return std::min(largest_people_core(features), kCoreOfComponent * components);
}

PeoplePlan plan_people(const PublicPeopleShape& shape, const PeopleOptions& options,
                       const TargetOptions& privacy) {
  options.check(shape.dims);
  PeoplePlan plan;
  plan.shape = shape;
  plan.target = privacy.target();
  plan.components = options.components;
  plan.values = options.values;
  plan.route = options.chosen_route();
  if (plan.route == PeopleRoute::moments) {
    plan.shares.pairs += plan.shares.steps / 2;
    plan.shares.triples += plan.shares.steps / 2;
    plan.shares.steps = 0;
  } else if (plan.route == PeopleRoute::alternating) {
    plan.shares.steps += plan.shares.pairs + plan.shares.triples;
    plan.shares.pairs = plan.shares.triples = 0;
    plan.steps = options.refine.value_or(kStepsWithoutMoments);
  } else {
    plan.steps = options.refine.value_or(kChosenPeopleSteps);
  }
  SOTTO_REQUIRE_AT(shape.features() * plan.components <= kMostPersonNumbers, "`components`",
                   "the modes beside the people have {} rows: {} components would be more than {} "
                   "numbers",
                   shape.features(), plan.components, kMostPersonNumbers);
  if (options.core) {
    SOTTO_REQUIRE_AT(
        *options.core >= plan.components && *options.core <= largest_people_core(shape.features()),
        "`core`", "must lie between the {} components and {}, got {}", plan.components,
        largest_people_core(shape.features()), *options.core);
    plan.core = options.core;
  }
  std::int64_t numbers = 0;
  for (const PlannedRelease& release : planned_list(plan)) numbers += release.values;
  plan.mu = affordable_mu(plan.target, 1, numbers);
  return plan;
}

Plan run_plan(const PeoplePlan& plan) {
  Plan whole;
  whole.statement = person_statement(plan.shape, plan.target);
  whole.target = plan.target;
  whole.method = method_of(plan);
  whole.settings = {{"values", std::string(name_of(plan.values))},
                    {"route", std::string(name_of(plan.route))},
                    {"components", plan.components},
                    {"refine", plan.steps}};
  if (plan.core) whole.settings.push_back({"core", *plan.core});
  whole.releases = planned_list(plan);
  whole.held_by_budget = true;
  return whole;
}

double forecast_people(const PeoplePlan& plan, double events) {
  // A person's features have norm one: each of n events adds w^2/n to it, w of its mode.
  const double pairs = double(plan.shape.people) * std::max(events - 1, 0.0);
  const std::vector<GuessedRow> rows = guessed_rows(plan.shape.dims);
  const Index last = plan.core.value_or(std::ssize(rows));
  const Index least = plan.core.value_or(least_people_core(plan.components, last));
  double square = 0, strength = 0;
  for (Index c = 1; c <= last; ++c) {
    const GuessedRow& row = rows[static_cast<std::size_t>(c - 1)];
    square += row.weight * row.frequency * row.frequency;
    const double edge = std::sqrt(2.0 * double(c)) / plan.mu_of(plan.shares.pairs);
    if (c >= least) strength = std::max(strength, pairs * square / edge);
  }
  return strength;
}

double strength_for(Index components) { return kStrengthOfComponent * double(components); }

double expected_people_epsilon(const PublicPeopleShape& shape, const PeopleOptions& options,
                               const TargetOptions& privacy, double events) {
  return least_epsilon([&](double epsilon) {
    TargetOptions at = privacy;
    at.epsilon = epsilon;
    return forecast_people(plan_people(shape, options, at), events) >=
           strength_for(options.components);
  });
}

}  // namespace sotto
