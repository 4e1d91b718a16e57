#include "sotto/release/rating_options.h"

#include <limits>

#include "sotto/base/error.h"

namespace sotto {

OptionTable RatingPrivacyOptions::table() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return target_table(
             "make the result differentially private, with at most this epsilon; needs `range`",
             "delta of the guarantee (none given: pure epsilon); unit user needs it")
      .choice(
          "unit", unit,
          "what is protected; rating: the value of one rating, while who rated what and when is "
          "public; user: all ratings of one user, and which items were rated")
      .text("items", 0, items, "FILE",
            "unit user: the public list of items, one a line; ratings of other items are not used")
      .text(
          "times", 0, times, "FILE",
          "unit user: the public list of days, weeks, months or other rows of the third mode, one "
          "a line; none given: time is not part of the model")
      .integer("per-user", 0, per_user, {0, std::numeric_limits<std::int64_t>::max()},
               "unit user: at most so many ratings of a user count; 0: all, which costs no privacy")
      .integer("users", 0, users, {1, std::numeric_limits<std::int64_t>::max()},
               "unit user: a public guess of how many users there are; delta must be below its "
               "inverse")
      .choice("perturb", perturb,
              "where the noise goes; auto: on sums of ratings; input: on every rating; gradient "
              "and output: only `as-published`, without a guarantee; none: no privacy")
      .choice("mechanism", mechanism,
              "unit rating, `perturb` auto; sums: one linear model of noisy sums and features of "
              "the positions; als: alternating least squares on noisy right-hand sides; sgd: noisy "
              "gradients over Poisson samples; auto: by public numbers")
      .flag("as-published", as_published,
            "input, gradient or output perturbation of Wei et al. (2022), for comparison")
      .real("clip", 0, clip, {0, kInfinity, true, true},
            "gradient: bound m on the norm of a gradient; output: the Lipschitz constant L");
}

void RatingPrivacyOptions::check() const {
  const bool any_perturb = perturb == Perturbation::automatic;
  const bool any_mechanism = mechanism == RatingMechanism::automatic;
  check_target({{"`perturb`", !any_perturb && perturb != Perturbation::none},
                {"`as-published`", as_published},
                {"`unit` user", for_users()},
                {"`mechanism`", !any_mechanism}});
  const auto only_for_users = [&](bool given, const char* option) {
    SOTTO_REQUIRE_AT(for_users() || !given, option, "only works with `unit` user");
  };
  only_for_users(!items.empty(), "`items`");
  only_for_users(!times.empty(), "`times`");
  only_for_users(per_user != 0, "`per-user`");
  only_for_users(users != kUsualUsers, "`users`");
  SOTTO_REQUIRE_AT(any_mechanism || (any_perturb && !for_users()), "`mechanism`",
                   "only works with `unit` rating and `perturb` auto");
  if (!asked()) return;
  if (for_users()) check_for_users();
  SOTTO_REQUIRE_AT(perturb != Perturbation::none, "`perturb`", "none does not work with `epsilon`");
  const bool bare = perturb == Perturbation::gradient || perturb == Perturbation::output;
  SOTTO_REQUIRE_AT(!bare || as_published, "`perturb`",
                   "{} has no privacy guarantee (docs/published-claims.md); say `as-published` to "
                   "run it for comparison, or take auto",
                   name_of(perturb));
  SOTTO_REQUIRE_AT(!as_published || !any_perturb, "`as-published`",
                   "needs `perturb` input, gradient or output");
  SOTTO_REQUIRE_AT(mechanism != RatingMechanism::sgd || delta, "`mechanism`",
                   "sgd needs `delta` too, say `delta` 1e-6");
}

void RatingPrivacyOptions::check_for_users() const {
  SOTTO_REQUIRE_AT(delta, "`unit`", "user needs `delta` too, say `delta` 1e-6");
  SOTTO_REQUIRE_AT(!items.empty(), "`unit`",
                   "user needs `items` FILE, the public list of items: which items there are would "
                   "otherwise be read off the users' ratings");
  SOTTO_REQUIRE_AT(perturb == Perturbation::automatic && !as_published, "`unit`",
                   "user has no published counterpart: take `perturb` auto");
}

}  // namespace sotto
