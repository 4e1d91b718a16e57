// What a private run over a stream does if the user gives no numbers, and what can be expected of
// it, from public numbers alone. The rules were tuned on synthetic points; docs/choosing.md shows
// the figures. A run may use other numbers: its guarantee does not depend on them.
#pragma once

#include <cstdint>
#include <optional>

#include "sotto/decompose/power.h"
#include "sotto/release/private_stream.h"

namespace sotto {

struct StreamShape {
  Index dim;
  std::int64_t components;
  int order;
};

struct StreamChoice {
  PowerForm method;
  std::int64_t starts;
  std::int64_t iterations;
};

// Keeps to `method` where it is given. Epsilon, delta and the number of records do not matter: they
// scale the noise of all choices alike.
StreamChoice choose_stream(const StreamShape& shape, std::optional<PowerForm> method);

// In units of max_norm^p, so that it holds for any bound, given or chosen.
struct StreamForecast {
  double noise;   // standard deviation of one coordinate of an answer, at random starts
  double weight;  // of the weakest component that is expected to be recovered, |cos| >= 0.9
};
StreamForecast forecast_stream(const StreamShape& shape, PowerForm method,
                               const PrivateStreamPlan& plan);

// The epsilon at which components of this weight, in the same units, are expected to be recovered.
double expected_epsilon(const StreamShape& shape, PowerForm method, const PrivateStreamPlan& plan,
                        double weight);

}  // namespace sotto
