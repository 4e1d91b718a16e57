// The checks that all accountants share, so that each refusal is worded once.
#pragma once

#include <cmath>
#include <cstdint>

#include "sotto/base/error.h"

namespace sotto {

inline void require_epsilon(double epsilon) {
  SOTTO_REQUIRE(epsilon > 0 && std::isfinite(epsilon), "epsilon must be finite and > 0, got {}",
                epsilon);
}

// The largest epsilon of one pure release: beyond it the promise is empty, and the truncated tails
// of the sampler would cost more than any delta. Refused before anything is drawn.
inline constexpr double kMostPureEpsilon = 600;

inline void require_pure_epsilon(double epsilon) {
  require_epsilon(epsilon);
  SOTTO_REQUIRE(epsilon <= kMostPureEpsilon,
                "one release would cost epsilon {:.6g}, and above {} its noise hides nothing: take "
                "a smaller `epsilon`",
                epsilon, kMostPureEpsilon);
}

inline void require_delta(double delta) {
  SOTTO_REQUIRE(delta > 0 && delta < 1, "delta must lie strictly between 0 and 1, got {}", delta);
}

inline void require_count(std::int64_t count) {
  SOTTO_REQUIRE(count >= 1, "count must be at least 1, got {}", count);
}

inline void require_noise(double noise_multiplier) {
  SOTTO_REQUIRE(noise_multiplier > 0 && std::isfinite(noise_multiplier),
                "noise-multiplier must be finite and > 0, got {}", noise_multiplier);
}

inline void require_rate(double sampling_rate) {
  SOTTO_REQUIRE(sampling_rate > 0 && sampling_rate <= 1, "sampling-rate must lie in (0, 1], got {}",
                sampling_rate);
}

}  // namespace sotto
