// The options of a private run over a stream, record unit. Nothing here looks at data.
#pragma once

#include <optional>
#include <string>

#include "sotto/release/private_stream.h"
#include "sotto/release/target_options.h"

namespace sotto {

struct RecordPrivacyOptions : TargetOptions {
  std::optional<double> max_norm;
  std::string norm_range;  // LO:HI, instead of max_norm

  OptionTable table();

  // Refuses what cannot be combined; without epsilon, every option that only privacy has.
  void check() const;

  RecordNorm norm() const;
  void set_norm(const RecordNorm& norm);
};

}  // namespace sotto
