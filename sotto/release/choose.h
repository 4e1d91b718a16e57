// What to run, from public numbers alone: the mechanism, the number of starts and of iterations,
// and what can be expected of them. The rules were tuned on synthetic tensors; docs/choosing.md
// shows the figures. A run may use other numbers: its guarantee does not depend on them.
#pragma once

#include <cstdint>

#include "sotto/release/privacy_options.h"
#include "sotto/release/private_power.h"

namespace sotto {

// Starts and iterations of the iterated form, if the user gives none.
std::int64_t default_starts(const PublicShape& shape);
std::int64_t default_iterations(const PublicShape& shape);

// A run as planned. For input perturbation the starts are those of the solver on the noisy tensor,
// which cost nothing.
struct PowerPlan {
  PowerMechanism mechanism = PowerMechanism::iterate;
  PowerShape shape{};
  Published published = Published::no;
  double change = 1;  // of an entry
};

// What the run can expect.
struct PowerForecast {
  double noise;   // standard deviation of one coordinate of T(I,u,..,u) at random unit starts
  double weight;  // the weakest of the components (orthonormal) that is expected to be recovered
};
PowerForecast forecast(const PowerPlan& plan, const PrivacyTarget& target);

// The better of an iterated plan and one with input perturbation: the one whose forecast recovers
// the weaker component. The noise of both falls alike with epsilon, so the choice does not depend
// on it.
PowerPlan better_plan(const PowerPlan& iterate, const PowerPlan& input);

// The epsilon at which components of this weight are expected to be recovered.
double expected_epsilon(const PowerPlan& plan, double delta, double weight);

// The same for the entries of any tensor, released once (private_entries.md has the formula).
// `sensitivity` is that of an entry. The noise is that of an entry.
PowerForecast forecast(const PublicDims& dims, double sensitivity, const PrivacyTarget& target);
double expected_epsilon(const PublicDims& dims, double sensitivity, double delta, double weight);

}  // namespace sotto
