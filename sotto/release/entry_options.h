// The options of a private run, entry unit. Nothing here looks at data.
#pragma once

#include <optional>
#include <string>

#include "sotto/release/private_power.h"
#include "sotto/release/target_options.h"

namespace sotto {

struct EntryPrivacyOptions : TargetOptions {
  std::string mechanism = "auto";
  std::string as_published = "off";
  std::optional<double> max_entry;

  OptionTable table();

  // Refuses what does not go together; without epsilon, every option that only privacy has.
  void check() const;

  Published published() const;
};

}  // namespace sotto
