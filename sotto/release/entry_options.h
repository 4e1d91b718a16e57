// The options of a private run, entry unit. Nothing here looks at data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sotto/base/options.h"
#include "sotto/release/private_power.h"

namespace sotto {

struct EntryPrivacyOptions {
  std::optional<double> epsilon;
  std::optional<double> delta;
  std::string mechanism = "auto";
  std::string as_published = "off";
  std::optional<double> max_entry;
  std::optional<std::int64_t> insecure_seed;

  OptionTable table();
  bool asked() const { return epsilon.has_value(); }

  // Refuses what does not go together; without epsilon, every option that only privacy has.
  void check() const;

  PrivacyTarget target() const { return {epsilon.value(), delta.value()}; }
  Published published() const;
  NoiseKey key() const { return NoiseKey::from_system_or_seed(insecure_seed); }
};

}  // namespace sotto
