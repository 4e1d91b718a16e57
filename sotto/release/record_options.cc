#include "sotto/release/record_options.h"

#include <limits>

#include "sotto/base/error.h"

namespace sotto {

OptionTable RecordPrivacyOptions::table() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return OptionTable()
      .real("epsilon", 'e', epsilon, {0, kInfinity, true, true},
            "make the result differentially private, with at most this epsilon for each record")
      .real("delta", 0, delta, {0, 1, true, true}, "delta of the guarantee; goes with --epsilon")
      .real("max-norm", 0, max_norm, {0, kInfinity, true, true},
            "public bound: longer records are shortened to this norm; needed with --epsilon")
      .integer("insecure-seed", 0, insecure_seed, {0, std::numeric_limits<std::int64_t>::max()},
               "draw the noise from this seed: repeatable, and not private");
}

void RecordPrivacyOptions::check() const {
  if (!asked()) {
    SOTTO_REQUIRE_AT(!delta, "--delta", "goes with --epsilon, which is missing");
    SOTTO_REQUIRE_AT(!max_norm, "--max-norm", "goes with --epsilon");
    SOTTO_REQUIRE_AT(!insecure_seed, "--insecure-seed", "goes with --epsilon");
    return;
  }
  SOTTO_REQUIRE_AT(delta, "--epsilon", "needs --delta too, say --delta 1e-6");
  SOTTO_REQUIRE_AT(max_norm, "--epsilon",
                   "needs --max-norm, a bound on the norm of a record that is not read off the "
                   "data");
}

NoiseKey RecordPrivacyOptions::key() const {
  return insecure_seed ? NoiseKey::insecure_from_seed(static_cast<std::uint64_t>(*insecure_seed))
                       : NoiseKey::from_system();
}

}  // namespace sotto
