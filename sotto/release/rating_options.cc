#include "sotto/release/rating_options.h"

#include <limits>

#include "sotto/base/error.h"

namespace sotto {

OptionTable RatingPrivacyOptions::table() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return target_table(
             "make the result differentially private, with at most this epsilon; needs `range`",
             "delta of the guarantee (none given: pure epsilon); unit user needs it")
      .choice("unit", unit, {"rating", "user"},
              "what is protected; rating: the value of one rating, who rated what and when is "
              "public; user: all ratings of one user, what was rated included")
      .text("items", 0, items, "FILE",
            "unit user: the public list of items, one a line; ratings of others are not used")
      .text(
          "times", 0, times, "FILE",
          "unit user: the public list of days, weeks, months or other rows of the third mode, one "
          "a line; none given: time is not part of the model")
      .integer("per-user", 0, per_user, {0, std::numeric_limits<std::int64_t>::max()},
               "unit user: at most so many ratings of a user count; 0: all, which costs no privacy")
      .integer("users", 0, users, {1, std::numeric_limits<std::int64_t>::max()},
               "unit user: a public guess of how many users there are; delta must be below its "
               "inverse")
      .choice("perturb", perturb, {"auto", "none", "input", "gradient", "output"},
              "where the noise goes; auto: on sums of ratings; input: on every rating; gradient "
              "and output: only `as-published`, without a guarantee; none: no privacy")
      .choice("mechanism", mechanism, {"auto", "sums", "als", "sgd"},
              "unit rating, `perturb` auto; sums: one linear model of noisy sums and features of "
              "the positions; als: alternating least squares on noisy right-hand sides; sgd: noisy "
              "gradients over Poisson samples; auto: by public numbers")
      .flag("as-published", as_published,
            "input, gradient or output perturbation of Wei et al. (2022), for comparison")
      .real("clip", 0, clip, {0, kInfinity, true, true},
            "gradient: bound m on the norm of a gradient; output: the Lipschitz constant L");
}

void RatingPrivacyOptions::check() const {
  check_target({{"`perturb`", perturb != "auto" && perturb != "none"},
                {"`as-published`", as_published},
                {"`unit` user", for_users()},
                {"`mechanism`", mechanism != "auto"}});
  SOTTO_REQUIRE_AT(for_users() || items.empty(), "`items`", "goes with `unit` user");
  SOTTO_REQUIRE_AT(for_users() || times.empty(), "`times`", "goes with `unit` user");
  SOTTO_REQUIRE_AT(mechanism == "auto" || (perturb == "auto" && !for_users()), "`mechanism`",
                   "goes with `unit` rating and `perturb` auto");
  SOTTO_REQUIRE_AT(for_users() || per_user == 0, "`per-user`", "goes with `unit` user");
  SOTTO_REQUIRE_AT(for_users() || users == kUsualUsers, "`users`", "goes with `unit` user");
  if (!asked()) return;
  if (for_users()) check_for_users();
  SOTTO_REQUIRE_AT(perturb != "none", "`perturb`", "none does not go with `epsilon`");
  const bool bare = perturb == "gradient" || perturb == "output";
  SOTTO_REQUIRE_AT(!bare || as_published, "`perturb`",
                   "{} has no privacy guarantee (docs/published-claims.md); say `as-published` to "
                   "run it for comparison, or take auto",
                   perturb);
  SOTTO_REQUIRE_AT(!as_published || perturb != "auto", "`as-published`",
                   "needs `perturb` input, gradient or output");
}

void RatingPrivacyOptions::check_for_users() const {
  SOTTO_REQUIRE_AT(delta, "`unit`", "user needs `delta` too, say `delta` 1e-6");
  SOTTO_REQUIRE_AT(!items.empty(), "`unit`",
                   "user needs `items` FILE, the public list of items: which items there are would "
                   "otherwise be read off the users' ratings");
  SOTTO_REQUIRE_AT(perturb == "auto" && !as_published, "`unit`",
                   "user has no published counterpart: take `perturb` auto");
}

}  // namespace sotto
