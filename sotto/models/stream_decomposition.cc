#include "sotto/models/stream_decomposition.h"

#include <limits>

namespace sotto {

OptionTable StreamOptions::table() {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  return OptionTable()
      .integer("components", 'k', components, {1, 1000000}, "number of components to find")
      .required()
      .integer("starts", 'L', starts, {1, 1000000},
               "random starts for each component; simultaneous: groups of starts")
      .integer("iterations", 'R', iterations, {1, 1000000}, "power iterations for each component")
      .choice("method", method,
              "power: one component after the other; simultaneous: all at once, from k times fewer "
              "records")
      .integer("order", 'p', order, {3, 4},
               "order of the moment: 3 for E[x (x) x (x) x], 4 for one factor more")
      .integer("batch", 0, batch, {0, most},
               "records for each answer; 0: all records, divided evenly among the answers")
      .integer("passes", 0, passes, {1, 1000000}, "how often a file may be read from its beginning")
      .integer("seed", 0, seed, {0, most}, "seed of the random starts");
}

Decomposition decompose_stream(SymmetricOracle& oracle, const StreamOptions& options,
                               const ProgressCallback& progress) {
  PowerOptions power;
  power.components = options.components;
  power.starts = options.starts;
  power.iterations = options.iterations;
  power.seed = options.seed;
  // Asks exactly answers() questions: nothing ends early and nothing is added.
  power.tolerance = 0;
  power.polish = 0;
  power.residuals = false;
  return options.method == PowerForm::simultaneous
             ? simultaneous_power_method(oracle, power, progress)
             : robust_power_method(oracle, power, progress);
}

}  // namespace sotto
