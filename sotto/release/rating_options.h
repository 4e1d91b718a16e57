// The options of a private completion, rating unit. Nothing here looks at data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sotto/base/options.h"
#include "sotto/release/rating_sums.h"

namespace sotto {

struct RatingPrivacyOptions {
  std::optional<double> epsilon;
  std::optional<double> delta;
  std::string unit = "rating";
  std::string perturb = "auto";  // none, input, gradient, output
  bool as_published = false;
  double clip = 1;
  std::optional<std::int64_t> insecure_seed;

  OptionTable table();
  bool asked() const { return epsilon.has_value(); }

  // Refuses what does not go together; without epsilon, every option that only privacy has.
  void check() const;

  PrivacyTarget target() const { return {epsilon.value(), delta.value_or(kTailDelta)}; }
  NoiseKey key() const;  // from the system, or from the insecure seed
};

}  // namespace sotto
