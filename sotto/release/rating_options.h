// The options of a private completion, rating and user unit. Nothing here looks at data.
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
  std::string unit = "rating";  // user
  std::string items;            // file: the public list of items, unit user
  std::string times;            // file: the public list of times, unit user
  std::int64_t per_user = 0;
  std::string perturb = "auto";    // none, input, gradient, output
  std::string mechanism = "auto";  // sums, als, sgd
  bool as_published = false;
  double clip = 1;
  std::optional<std::int64_t> insecure_seed;

  OptionTable table();
  bool for_users() const { return unit == "user"; }
  bool asked() const { return epsilon.has_value(); }

  // Refuses what does not go together; without epsilon, every option that only privacy has.
  void check() const;

  PrivacyTarget target() const { return {epsilon.value(), delta.value_or(kTailDelta)}; }
  NoiseKey key() const;  // from the system, or from the insecure seed

 private:
  void check_for_users() const;
};

}  // namespace sotto
