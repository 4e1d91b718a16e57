// What a private `sotto decompose` does, settled from options and shape before an entry is looked
// at: the route, the noise, the releases, and whether components can stand out of the noise.
//
// Two routes (release/private_entries.md): a symmetric tensor, protected entry by entry with all
// orders of its indices (release/private_power.md), or the entries of any tensor.
#pragma once

#include <string>
#include <vector>

#include "sotto/release/choose.h"
#include "sotto/release/private_entries.h"
#include "sotto/release/private_power.h"
#include "sotto/tasks/decompose.h"

namespace sotto {

// ---- what the options say by themselves ----

bool whitens(const DecomposeTask& task);
// The power method by name, or by default.
bool asks_for_power(const DecomposeTask& task);
// A joint fit by name, or by an option that only joint fits have.
bool asks_for_a_fit(const DecomposeTask& task);
// Options that take the entries as they are, without symmetry.
bool asks_for_entries(const DecomposeTask& task);
// The joint fit that the options ask for.
TensorMethod fit_asked(const DecomposeTask& task);

// Refuses what noise on every iteration cannot do: it asks a fixed number of questions.
void require_iterable(const DecomposeTask& task);
// Refuses what the entries route cannot do.
void require_entries_options(const DecomposeTask& task);
void require_order(const DecomposeTask& task, std::size_t order);

// ---- a private run before it has seen anything ----

struct PrivateDecompose {
  PublicDims dims{std::vector<Index>{}};
  bool entries = false;  // the route
  TensorMethod method = TensorMethod::power;
  EntryBounds bounds;
  PowerPlan form;      // of the symmetric route
  PowerOptions power;  // likewise
  PowerNoise noise;    // likewise, with noise on every iteration
  PowerForecast expected{};
  Plan plan;
};

// Refuses what these options and this shape rule out. `facts` are public facts about the input.
PrivateDecompose settle(const DecomposeTask& task, const PublicDims& dims,
                        const std::vector<std::string>& facts = {});

// What `--plan` says to expect.
std::vector<Forecast> forecasts_of(const DecomposeTask& task, const PrivateDecompose& settled);

// Refuses a run whose components are not expected to stand out of the noise, as far as public
// numbers tell, unless the task says `anyway`.
void require_signal(const DecomposeTask& task, const PrivateDecompose& settled);

}  // namespace sotto
