#include "sotto/release/entry_options.h"

#include <limits>

#include "sotto/base/error.h"

namespace sotto {

OptionTable EntryPrivacyOptions::table() {
  return target_table("make the result differentially private, with at most this epsilon",
                      "delta of the guarantee; `epsilon` needs it")
      .choice(
          "mechanism", mechanism,
          "iterate: noise on every power iteration; input: noise on the tensor, once; auto: the "
          "better of the two for this shape")
      .choice("as-published", as_published,
              "the noise of Wang and Anandkumar (2016), Algorithm 3, or of Imtiaz and Sarwate "
              "(2018); for comparison")
      .real("max-entry", 0, max_entry, {0, std::numeric_limits<double>::infinity(), true, true},
            "public bound: entries beyond it are clipped to it (iterate; chosen from the shape "
            "when not given)");
}

void EntryPrivacyOptions::check() const {
  check_target({{"`mechanism`", mechanism != PowerMechanism::automatic},
                {"`as-published`", as_published != Published::no},
                {"`max-entry`", max_entry.has_value()}});
  if (!asked()) return;
  require_delta_given();
  SOTTO_REQUIRE_AT(as_published == Published::no || mechanism != PowerMechanism::input,
                   "`as-published`",
                   "is an iterated method and does not work with `mechanism` input");
}

}  // namespace sotto
