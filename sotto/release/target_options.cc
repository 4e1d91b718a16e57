#include "sotto/release/target_options.h"

#include <limits>

#include "sotto/base/error.h"

namespace sotto {

OptionTable TargetOptions::target_table(const std::string& epsilon_help,
                                        const std::string& delta_help) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return OptionTable()
      .real("epsilon", 'e', epsilon, {0, kInfinity, true, true}, epsilon_help)
      .real("delta", 0, delta, {0, 1, true, true}, delta_help)
      .flag("accept-large-delta", accept_large_delta,
            "run with a delta that is not below one over the number of protected units, at which "
            "someone may be expected to be exposed; refused otherwise")
      .integer("insecure-seed", 0, insecure_seed, {0, std::numeric_limits<std::int64_t>::max()},
               "draw the noise from this seed: repeatable, and not private");
}

void TargetOptions::check_target(std::initializer_list<OnlyPrivate> others) const {
  SOTTO_REQUIRE_AT(delta || !accept_large_delta, "`accept-large-delta`", "needs `delta`");
  if (asked()) return;
  const auto refuse = [](const OnlyPrivate& one) {
    SOTTO_REQUIRE_AT(!one.given, one.option, "needs `epsilon`, which is missing");
  };
  refuse({"`delta`", delta.has_value()});
  refuse({"`insecure-seed`", insecure_seed.has_value()});
  for (const OnlyPrivate& one : others) refuse(one);
}

void TargetOptions::require_delta_given() const {
  SOTTO_REQUIRE_AT(delta, "`epsilon`", "needs `delta` too, say `delta` 1e-6");
}

void TargetOptions::require_small_delta(const ProtectedUnits& units) const {
  if (!delta || accept_large_delta) return;
  const std::string warning = large_delta_warning(*delta, units);
  SOTTO_REQUIRE_AT(warning.empty(), "`delta`",
                   "{}; take a smaller one, or accept it with `accept-large-delta`", warning);
}

}  // namespace sotto
