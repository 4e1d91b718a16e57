#include "sotto/release/rating_options.h"

#include <limits>

#include "sotto/base/error.h"

namespace sotto {

OptionTable RatingPrivacyOptions::table() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return OptionTable()
      .real("epsilon", 0, epsilon, {0, kInfinity, true, true},
            "make the result differentially private, with at most this epsilon; needs --range")
      .real("delta", 0, delta, {0, 1, true, true},
            "delta of the guarantee (none given: pure epsilon)")
      .choice("unit", unit, {"rating"},
              "what is protected: the value of one rating; who rated what and when is public")
      .choice("perturb", perturb, {"auto", "none", "input", "gradient", "output"},
              "where the noise goes; auto: on sums of ratings; input: on every rating; gradient "
              "and output: only --as-published, without a guarantee; none: no privacy")
      .flag("as-published", as_published,
            "input, gradient or output perturbation of Wei et al. (2022), for comparison")
      .real("clip", 0, clip, {0, kInfinity, true, true},
            "gradient: bound m on the norm of a gradient; output: the Lipschitz constant L")
      .integer("insecure-seed", 0, insecure_seed, {0, std::numeric_limits<std::int64_t>::max()},
               "draw the noise from this seed: repeatable, and not private");
}

void RatingPrivacyOptions::check() const {
  if (!asked()) {
    SOTTO_REQUIRE_AT(!delta, "--delta", "goes with --epsilon, which is missing");
    SOTTO_REQUIRE_AT(perturb == "auto" || perturb == "none", "--perturb",
                     "{} goes with --epsilon, which is missing", perturb);
    SOTTO_REQUIRE_AT(!as_published, "--as-published", "goes with --epsilon");
    SOTTO_REQUIRE_AT(!insecure_seed, "--insecure-seed", "goes with --epsilon");
    return;
  }
  SOTTO_REQUIRE_AT(perturb != "none", "--perturb", "none does not go with --epsilon");
  const bool bare = perturb == "gradient" || perturb == "output";
  SOTTO_REQUIRE_AT(!bare || as_published, "--perturb",
                   "{} has no privacy guarantee (docs/published-claims.md); say --as-published to "
                   "run it for comparison, or take auto",
                   perturb);
  SOTTO_REQUIRE_AT(!as_published || perturb != "auto", "--as-published",
                   "needs --perturb input, gradient or output");
}

NoiseKey RatingPrivacyOptions::key() const {
  return insecure_seed ? NoiseKey::insecure_from_seed(static_cast<std::uint64_t>(*insecure_seed))
                       : NoiseKey::from_system();
}

}  // namespace sotto
