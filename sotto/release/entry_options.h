// The options of a private run, entry unit. Nothing here looks at data.
#pragma once

#include <array>
#include <optional>

#include "sotto/release/private_power.h"
#include "sotto/release/target_options.h"

namespace sotto {

// Where the noise goes. A run takes one of the last two.
enum class PowerMechanism { automatic, iterate, input };
constexpr auto enum_names(PowerMechanism) {
  return std::to_array<EnumName<PowerMechanism>>({{PowerMechanism::automatic, "auto"},
                                                  {PowerMechanism::iterate, "iterate"},
                                                  {PowerMechanism::input, "input"}});
}

struct EntryPrivacyOptions : TargetOptions {
  PowerMechanism mechanism = PowerMechanism::automatic;
  Published as_published = Published::no;
  std::optional<double> max_entry;

  OptionTable table();

  // Refuses what cannot be combined; without epsilon, every option that only privacy has.
  void check() const;
};

}  // namespace sotto
