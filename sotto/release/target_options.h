// What every private run is asked: epsilon, delta, and where its noise comes from. The options of a
// unit of privacy build on this (entry_options.h, record_options.h, rating_options.h,
// models/private_topics.h). Nothing here looks at data.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

#include "sotto/base/options.h"
#include "sotto/privacy/certificate.h"
#include "sotto/privacy/secure_stream.h"
#include "sotto/release/calibration.h"

namespace sotto {

struct TargetOptions {
  std::optional<double> epsilon;
  std::optional<double> delta;
  bool accept_large_delta = false;
  std::optional<std::int64_t> insecure_seed;

  bool asked() const { return epsilon.has_value(); }
  PrivacyTarget target() const { return {epsilon.value(), delta.value_or(kTailDelta)}; }
  NoiseKey key() const { return NoiseKey::from_system_or_seed(insecure_seed); }

  // Refuses a delta that was asked for and is not below 1/units, unless that was accepted. To be
  // called before anything is released.
  void require_small_delta(const ProtectedUnits& units) const;

 protected:
  OptionTable target_table(const std::string& epsilon_help, const std::string& delta_help);

  // An option that only a private run has, and whether it was given.
  struct OnlyPrivate {
    const char* option;
    bool given;
  };
  // Without --epsilon refuses these and the options above.
  void check_target(std::initializer_list<OnlyPrivate> others) const;
  // For mechanisms that are not pure.
  void require_delta_given() const;
};

}  // namespace sotto
