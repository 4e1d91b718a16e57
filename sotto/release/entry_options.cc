#include "sotto/release/entry_options.h"

#include <limits>

#include "sotto/base/error.h"

namespace sotto {

OptionTable EntryPrivacyOptions::table() {
  return OptionTable()
      .real("epsilon", 'e', epsilon, {0, std::numeric_limits<double>::infinity(), true, true},
            "make the result differentially private, with at most this epsilon")
      .real("delta", 0, delta, {0, 1, true, true}, "delta of the guarantee; goes with --epsilon")
      .choice(
          "mechanism", mechanism, {"auto", "iterate", "input"},
          "iterate: noise on every power iteration; input: noise on the tensor, once; auto: the "
          "better of the two for this shape")
      .choice("as-published", as_published, {"off", "wang", "imtiaz"},
              "the noise of Wang and Anandkumar (2016), Algorithm 3, or of Imtiaz and Sarwate "
              "(2018); for comparison")
      .real("max-entry", 0, max_entry, {0, std::numeric_limits<double>::infinity(), true, true},
            "public bound: entries beyond it are held at it (iterate; chosen from the shape when "
            "not given)")
      .integer("insecure-seed", 0, insecure_seed, {0, std::numeric_limits<std::int64_t>::max()},
               "draw the noise from this seed: repeatable, and not private");
}

void EntryPrivacyOptions::check() const {
  if (!asked()) {
    SOTTO_REQUIRE_AT(!delta, "--delta", "goes with --epsilon, which is missing");
    SOTTO_REQUIRE_AT(mechanism == "auto", "--mechanism", "goes with --epsilon");
    SOTTO_REQUIRE_AT(as_published == "off", "--as-published", "goes with --epsilon");
    SOTTO_REQUIRE_AT(!max_entry, "--max-entry", "goes with --epsilon");
    SOTTO_REQUIRE_AT(!insecure_seed, "--insecure-seed", "goes with --epsilon");
    return;
  }
  SOTTO_REQUIRE_AT(delta, "--epsilon", "needs --delta too, say --delta 1e-6");
  SOTTO_REQUIRE_AT(as_published == "off" || mechanism != "input", "--as-published",
                   "is an iterated method and does not go with --mechanism input");
}

Published EntryPrivacyOptions::published() const {
  if (as_published == "wang") return Published::wang;
  return as_published == "imtiaz" ? Published::imtiaz : Published::no;
}

}  // namespace sotto
