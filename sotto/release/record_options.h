// The options of a private run over a stream, record unit. Nothing here looks at data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sotto/base/options.h"
#include "sotto/release/private_stream.h"

namespace sotto {

struct RecordPrivacyOptions {
  std::optional<double> epsilon;
  std::optional<double> delta;
  std::optional<double> max_norm;
  std::string norm_range;  // LO:HI, instead of max_norm
  std::optional<std::int64_t> insecure_seed;

  OptionTable table();
  bool asked() const { return epsilon.has_value(); }

  // Refuses what does not go together; without epsilon, every option that only privacy has.
  void check() const;

  RecordNorm norm() const;
  PrivacyTarget target() const { return {epsilon.value(), delta.value()}; }
  NoiseKey key() const { return NoiseKey::from_system_or_seed(insecure_seed); }
};

}  // namespace sotto
